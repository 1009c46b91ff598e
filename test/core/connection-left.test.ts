import { mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { STORE_FILE } from "../../src/lib/store-file.js";
import type { Connector } from "../../src/core/ports.js";
import { connect, type Connected, TAG } from "../support/connection.js";
import { fill, useExampleSources } from "../support/example-connection.js";
import { S3_KEYS, startS3 } from "../support/scripted-s3.js";
import { openDatabase } from "../support/store-folder.js";

const { cleanups, startSource, connectTo } = useExampleSources();

async function folder(text: string): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), "recollect-left-"));
  cleanups.push(() => rm(path, { recursive: true, force: true }));
  await writeFile(join(path, "README.md"), text);
  return path;
}

/** A connection to the first of some folders, all of which are allowed. */
async function connectFolder(...folders: readonly string[]): Promise<Connected> {
  const settings = { RECOLLECT_CONNECTION_FOLDERS: folders.join(",") };
  const connected = await connect({ provider: "folder", metadata: { path: folders[0] ?? "" }, settings });
  cleanups.push(() => connected.close());
  return connected;
}

async function add(connected: Connected, provider: string, metadata: object): Promise<string> {
  const { core, actor } = connected;
  const { id } = await core.createConnection({ actor }, { provider, containerTag: TAG, metadata });
  await connected.settle();
  return id;
}

async function remove(connected: Connected, id: string, deleteDocuments: boolean): Promise<void> {
  const { core, actor } = connected;
  await core.removeConnection({ actor }, { id, deleteDocuments });
  await connected.settle();
}

async function documentsOf({ core, actor }: Connected) {
  const query = { containerTags: [TAG], limit: 100, includeContent: true, sort: "createdAt", order: "asc" };
  return (await core.listDocuments({ actor }, query)).documents;
}

test("another folder neither changes nor removes the documents kept from one folder", async () => {
  const one = await folder("The accounts of the farm.");
  const other = await folder("A stranger's words.");
  const connected = await connectFolder(one, other);
  await remove(connected, connected.id, false);
  const kept = await documentsOf(connected);
  const id = await add(connected, "folder", { path: other });
  const both = await documentsOf(connected);
  expect(both.map(({ content }) => content)).toEqual(["The accounts of the farm.", "A stranger's words."]);
  expect(both[0]).toEqual(kept[0]);
  await remove(connected, id, true);
  expect(await documentsOf(connected)).toEqual(kept);
});

test("the same folder, under any path, takes over the documents kept from it", async () => {
  const one = await folder("The accounts of the farm.");
  const other = await folder("The accounts of the mill.");
  const link = `${other}-link`;
  await symlink(other, link);
  cleanups.push(() => rm(link));
  const connected = await connectFolder(one, other);
  await remove(connected, connected.id, false);
  await remove(connected, await add(connected, "folder", { path: other }), false);
  const kept = await documentsOf(connected);
  await writeFile(join(other, "README.md"), "The accounts of the mill, with those of the year after.");
  const id = await add(connected, "folder", { path: link });
  const [first, second, ...more] = await documentsOf(connected);
  expect(more).toEqual([]);
  expect(first).toEqual(kept[0]);
  expect(second).toMatchObject({ id: kept[1]?.id, connectionId: id, content: expect.stringContaining("year after") });
  await remove(connected, id, true);
  expect(await documentsOf(connected)).toEqual([kept[0]]);
});

test("a kept document still has its address at the source", async () => {
  const path = await folder("The accounts of the farm.");
  const connected = await connectFolder(path);
  const { core, actor } = connected;
  const [before] = await documentsOf(connected);
  const url = pathToFileURL(join(path, "README.md")).href;
  expect(before).toMatchObject({ url, connectionId: connected.id });
  await remove(connected, connected.id, false);
  expect(await documentsOf(connected)).toMatchObject([{ id: before?.id, url, connectionId: null }]);
  const { document } = await core.getDocument({ actor }, { id: before?.id });
  expect(document).toMatchObject({ url, connectionId: null, atSource: before?.atSource });
});

test("a document that survives its container elsewhere still has its address", async () => {
  const source = await startSource();
  await fill(source, 2);
  const connected = await connectTo(source);
  const { core, actor } = connected;
  const [moved] = await documentsOf(connected);
  await core.updateDocument({ actor }, { id: moved?.id, containerTags: ["elsewhere"] });
  await core.deleteContainer({ actor }, { containerTag: TAG });
  await connected.settle();
  const { document } = await core.getDocument({ actor }, { id: moved?.id });
  expect(document).toMatchObject({ url: moved?.url, connectionId: null });
  expect(moved?.url).toMatch(/item-00000\d$/);
});

test("objects in a bucket of the same name at another store are distinct", async () => {
  const [one, other] = [await startS3("papers"), await startS3("papers")];
  cleanups.push(
    () => one.close(),
    () => other.close(),
  );
  one.put("a.txt", "The deed of the farm.");
  other.put("a.txt", "A stranger's deed.");
  const metadata = { ...S3_KEYS, bucket: "papers", endpoint: one.url };
  const connected = await connect({ provider: "s3", metadata });
  cleanups.push(() => connected.close());
  await remove(connected, connected.id, false);
  const id = await add(connected, "s3", { ...metadata, endpoint: other.url });
  expect((await documentsOf(connected)).map(({ content }) => content)).toEqual([
    "The deed of the farm.",
    "A stranger's deed.",
  ]);
  await remove(connected, id, true);
  await add(connected, "s3", metadata);
  expect((await documentsOf(connected)).map(({ content }) => content)).toEqual(["The deed of the farm."]);
});

test("only the same account takes over the documents kept from it", async () => {
  const source = await startSource();
  await source.put("Note", "Somebody plants a pear tree.");
  let account = "mia@example.com";
  const connector: Connector = { ...source.connector, check: () => Promise.resolve({ account }) };
  const connected = await connectTo(source, { connectors: [connector] });
  await remove(connected, connected.id, false);
  const [kept] = await documentsOf(connected);
  account = "ben@example.com";
  await remove(connected, await add(connected, "granola", { apiKey: "good" }), true);
  expect(await documentsOf(connected)).toEqual([kept]);
  account = "mia@example.com";
  const id = await add(connected, "granola", { apiKey: "good" });
  expect(await documentsOf(connected)).toMatchObject([{ id: kept?.id, connectionId: id }]);
  // It is no longer available for others to take over.
  const database = await openDatabase(join(connected.dataDirectory, STORE_FILE));
  expect(database.prepare("select * from left_items").all()).toEqual([]);
  database.close();
});

test("a document that an earlier version kept, without a known address, is not taken over", async () => {
  const connected = await connectFolder(await folder("The accounts of the farm."));
  const { path } = (await connected.core.findConnection({ actor: connected.actor }, { id: connected.id })).settings;
  await remove(connected, connected.id, false);
  const [kept] = await documentsOf(connected);
  const database = await openDatabase(join(connected.dataDirectory, STORE_FILE));
  database.exec("delete from left_items");
  database.close();
  const id = await add(connected, "folder", { path });
  const both = await documentsOf(connected);
  expect(both.map(({ connectionId }) => connectionId)).toEqual([null, id]);
  // Its address is no longer known, either.
  expect(both[0]).toEqual({ ...kept, url: both[0]?.url, atSource: null });
});
