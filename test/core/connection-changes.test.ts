import { expect, test } from "vitest";
import { syncDueConnections } from "../../src/core/connections/connection-jobs.js";
import type { ConnectionDraft } from "../../src/core/connections/ports.js";
import type { Connector, SourceItem } from "../../src/core/ports.js";
import { openManualCore } from "../support/manual-core.js";
import { type Connected, lastRun, TAG } from "../support/connection.js";
import { fill, useExampleSources } from "../support/example-connection.js";
import type { ExampleSource } from "../support/scripted-source.js";

const { cleanups, startSource, connectTo } = useExampleSources();

/** Does something once, while an item is being read. */
function whileReading({ connector }: ExampleSource, id: string, act: () => Promise<unknown>): Connector {
  let isDone = false;
  return {
    ...connector,
    async read(access, item) {
      if (item.id === id && !isDone) {
        isDone = true;
        await act();
      }
      return connector.read(access, item);
    },
  };
}

function titled({ connector }: ExampleSource, change: (item: SourceItem) => Partial<SourceItem>): Connector {
  return {
    ...connector,
    async *changes(access, checkpoint) {
      for await (const page of connector.changes(access, checkpoint)) {
        const items = page.items.map((one) =>
          one.kind === "upsert" ? { ...one, item: { ...one.item, ...change(one.item) } } : one,
        );
        yield { ...page, items };
      }
    },
  };
}

const shown = ({ core, actor, id }: Connected) => core.findConnection({ actor }, { id });
const titles = async (connected: Connected) => Object.keys(await connected.texts()).toSorted();

test("does not import an item that is read while the owner pauses the connection", async () => {
  const source = await startSource();
  const connected: { now?: Connected } = {};
  const pause = async () => {
    const { core, actor, id } = connected.now ?? {};
    await core?.configureConnection({ actor: actor! }, { id, isPaused: true });
  };
  connected.now = await connectTo(source, { connectors: [whileReading(source, "item-000002", pause)] });
  await fill(source, 4);
  const run = await connected.now.sync();
  expect(run).toMatchObject({ status: "partial", notes: ["The connection was paused while the run was in progress."] });
  expect(await titles(connected.now)).not.toContain("Note 1");
  expect(await shown(connected.now)).toMatchObject({ state: "paused" });
  await connected.now.core.configureConnection(
    { actor: connected.now.actor },
    { id: connected.now.id, isPaused: false },
  );
  await connected.now.settle();
  expect(await titles(connected.now)).toEqual(["Note 0", "Note 1", "Note 2", "Note 3"]);
});

test("does not touch a caller's own document that has the id of an item as its customId", async () => {
  const source = await startSource();
  const connected = await connectTo(source);
  const { core, actor } = connected;
  const mine = { content: "My own note.", containerTags: [TAG], customId: "item-000001", metadata: { title: "Mine" } };
  const { id } = await core.addDocument({ actor }, mine);
  await source.put("Theirs", "A note at the source.");
  expect(await connected.sync()).toMatchObject({ status: "done", read: 1 });
  const { documents } = await core.listDocuments({ actor }, { containerTags: [TAG], includeContent: true, limit: 9 });
  expect(documents).toHaveLength(2);
  expect(documents.find((document) => document.id === id)).toMatchObject({ content: "My own note." });
  await source.remove("item-000001");
  await connected.sync();
  expect((await core.listDocuments({ actor }, { containerTags: [TAG] })).documents).toMatchObject([{ id }]);
});

test("imports an item despite invisible characters in its title and an invalid date", async () => {
  const source = await startSource();
  await source.put("Forty\u0000 pear\u0007\ntrees", "They stand behind the house.");
  const { connector } = source;
  const undated: Connector = {
    ...connector,
    read: async (access, item) => ({ ...(await connector.read(access, item)), changedAt: "the other day" }),
  };
  const connected = await connectTo(source, { connectors: [undated] });
  expect(await lastRun(connected, connected.id)).toMatchObject({ status: "done", failed: 0 });
  expect(await titles(connected)).toEqual(["Forty pear trees"]);
});

test("an item that cannot be renamed fails without affecting the others", async () => {
  const source = await startSource();
  const ids = await fill(source, 3);
  let suffix: string | null = null;
  const odd = titled(source, ({ id }) => (id === ids[0] && suffix !== null ? { containerTag: suffix } : {}));
  const connected = await connectTo(source, { connectors: [odd] });
  suffix = "a container whose name nobody may have \u0000";
  await source.rename(ids[0] ?? "", "Renamed");
  await source.edit(ids[1] ?? "", "Person number 1 has sold the orchard.");
  const run = await connected.sync();
  expect(run).toMatchObject({ status: "partial", failed: 1, read: 1 });
  expect(run.failures).toMatchObject([{ itemId: ids[0] }]);
});

test.each([
  ["a few of many", 60, 4, false],
  ["more than fifty and more than a fifth", 60, 55, true],
  ["all", 6, 6, true],
  ["all but one", 6, 5, true],
  ["all of very few", 3, 3, false],
] as const)("counts the removals of all pages together: %s", async (_name, all, gone, isHeld) => {
  const source = await startSource();
  const ids = await fill(source, all);
  const connected = await connectTo(source);
  for (const id of ids.slice(0, gone)) await source.remove(id);
  const run = await connected.sync();
  expect(run).toMatchObject({ removed: isHeld ? 0 : gone, status: isHeld ? "partial" : "done" });
  expect(await titles(connected)).toHaveLength(isHeld ? all : all - gone);
  expect(await shown(connected)).toMatchObject({ state: isHeld ? "held" : "active" });
});

