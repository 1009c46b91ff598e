import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { syncDueConnections } from "../../src/core/connections/connection-jobs.js";
import type { Connector, SourceAccess, SourceChange } from "../../src/core/ports.js";
import { lastRun, ONLINE, TAG, textsOf } from "../support/connection.js";
import { fill, useExampleSources } from "../support/example-connection.js";
import { openManualCore } from "../support/manual-core.js";
import { openCore } from "../support/open-core.js";

const { cleanups, startSource, connectTo } = useExampleSources();

test("starts the first run automatically, and every document records its origin", async () => {
  const source = await startSource();
  await fill(source, 12);
  const connected = await connectTo(source);
  const run = await lastRun(connected, connected.id);
  expect(run).toMatchObject({ status: "done", trigger: "event", listed: 12, read: 12, failed: 0 });
  expect(Object.keys(await connected.texts())).toHaveLength(12);
  const { documents } = await connected.core.listConnectionDocuments(
    { actor: connected.actor },
    { provider: "granola" },
  );
  expect(documents).toHaveLength(12);
  expect(documents[0]).toMatchObject({
    source: "granola",
    origin: "connector",
    customId: expect.stringMatching(/^item-/),
  });
  const shown = await connected.core.findConnection({ actor: connected.actor }, { id: connected.id });
  expect(shown).toMatchObject({ account: "someone@example.com", state: "active", documentCount: 12 });
});

test("follows edits, renames and removals, and reads nothing unchanged twice", async () => {
  const source = await startSource();
  const [first = "", second = "", third = ""] = await fill(source, 7);
  const connected = await connectTo(source);
  await source.edit(first, "Person number 0 fells all trees.");
  await source.rename(second, "Renamed note");
  await source.remove(third);
  const run = await connected.sync();
  expect(run).toMatchObject({ status: "done", read: 1, unchanged: 1, removed: 1 });
  const found = await connected.texts();
  expect(found["Note 0"]).toContain("fells all trees");
  expect(found["Renamed note"]).toContain("plants 1 pear");
  expect(Object.keys(found)).toHaveLength(6);
  expect([...source.reads.values()].toSorted((one, other) => one - other)).toEqual([1, 1, 1, 1, 1, 1, 2]);
  const before = source.requests();
  expect(await connected.sync()).toMatchObject({ status: "done", listed: 0, read: 0 });
  expect(source.requests() - before).toBe(1);
});

test("replaces a listed version by a more exact one found when reading", async () => {
  const source = await startSource(false);
  await fill(source, 2);
  const { connector } = source;
  const known = async (access: SourceAccess, change: SourceChange): Promise<SourceChange> => {
    if (change.kind === "remove") return change;
    const version = (await access.known(change.item.id))?.version ?? "listed";
    return { ...change, item: { ...change.item, version } };
  };
  const exact: Connector = {
    ...connector,
    async *changes(access, checkpoint) {
      for await (const page of connector.changes(access, checkpoint))
        yield { ...page, items: await Promise.all(page.items.map((change) => known(access, change))) };
    },
    read: async (access, item) => ({ ...(await connector.read(access, item)), version: "exact" }),
  };
  const connected = await connectTo(source, { connectors: [exact] });
  expect(await connected.sync()).toMatchObject({ status: "done", read: 0, unchanged: 2 });
});

test("without a feed, removes what a complete listing no longer contains", async () => {
  const source = await startSource(false);
  const ids = await fill(source, 8);
  const connected = await connectTo(source);
  await source.remove(ids[3] ?? "");
  expect(await connected.sync()).toMatchObject({ status: "done", unchanged: 7, removed: 1, read: 0 });
  expect(Object.keys(await connected.texts())).toHaveLength(7);
});

test("an incomplete listing removes nothing", async () => {
  const source = await startSource(false);
  const ids = await fill(source, 12);
  const connected = await connectTo(source);
  await source.remove(ids[1] ?? "");
  // The first page arrives, the second does not.
  source.fail({ kind: "status", status: 200 }, 0);
  const { core, actor } = connected;
  source.fail({ kind: "status", status: 404 }, 1);
  await core.syncOneConnection({ actor }, { id: connected.id });
  await connected.settle();
  expect(await lastRun(connected, connected.id)).toMatchObject({ status: "failed", removed: 0 });
  expect(Object.keys(await connected.texts())).toHaveLength(12);
  expect(await connected.sync()).toMatchObject({ status: "done", removed: 1 });
});

