import { appendFile, mkdir, mkdtemp, realpath, rename, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { readContainedFile, withContainedFile } from "../../src/lib/read-contained-file.js";
import { makePipe } from "../support/named-pipe.js";

/** True: the system does not report by which path a file was opened, as everywhere but on Linux. */
const system = vi.hoisted(() => ({ isSilent: false }));
vi.mock(import("node:fs/promises"), async (importOriginal) => {
  const original = await importOriginal();
  const readlink = (path: string) =>
    system.isSilent ? Promise.reject(new Error("There is no /proc.")) : original.readlink(path);
  return { ...original, readlink: readlink as typeof original.readlink };
});

let folder: string;
let root: string;

beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), "recollect-contained-")));
  root = join(folder, "root");
  await mkdir(join(root, "part"), { recursive: true });
  await writeFile(join(root, "part", "a.txt"), "It is harmless.");
  await mkdir(join(folder, "outside"));
  await writeFile(join(folder, "outside", "a.txt"), "The password is swordfish.");
});
afterEach(async () => {
  system.isSilent = false;
  await rm(folder, { recursive: true });
});

const read = async (path: string, maximumBytes = 1_000) => {
  const found = await readContainedFile(join(root, path), { root, maximumBytes });
  return found.kind === "read" ? found.bytes.toString() : found;
};
const ABSENT = { kind: "absent" };

test.each([false, true])(
  "reads files in the folder, and nothing behind links (silent system: %s)",
  async (isSilent) => {
    system.isSilent = isSilent;
    await symlink(join(folder, "outside"), join(root, "way-out"));
    await symlink(join(root, "part", "a.txt"), join(root, "link.txt"));
    expect(await read("part/a.txt")).toBe("It is harmless.");
    expect(await read("link.txt")).toEqual(ABSENT);
    expect(await read("way-out/a.txt")).toEqual(ABSENT);
    expect(await read("../outside/a.txt")).toEqual(ABSENT);
  },
);

test("missing files and folders are absent; a file that is too large is not read", async () => {
  expect(await read("missing.txt")).toEqual(ABSENT);
  expect(await read("part/a.txt/b.txt")).toEqual(ABSENT);
  expect(await read("part")).toEqual(ABSENT);
  expect(await read("part/a.txt", 14)).toEqual({ kind: "too_large", bytes: 15 });
});

test.skipIf(process.platform === "win32")("does not wait for a pipe", async () => {
  makePipe(join(root, "pipe.txt"));
  expect(await read("pipe.txt")).toEqual(ABSENT);
});

test("reads what was opened, whatever happens to the path", async () => {
  const path = join(root, "part", "a.txt");
  const text = await withContainedFile(path, root, async (file) => {
    await appendFile(path, " It grows.");
    await rename(join(root, "part"), join(root, "former"));
    await symlink(join(folder, "outside"), join(root, "part"));
    return (await file.read()).toString();
  });
  expect(text).toBe("It is harmless.");
  expect(await read("part/a.txt")).toEqual(ABSENT);
});
