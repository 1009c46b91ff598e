import { execFileSync } from "node:child_process";
import { chmod, mkdir, mkdtemp, rename, rm, stat, symlink, unlink, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ItemGone } from "../../src/core/connections/connector-errors.js";
import { createFolderConnector } from "../../src/connectors/folder.js";
import { useCleanups } from "../support/cleanups.js";
import { connect, type Connected, lastRun } from "../support/connection.js";
import { itemsOf, pagesOf, sourceAccess } from "../support/source-access.js";

const cleanups = useCleanups();

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

test("files are imported, updated when they change, and removed when they are deleted", async () => {
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

test("hidden files, links and files excluded by .gitignore stay out; an empty file is skipped", async () => {
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

test("only folders named in the setting may be read", async () => {
  const [root, outside] = [await folder(), await folder()];
  await symlink(outside, join(root, "way-out"));
  for (const path of [outside, join(root, ".."), join(root, "way-out"), join(root, "missing")])
    await expect(connectTo(path, [root])).rejects.toThrow(/RECOLLECT_CONNECTION_FOLDERS/);
  await expect(connectTo("relative", [root])).rejects.toThrow(/absolute path/);
  await expect(connectTo(root, [])).rejects.toThrow(/RECOLLECT_CONNECTION_FOLDERS/);
});

test("a missing folder removes nothing", async () => {
  const root = await folder();
  await mkdir(join(root, "disk"));
  await writeFile(join(root, "disk", "a.txt"), "It is on a disk that may be away.");
  const connected = await connectTo(join(root, "disk"), [root]);
  await rename(join(root, "disk"), join(root, "away"));
  expect(await connected.sync()).toMatchObject({ status: "failed", removed: 0 });
  expect(Object.keys(await connected.texts())).toEqual(["a.txt"]);
});

/** Nested folders whose path exceeds the system's limit, so that the lowest one cannot be read. */
const TOO_DEEP = `for (let depth = 0; depth < 20; depth += 1) {
  fs.mkdirSync("d".repeat(250));
  process.chdir("d".repeat(250));
}`;

test("a part that cannot be read removes nothing", async () => {
  const root = await folder();
  await mkdir(join(root, "part"));
  await writeFile(join(root, "part", "a.txt"), "It is still there.");
  await writeFile(join(root, "b.txt"), "It is gone soon.");
  const connected = await connectTo(root, [root]);
  await unlink(join(root, "b.txt"));
  execFileSync(process.execPath, ["-e", TOO_DEEP], { cwd: join(root, "part") });
  try {
    const connector = createFolderConnector({ roots: [root] });
    await expect(pagesOf(connector, sourceAccess(connector, { metadata: { path: root } }))).rejects.toMatchObject({
      kind: "unavailable",
      message: expect.stringMatching(/part\/d+.* cannot be read \(ENAMETOOLONG\)/),
    });
    expect(Object.keys(await connected.texts()).toSorted()).toEqual(["a.txt", "b.txt"]);
  } finally {
    execFileSync("rm", ["-rf", join(root, "part")]);
  }
});

/** Runs as a user other than root, since permissions do not restrict root. */
async function withoutRoot(work: () => Promise<void>): Promise<void> {
  if (process.getuid?.() !== 0) return work();
  process.seteuid?.(65_534);
  try {
    await work();
  } finally {
    process.seteuid?.(0);
  }
}

test("files in a folder that can be listed but not entered are not considered deleted", async () => {
  const root = await folder();
  const part = join(root, "part");
  await mkdir(part);
  await writeFile(join(part, "a.txt"), "It is still there.");
  const connector = createFolderConnector({ roots: [root] });
  const access = sourceAccess(connector, { metadata: { path: root } });
  const change = itemsOf(await pagesOf(connector, access)).get("part/a.txt");
  await chmod(root, 0o755);
  await chmod(part, 0o744);
  await withoutRoot(async () => {
    const refused = { kind: "unavailable", message: expect.stringMatching(/part.* cannot be read \(EACCES\)/) };
    await expect(pagesOf(connector, access)).rejects.toMatchObject(refused);
    await expect(connector.read(access, change!.item)).rejects.toMatchObject(refused);
  });
});

test("another file of the same size and time, put in place by a rename, is read", async () => {
  const root = await folder();
  const path = join(root, "a.txt");
  await writeFile(path, "The weir is of oak.");
  const { atime, mtime } = await stat(path);
  const connected = await connectTo(root, [root]);
  await writeFile(join(root, ".new"), "The weir is of elm.");
  await utimes(join(root, ".new"), atime, mtime);
  await rename(join(root, ".new"), path);
  expect(await connected.sync()).toMatchObject({ status: "done", read: 1, removed: 0 });
  expect((await connected.texts())["a.txt"]).toContain("of elm");
  expect(await connected.sync()).toMatchObject({ status: "done", read: 0, unchanged: 1 });
});

test("a walk stopped after each page lists every file once", async () => {
  const root = await folder();
  for (let index = 0; index < 450; index += 1) await writeFile(join(root, `${index}.txt`), `File ${index}.`);
  const connector = createFolderConnector({ roots: [root] });
  const pages = await pagesOf(connector, sourceAccess(connector, { metadata: { path: root } }), { stops: true });
  expect(pages.map(({ isFirst, isLast, items }) => [isFirst, isLast, items.length])).toEqual([
    [true, false, 200],
    [false, false, 200],
    [false, true, 50],
  ]);
  expect(itemsOf(pages).size).toBe(450);
});

test("a folder replaced by a link to the outside is not read", async () => {
  const [root, outside] = [await folder(), await folder()];
  await mkdir(join(root, "part"));
  await writeFile(join(root, "part", "a.txt"), "It is harmless.");
  await writeFile(join(outside, "a.txt"), "The password is swordfish.");
  const connector = createFolderConnector({ roots: [root] });
  const access = sourceAccess(connector, { metadata: { path: root } });
  const change = itemsOf(await pagesOf(connector, access)).get("part/a.txt");
  if (!change) throw new Error("The file was not listed.");
  await rm(join(root, "part"), { recursive: true });
  await symlink(outside, join(root, "part"));
  await expect(connector.read(access, change.item)).rejects.toBeInstanceOf(ItemGone);
});

test("a folder whose .gitignore is too long to apply stays out, and the run says so", async () => {
  const root = await folder();
  await mkdir(join(root, "archive"));
  await writeFile(join(root, "archive", "secret.txt"), "The password is swordfish.");
  await writeFile(join(root, "archive", ".gitignore"), "secret.txt\n".repeat(2_001));
  await writeFile(join(root, "kept.txt"), "This one is read.");
  const connected = await connectTo(root, [root]);
  const run = await lastRun(connected, connected.id);
  expect(run).toMatchObject({
    status: "partial",
    read: 1,
    notes: [expect.stringMatching(/\.gitignore .*: archive\.$/)],
  });
  expect(Object.keys(await connected.texts())).toEqual(["kept.txt"]);
  await writeFile(join(root, "archive", ".gitignore"), "secret.txt\n");
  expect(await connected.sync()).toMatchObject({ status: "done", notes: [] });
});

test.runIf(process.platform === "linux")("files whose names are not UTF-8 are reported", async () => {
  const root = await folder();
  await writeFile(Buffer.concat([Buffer.from(`${root}/`), Buffer.from("café.md", "latin1")]), "It is on the hill.");
  await writeFile(join(root, "café.md"), "It is in the valley.");
  await writeFile(join(root, "odd\n\u202ename.md"), "It is by the sea.");
  const connected = await connectTo(root, [root]);
  expect(await lastRun(connected, connected.id)).toMatchObject({
    status: "partial",
    read: 2,
    notes: ["1 file or folder has a name that is not UTF-8 and was left out."],
  });
});

test("data folders of Recollect are not read, whether its own or another's", async () => {
  const root = await folder();
  await writeFile(join(root, "kept.txt"), "This one is read.");
  for (const name of ["memory", join("backups", "memory")]) {
    await mkdir(join(root, name, "files"), { recursive: true });
    await writeFile(join(root, name, "recollect.db"), "");
    await writeFile(join(root, name, "service.json"), `{"token":"of the owner"}`);
    await writeFile(join(root, name, "files", "diary.txt"), "The diary of somebody else.");
  }
  const connected = await connectTo(root, [root]);
  expect(Object.keys(await connected.texts())).toEqual(["kept.txt"]);
  for (const inside of [join(root, "memory"), join(root, "memory", "files")])
    await expect(connectTo(inside, [root])).rejects.toThrow(/data folder/);
});

test("a hidden folder is read only when the server's settings name it", async () => {
  const root = await folder();
  await mkdir(join(root, ".ssh", "keys"), { recursive: true });
  await writeFile(join(root, ".ssh", "keys", "one.txt"), "A key of somebody.");
  for (const hidden of [".ssh", join(".ssh", "keys")])
    await expect(connectTo(join(root, hidden), [root])).rejects.toThrow(/hidden/);
  const connected = await connectTo(join(root, ".ssh", "keys"), [root, join(root, ".ssh", "keys")]);
  expect(Object.keys(await connected.texts())).toEqual(["one.txt"]);
});