test("an unreadable item fails without affecting the others, and is read once it can be", async () => {
  const source = await startSource();
  const [first = ""] = await fill(source, 3);
  source.forbidden.add(first);
  const connected = await connectTo(source);
  const run = await lastRun(connected, connected.id);
  expect(run).toMatchObject({ status: "partial", read: 2, failed: 1 });
  expect(run.failures).toMatchObject([
    { itemId: first, title: "Note 0", reason: expect.stringContaining("no access to") },
  ]);
  source.forbidden.clear();
  await source.edit(first, "Now it can be read.");
  expect(await connected.sync()).toMatchObject({ status: "done", read: 1, failed: 0 });
});

test("an expired checkpoint causes a full listing, which finds earlier removals", async () => {
  const source = await startSource();
  const ids = await fill(source, 6);
  const connected = await connectTo(source);
  await source.remove(ids[0] ?? "");
  source.fail({ kind: "expired" }, 1);
  const run = await connected.sync();
  expect(run).toMatchObject({ status: "done", removed: 1, read: 0, unchanged: 5, error: null });
  expect(run.notes).toEqual([expect.stringContaining("listed again")]);
  expect(await connected.sync()).toMatchObject({ status: "done" });
});

test("holds the removal of more than a fifth until the owner agrees", async () => {
  const source = await startSource();
  const ids = await fill(source, 60);
  const connected = await connectTo(source);
  for (const id of ids.slice(0, 55)) await source.remove(id);
  const run = await connected.sync();
  expect(run.status).toBe("partial");
  expect(run.notes[0]).toMatch(/confirm-removals/);
  const { core, actor, id } = connected;
  expect(await core.findConnection({ actor }, { id })).toMatchObject({
    state: "held",
    documentCount: expect.any(Number),
  });
  expect(Object.keys(await connected.texts())).toHaveLength(60);
  // Without confirmation, a run only checks whether the items are back.
  expect(await connected.sync()).toMatchObject({ status: "partial", removed: 0 });
  expect(await connected.sync({ confirmRemovals: true })).toMatchObject({ status: "done" });
  expect(Object.keys(await connected.texts())).toHaveLength(5);
});

test("a refused sign-in stops runs and keeps the documents until there is a new one", async () => {
  const source = await startSource();
  await fill(source, 2);
  const connected = await connectTo(source);
  source.fail({ kind: "status", status: 401 }, 1);
  expect(await connected.sync()).toMatchObject({ status: "failed", error: expect.stringContaining("sign-in") });
  const { core, actor, id } = connected;
  expect(await core.findConnection({ actor }, { id })).toMatchObject({
    state: "reconnect",
    nextSyncAt: expect.any(String),
  });
  const problem = expect.stringContaining("sign-in");
  const inTrouble = [{ id, provider: "granola", state: "reconnect", problem }];
  expect((await core.status({ actor })).connections).toEqual({ total: 1, inTrouble });
  const { checks } = await core.diagnose({ actor });
  expect(checks.find(({ name }) => name === "sources")).toMatchObject({
    ok: false,
    detail: expect.stringContaining(id),
  });
  expect(Object.keys(await connected.texts())).toHaveLength(2);
  await expect(core.reconnectConnection({ actor }, { id, metadata: { apiKey: "bad" } })).rejects.toThrow(/401/);
  await core.reconnectConnection({ actor }, { id, metadata: { apiKey: "good" } });
  await connected.settle();
  expect(await core.findConnection({ actor }, { id })).toMatchObject({ state: "active", problem: null });
  expect((await core.status({ actor })).connections).toEqual({ total: 1, inTrouble: [] });
});

