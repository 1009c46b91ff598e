import { createHash } from "node:crypto";
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createUploadFolder } from "../../src/adapters/blobs/uploads.js";
import type { UploadStore } from "../../src/core/ports.js";
import { createId } from "../../src/lib/ids.js";

let folder: string;
let directory: string;
let uploads: UploadStore;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "recollect-uploads-"));
  directory = join(folder, "uploads");
  uploads = createUploadFolder(directory);
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function* pieces(...texts: readonly string[]) {
  for (const text of texts) yield Promise.resolve(Buffer.from(text));
}

test("stores data that arrives in pieces as a file with its size and digest", async () => {
  const { key, size, digest } = await uploads.receive(pieces("The lamp ", "", "is lit."));
  expect(await readFile(uploads.pathOf(key), "utf8")).toBe("The lamp is lit.");
  expect([size, digest]).toEqual([16, createHash("sha256").update("The lamp is lit.").digest("hex")]);
  expect(Buffer.from((await uploads.read(key, 4, 4)) ?? []).toString()).toBe("lamp");
  expect(await uploads.read(createId(), 0, 1)).toBeNull();
});

test("accepts an upload of no bytes", async () => {
  expect((await uploads.receive(pieces())).size).toBe(0);
});

test("leaves nothing of an interrupted upload and reports the reason", async () => {
  async function* breaking() {
    yield Buffer.from("half");
    await Promise.reject(new Error("the sender is gone"));
  }
  await expect(uploads.receive(breaking())).rejects.toThrow("the sender is gone");
  expect(await readdir(directory)).toEqual([]);
});

test("reports a folder that cannot be written", async () => {
  await writeFile(directory, "a file where the folder should be");
  await expect(uploads.receive(pieces("x"))).rejects.toMatchObject({
    kind: "unavailable",
    message: expect.stringContaining(`The file was not stored: the folder ${directory} cannot be written`),
  });
});

test.skipIf(process.platform === "win32")("lets only the folder's owner read the files in it", async () => {
  const { key } = await uploads.receive(pieces("x"));
  expect((await stat(directory)).mode & 0o777).toBe(0o700);
  expect((await stat(uploads.pathOf(key))).mode & 0o777).toBe(0o600);
});

test("lists uploads until they are removed, and leaves other files alone", async () => {
  expect(await uploads.list()).toEqual([]);
  const { key } = await uploads.receive(pieces("x"));
  await writeFile(join(directory, "README.txt"), "not ours");
  expect((await uploads.list()).map((upload) => upload.key)).toEqual([key]);
  await uploads.remove(key);
  await uploads.remove(key);
  expect(await uploads.list()).toEqual([]);
  expect(await readdir(directory)).toEqual(["README.txt"]);
});

test("no key refers to a path elsewhere", () => {
  for (const key of ["", "..", "../outside", "a/b"]) expect(() => uploads.pathOf(key)).toThrow("must be an id");
});
