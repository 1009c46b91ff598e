import { mkdir, mkdtemp, rename, rm, symlink, unlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { connect, type Connected, lastRun } from "../support/connection.js";

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanups.splice(0).reverse()) await cleanUp();
});

async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), "recollect-folder-"));
  cleanups.push(() => rm(path, { recursive: true, force: true }));
  return path;
}

async function connectTo(path: string, roots: readonly string[]): Promise<Connected> {
  const settings = { RECOLLECT_CONNECTION_FOLDERS: roots.join(",") };
  const connected = await connect({ provider: "folder", metadata: { path }, settings });
  cleanups.push(() => connected.close());
  return connected;
}

test("files are brought in, followed when they change, and removed when they go", async () => {
  const root = await folder();
  await mkdir(join(root, "garden"));
  await writeFile(join(root, "garden", "trees.md"), "# Trees\n\nThe pear tree by the gate was planted in 1962.");
  await writeFile(join(root, "notes.txt"), "The well is behind the barn.");
  const connected = await connectTo(root, [root]);
  expect(await lastRun(connected, connected.id)).toMatchObject({ status: "done", read: 2 });
  expect((await connected.texts())["notes.txt"]).toContain("behind the barn");
  await writeFile(join(root, "notes.txt"), "The well was filled in last year, and nobody misses it.");
  await rename(join(root, "garden", "trees.md"), join(root, "trees.md"));
  expect(await connected.sync()).toMatchObject({ status: "done", read: 2, removed: 1, unchanged: 0 });
  expect((await connected.texts())["notes.txt"]).toContain("filled in");
  await unlink(join(root, "trees.md"));
  expect(await connected.sync()).toMatchObject({ status: "done", read: 0, removed: 1, unchanged: 1 });
});

test("hidden files, links and what .gitignore leaves out stay out; an empty file is skipped", async () => {
  const [root, outside] = [await folder(), await folder()];
  await writeFile(join(outside, "secret.txt"), "The password is swordfish.");
  await writeFile(join(root, ".env"), "KEY=1");
  await writeFile(join(root, ".gitignore"), "build/\n");
  await mkdir(join(root, "build"));
  await writeFile(join(root, "build", "out.txt"), "made by a machine");
  await symlink(join(outside, "secret.txt"), join(root, "link.txt"));
  await symlink(outside, join(root, "way-out"));
  await writeFile(join(root, "empty.txt"), "");
  await writeFile(join(root, "kept.txt"), "This one is read.");
  const connected = await connectTo(root, [root]);
  expect(await lastRun(connected, connected.id)).toMatchObject({ status: "done", read: 1, skipped: 1 });
  expect(Object.keys(await connected.texts())).toEqual(["kept.txt"]);
});

test("only what the setting names may be read", async () => {
  const [root, outside] = [await folder(), await folder()];
  await symlink(outside, join(root, "way-out"));
  for (const path of [outside, join(root, ".."), join(root, "way-out"), join(root, "missing")])
    await expect(connectTo(path, [root])).rejects.toThrow(/RECOLLECT_CONNECTION_FOLDERS/);
  await expect(connectTo("relative", [root])).rejects.toThrow(/absolute path/);
  await expect(connectTo(root, [])).rejects.toThrow(/RECOLLECT_CONNECTION_FOLDERS/);
});

test("a folder that is gone removes nothing", async () => {
  const root = await folder();
  await mkdir(join(root, "disk"));
  await writeFile(join(root, "disk", "a.txt"), "It is on a disk that may be away.");
  const connected = await connectTo(join(root, "disk"), [root]);
  await rename(join(root, "disk"), join(root, "away"));
  expect(await connected.sync()).toMatchObject({ status: "failed", removed: 0 });
  expect(Object.keys(await connected.texts())).toEqual(["a.txt"]);
});