test("rejects invalid credentials immediately, and stores nothing", async () => {
  const source = await startSource();
  await expect(connectTo(source, { create: { metadata: { apiKey: "bad" } } })).rejects.toThrow(/sign-in/);
  const opened = await openCore({ settings: ONLINE, connectors: [source.connector] });
  cleanups.push(() => opened.close());
  const call = { actor: opened.actor };
  const create = (metadata: unknown) => opened.core.createConnection(call, { provider: "granola", metadata });
  await expect(create({})).rejects.toMatchObject({ issues: [{ path: ["metadata", "apiKey"] }] });
  await expect(create({ apiKey: "good", folders: "x" })).rejects.toMatchObject({
    issues: [{ path: ["metadata", "folders"], message: expect.stringContaining("apiKey, folder, url") }],
  });
  await expect(create({ apiKey: "bad" })).rejects.toThrow(/sign-in/);
  expect((await opened.core.listConnections(call, {})).connections).toEqual([]);
});

test("imports no more documents than the limit, and the run reports that", async () => {
  const source = await startSource();
  await fill(source, 9);
  const connected = await connectTo(source, { create: { documentLimit: 4 } });
  const run = await lastRun(connected, connected.id);
  expect(run).toMatchObject({ status: "partial", read: 4, skipped: 5 });
  expect(run.notes).toEqual(["The limit of 4 documents is reached; further documents are not imported."]);
});

test.each([true, false])("imports what the limit excluded once there is room (with a feed: %s)", async (hasFeed) => {
  const source = await startSource(hasFeed);
  const ids = await fill(source, 12);
  const connected = await connectTo(source, { create: { documentLimit: 4 } });
  const { core, actor, id } = connected;
  const titles = async () => Object.keys(await connected.texts()).toSorted();
  expect(await titles()).toEqual(["Note 0", "Note 1", "Note 2", "Note 3"]);
  await source.remove(ids[1] ?? "");
  await source.edit(ids[4] ?? "", "It was changed while it waited.");
  await source.rename(ids[5] ?? "", "Renamed while it waited");
  await source.remove(ids[6] ?? "");
  const run = await connected.sync();
  expect(run).toMatchObject({ status: "partial", removed: 1, read: 1 });
  expect(run.notes).toEqual([expect.stringContaining("limit of 4 documents")]);
  // A feed reports the changed item first, which gets the free place; a listing goes by its own order.
  expect((await connected.texts())["Note 4"]).toBe("It was changed while it waited.");
  await core.configureConnection({ actor }, { id, documentLimit: 20 });
  await connected.settle();
  expect(await lastRun(connected, id)).toMatchObject({ status: "done", read: 6, failed: 0, notes: [] });
  expect(await titles()).toHaveLength(10);
  expect(await titles()).toContain("Renamed while it waited");
  expect([...source.reads.values()]).toEqual(Array.from({ length: 11 }, () => 1));
  expect(await core.findConnection({ actor }, { id })).toMatchObject({ documentCount: 10 });
  const before = source.reads.size;
  expect(await connected.sync()).toMatchObject({ status: "done", read: 0 });
  expect(source.reads.size).toBe(before);
});

test("removing items that only waited for room needs no agreement", async () => {
  const source = await startSource(false);
  const ids = await fill(source, 80);
  const connected = await connectTo(source, { create: { documentLimit: 10 } });
  for (const gone of ids.slice(20)) await source.remove(gone);
  expect(await connected.sync()).toMatchObject({ status: "partial", removed: 0, unchanged: 10, skipped: 10 });
  const { core, actor, id } = connected;
  expect(await core.findConnection({ actor }, { id })).toMatchObject({ state: "active", documentCount: 10 });
});

test("continues an interrupted run after a restart", async () => {
  const source = await startSource();
  await fill(source, 40);
  const dataDirectory = await mkdtemp(join(tmpdir(), "recollect-connections-"));
  cleanups.push(() => rm(dataDirectory, { recursive: true, force: true }));
  const connected = await connectTo(source, { dataDirectory });
  for (const id of source.entries.keys()) await source.edit(id, `Everything about ${id} is new.`);
  const { core, actor, id } = connected;
  await core.syncOneConnection({ actor }, { id });
  const readTwice = () => [...source.reads.values()].filter((times) => times > 1).length;
  await expect.poll(readTwice, { interval: 1, timeout: 20_000 }).toBeGreaterThan(6);
  await connected.close();
  expect(readTwice()).toBeLessThan(40);
  const again = await openCore({ settings: ONLINE, connectors: [source.connector], dataDirectory });
  cleanups.push(() => again.close());
  await again.settle();
  const { runs } = await again.core.listSyncRuns({ actor }, { id });
  expect(runs.map(({ status }) => status)).toEqual(["done", "done"]);
  // Only items being read when the process ended are read again.
  const atOnce = source.connector.sync.readsAtOnce;
  expect([...source.reads.values()].reduce((sum, times) => sum + times)).toBeLessThanOrEqual(80 + atOnce);
  const texts = Object.values(await textsOf(again));
  expect(texts).not.toEqual([]);
  for (const text of texts) expect(text).toContain("is new");
});

