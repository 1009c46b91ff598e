import { mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createFileBlobs } from "../../src/adapters/blobs/files.js";
import { createId } from "../../src/lib/ids.js";
import { describeBlobs } from "../contract/blobs.js";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "recollect-blobs-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describeBlobs("files", async () => {
  const own = await mkdtemp(join(tmpdir(), "recollect-blobs-"));
  return {
    blobs: createFileBlobs(join(own, "files")),
    close: () => rm(own, { recursive: true, force: true }),
  };
});

test.skipIf(process.platform === "win32")("lets only the folder's owner read the files in it", async () => {
  const directory = join(folder, "files");
  const key = createId();
  await createFileBlobs(directory).put(key, Uint8Array.of(1));
  expect((await stat(directory)).mode & 0o777).toBe(0o700);
  expect((await stat(join(directory, key))).mode & 0o777).toBe(0o600);
});

test("leaves nothing behind when a write fails", async () => {
  const directory = join(folder, "files");
  await writeFile(directory, "a file where the folder should be");
  await expect(createFileBlobs(directory).put(createId(), Uint8Array.of(1))).rejects.toMatchObject({
    kind: "unavailable",
    message: expect.stringContaining(`The file was not stored: the folder ${directory} cannot be written`),
  });
  expect(await readdir(folder)).toEqual(["files"]);
});

test("lists an interrupted write under its key and removes it with the key; leaves other files alone", async () => {
  const blobs = createFileBlobs(folder);
  const key = createId();
  await writeFile(join(folder, `${key}.part`), "half");
  await writeFile(join(folder, "README.txt"), "not ours");
  expect((await blobs.list()).map((blob) => blob.key)).toEqual([key]);
  expect(await blobs.read(key, 0, 10)).toBeNull();
  await blobs.remove(key);
  expect(await readdir(folder)).toEqual(["README.txt"]);
});