test("asks before it removes documents whose texts all become empty together", async () => {
  const source = await startSource();
  const ids = await fill(source, 8);
  const connected = await connectTo(source);
  for (const id of ids) await source.edit(id, " \n");
  await connected.sync();
  expect(await shown(connected)).toMatchObject({ state: "held" });
  expect(await titles(connected)).toHaveLength(8);
});

test("keeps the documents of items that reappear at the source, and no longer asks", async () => {
  const source = await startSource(false);
  const ids = await fill(source, 8);
  let isHidden = false;
  const { connector } = source;
  const blinking: Connector = {
    ...connector,
    async *changes(access, checkpoint) {
      for await (const page of connector.changes(access, checkpoint)) yield isHidden ? { ...page, items: [] } : page;
    },
  };
  const connected = await connectTo(source, { connectors: [blinking] });
  isHidden = true;
  await connected.sync();
  expect(await shown(connected)).toMatchObject({ state: "held", documentCount: 8 });
  isHidden = false;
  expect(await connected.sync()).toMatchObject({ status: "done", unchanged: 8, removed: 0 });
  expect(await shown(connected)).toMatchObject({ state: "active", documentCount: 8 });
  expect((await shown(connected)).problem).toBeNull();
  expect([...source.reads.values()]).toEqual(ids.map(() => 1));
});

test("checks held removals again on its own, and keeps syncing everything else", async () => {
  const source = await startSource();
  const ids = await fill(source, 20);
  const connected = await connectTo(source);
  for (const id of ids.slice(0, 19)) await source.remove(id);
  await connected.sync();
  const { nextSyncAt } = await shown(connected);
  expect(nextSyncAt).not.toBeNull();
  await source.put("New note", "It came while the owner was to agree.");
  await connected.sync();
  expect(await titles(connected)).toContain("New note");
  expect(await shown(connected)).toMatchObject({ state: "held" });
});

test("does not count documents that were deleted here", async () => {
  const source = await startSource();
  await fill(source, 3);
  const connected = await connectTo(source);
  const { core, actor } = connected;
  const { documents } = await core.listDocuments({ actor }, { containerTags: [TAG] });
  await core.deleteDocument({ actor }, { id: documents[0]?.id });
  expect(await shown(connected)).toMatchObject({ documentCount: 2 });
});

test("an unreadable file makes a run partial, with the reason", async () => {
  const source = await startSource();
  const { connector } = source;
  await source.put("Broken", "%PDF-1.7 and nothing of one");
  await source.put("Whole", "Person number 2 plants pear trees.");
  const files: Connector = {
    ...connector,
    async read(access, item) {
      const read = await connector.read(access, item);
      if (item.title !== "Broken") return read;
      return {
        ...read,
        content: Buffer.from(String(read.content)),
        mimeType: "application/pdf",
        fileName: "broken.pdf",
      };
    },
  };
  const connected = await connectTo(source, { connectors: [files] });
  const run = await lastRun(connected, connected.id);
  expect(run).toMatchObject({ status: "partial", failed: 1 });
  expect(run.failures).toMatchObject([{ title: "Broken", documentId: expect.any(String) }]);
});

test("reports an outage of the source as an error code", async () => {
  const source = await startSource();
  await fill(source, 2);
  const connected = await connectTo(source);
  source.fail({ kind: "status", status: 404 }, 1);
  expect(await connected.sync()).toMatchObject({ status: "failed", errorCode: "provider_unavailable" });
  source.fail({ kind: "status", status: 401 }, 1);
  expect(await connected.sync()).toMatchObject({ status: "failed", errorCode: "auth_expired" });
});

test("reports that the source limits its requests", async () => {
  const source = await startSource();
  await fill(source, 2);
  const connected = await connectTo(source);
  source.fail({ kind: "status", status: 429, retryAfter: 3_600 }, 1);
  await connected.sync();
  expect((await shown(connected)).problem).toMatch(/requests|later|again/);
});

test("still syncs a connection after the clock was ahead", async () => {
  const manual = await openManualCore();
  cleanups.push(() => manual.close());
  const { clock, context, store } = manual;
  const inDays = (days: number) => new Date(clock.now().getTime() + days * 24 * 3_600_000).toISOString();
  const draft = (id: string, nextSyncAt: string): ConnectionDraft => ({
    id,
    organizationId: store.organizationId,
    provider: "granola",
    containerTags: [TAG],
    endUserId: null,
    documentLimit: 9,
    settings: {},
    resources: [],
    account: null,
    state: "active",
    problem: null,
    listing: 0,
    everyMinutes: 240,
    nextSyncAt,
    lastSyncedAt: null,
    webhooks: null,
  });
  await store.connections.insert(draft("far", inDays(400)), null);
  await store.connections.insert(draft("near", inDays(0.1)), null);
  await syncDueConnections(context);
  expect(await store.jobs.waiting("sync-connection", "connection:far")).toHaveLength(1);
  expect(await store.jobs.waiting("sync-connection", "connection:near")).toHaveLength(0);
});

test("removes a missing item only after as many runs as the connector requires", async () => {
  const source = await startSource(false);
  const ids = await fill(source, 12);
  const patient: Connector = { ...source.connector, sync: { ...source.connector.sync, absences: 2 } };
  const connected = await connectTo(source, { connectors: [patient] });
  await source.remove(ids[2] ?? "");
  expect(await connected.sync()).toMatchObject({ removed: 0 });
  expect(await titles(connected)).toHaveLength(12);
  expect(await connected.sync()).toMatchObject({ removed: 1 });
  expect(await titles(connected)).toHaveLength(11);
});