test("no file of the data folder contains the credentials", async () => {
  const source = await startSource();
  await fill(source, 2);
  const connected = await connectTo(source);
  const names = await readdir(connected.dataDirectory, { recursive: true, withFileTypes: true });
  const files = names.filter((one) => one.isFile());
  expect(files.map(({ name }) => name)).toContain("recollect.db");
  for (const entry of files) {
    const bytes = await readFile(join(entry.parentPath, entry.name));
    expect(bytes.includes('"apiKey":"good"'), entry.name).toBe(false);
  }
  const shown = JSON.stringify(await connected.core.findConnection({ actor: connected.actor }, { id: connected.id }));
  expect(shown).not.toContain("good");
});

test("a sign-in that is not finished within a day leaves no connection", async () => {
  const { connector } = await startSource();
  const signIn = {
    kind: "oauth",
    authorizeUrl: "https://source.example/authorize",
    tokenUrl: "https://source.example/token",
    scopes: [],
    parameters: {},
    clientAuthentication: "body",
    application: "github",
  } as const;
  const manual = await openManualCore({ connectors: [{ ...connector, signIn, fields: connector.fields.partial() }] });
  cleanups.push(() => manual.close());
  const { core, call, context, clock, store } = manual;
  await core.updateSettings(call(), { githubClientId: "client" });
  const { id } = await core.createConnection(call(), { provider: "granola", origin: "http://127.0.0.1:1" });
  const isThere = async () => (await store.connections.byId(store.organizationId, id)) !== null;
  clock.advance(23 * 3_600_000);
  await syncDueConnections(context);
  expect(await isThere()).toBe(true);
  clock.advance(2 * 3_600_000);
  await syncDueConnections(context);
  expect(await isThere()).toBe(false);
});

test("removes a connection with or without its documents", async () => {
  const source = await startSource();
  await fill(source, 4);
  const connected = await connectTo(source);
  const { core, actor, id } = connected;
  const other = await core.createConnection(
    { actor },
    { provider: "granola", containerTag: "kept", metadata: { apiKey: "good" } },
  );
  await connected.settle();
  await core.removeConnection({ actor }, { id: other.id, deleteDocuments: false });
  await core.removeConnection({ actor }, { id });
  await connected.settle();
  const counted = async (tag: string) => (await core.listDocuments({ actor }, { containerTags: [tag] })).total;
  expect(await counted(TAG)).toBe(0);
  expect(await counted("kept")).toBe(4);
  expect((await core.listConnections({ actor }, {})).connections).toEqual([]);
});

test("connecting the same source twice to a container creates two documents per item", async () => {
  const source = await startSource();
  await fill(source, 2);
  const connected = await connectTo(source);
  const { core, actor } = connected;
  await core.createConnection({ actor }, { provider: "granola", containerTag: TAG, metadata: { apiKey: "good" } });
  await connected.settle();
  expect((await core.listDocuments({ actor }, { containerTags: [TAG] })).total).toBe(4);
});

test("waits when a source limits requests, and then continues the run", async () => {
  const source = await startSource();
  await fill(source, 12);
  source.fail({ kind: "status", status: 429, retryAfter: 1 }, 0);
  const connected = await connectTo(source);
  await source.put("Late note", "It comes late.");
  source.fail({ kind: "status", status: 429, retryAfter: 1 }, 1);
  await connected.core.syncOneConnection({ actor: connected.actor }, { id: connected.id });
  await expect
    .poll(async () => (await connected.settle(), lastRun(connected, connected.id)), { timeout: 15_000 })
    .toMatchObject({ status: "done", read: 1 });
});
