import { expect, test } from "vitest";
import { ItemSkipped } from "../../src/core/connections/connector-errors.js";
import { AppError } from "../../src/core/errors.js";
import type { Connector } from "../../src/core/ports.js";
import { ManualClock } from "../support/clock.js";
import { lastRun } from "../support/connection.js";
import { fill, useExampleSources } from "../support/example-connection.js";
import { openManualCore } from "../support/manual-core.js";
import { syncDueConnections } from "../../src/core/connections/connection-jobs.js";

/* What a run says of itself, and of the connection, and what goes on again by itself. */

const { startSource, connectTo } = useExampleSources();
const HOUR_MS = 3_600_000;

test("a skipped item is reported with its reason, read once, and leaves the run complete", async () => {
  const source = await startSource();
  await fill(source, 2);
  await source.put("No", "skip me");
  const film = await source.put("Film", "It flickers.");
  const { connector } = source;
  let tries = 0;
  const own: Connector = {
    ...connector,
    async read(access, item) {
      const content = await connector.read(access, item);
      if (item.id !== film) return content;
      tries += 1;
      return { ...content, content: Buffer.from([0, 1, 2, 3]), mimeType: "application/x-film", fileName: "a.film" };
    },
  };
  const clock = new ManualClock("2026-01-01T00:00:00Z");
  const connected = await connectTo(source, { connectors: [own], clock });
  const run = await lastRun(connected, connected.id);
  expect(run).toMatchObject({ status: "done", read: 2, skipped: 2, failed: 0 });
  expect(run.failures).toMatchObject([
    { title: "No", reason: "It asks not to be read.", isSkipped: true },
    { title: "Film", reason: expect.stringContaining("is not a text file"), isSkipped: true },
  ]);
  for (let days = 0; days < 3; days += 1) {
    clock.advance(24 * HOUR_MS);
    expect(await connected.sync()).toMatchObject({ status: "done", failed: 0 });
  }
  expect(tries).toBe(1);
});

test("a run is partial as long as something could not be imported, even if the feed no longer lists it", async () => {
  const source = await startSource();
  const ids = await fill(source, 3);
  source.forbidden.add(ids[1] ?? "");
  const clock = new ManualClock("2026-01-01T00:00:00Z");
  const connected = await connectTo(source, { clock });
  for (let runs = 0; runs < 3; runs += 1) {
    expect(await connected.sync()).toMatchObject({ status: "partial", failed: 1, failures: [{ itemId: ids[1] }] });
    clock.advance(60_000);
  }
  source.forbidden.clear();
  clock.advance(24 * HOUR_MS);
  expect(await connected.sync()).toMatchObject({ status: "done", failed: 0, read: 1 });
});

test("a rejected key is tried again on request, and every six hours", async () => {
  const source = await startSource();
  await fill(source, 1);
  const clock = new ManualClock("2026-01-01T00:00:00Z");
  const connected = await connectTo(source, { clock });
  const { core, actor, id } = connected;
  source.fail({ kind: "status", status: 401 }, 1);
  expect(await connected.sync()).toMatchObject({ status: "failed" });
  const refused = await core.findConnection({ actor }, { id });
  expect(refused).toMatchObject({ state: "reconnect" });
  expect(Date.parse(refused.nextSyncAt ?? "") - clock.now().getTime()).toBe(6 * HOUR_MS);
  expect(await connected.sync()).toMatchObject({ status: "done" });
  expect(await core.findConnection({ actor }, { id })).toMatchObject({ state: "active", problem: null });
});

test("an interrupted run is continued as long as it makes progress", async () => {
  const source = await startSource(false);
  await fill(source, 30);
  const clock = new ManualClock("2026-01-01T00:00:00Z");
  const { connector } = source;
  let reads = 0;
  const broken: Connector = {
    ...connector,
    async *changes(access, checkpoint) {
      if (reads > 0 && reads % 6 === 0) {
        reads += 1;
        throw new AppError("unavailable", "The connection was cut.");
      }
      yield* connector.changes(access, checkpoint);
    },
    read(access, item) {
      reads += 1;
      if (reads % 6 === 0) throw new AppError("unavailable", "The connection was cut.");
      return connector.read(access, item);
    },
  };
  const connected = await connectTo(source, {
    connectors: [{ ...broken, sync: { ...connector.sync, readsAtOnce: 1 } }],
    clock,
  });
  for (let turn = 0; turn < 60 && (await lastRun(connected, connected.id)).status === "running"; turn += 1) {
    clock.advance(60_000);
    await connected.settle();
  }
  expect(await lastRun(connected, connected.id)).not.toMatchObject({ status: "failed" });
  expect(Object.keys(await connected.texts()).length).toBeGreaterThanOrEqual(25);
});

test("a failed run keeps the question about removals", async () => {
  const source = await startSource();
  const ids = await fill(source, 8);
  const clock = new ManualClock("2026-01-01T00:00:00Z");
  let isBroken = false;
  const { connector } = source;
  const own: Connector = {
    ...connector,
    async *changes(access, checkpoint) {
      if (isBroken) throw new AppError("invalid", "The source refuses the search.");
      yield* connector.changes(access, checkpoint);
    },
  };
  const connected = await connectTo(source, { connectors: [own], clock });
  for (const one of ids) await source.remove(one);
  await connected.sync();
  const question = expect.stringContaining("--confirm-removals");
  expect(await connected.core.findConnection({ actor: connected.actor }, { id: connected.id })).toMatchObject({
    state: "held",
    problem: question,
  });
  isBroken = true;
  expect(await connected.sync()).toMatchObject({ status: "failed", error: "The source refuses the search." });
  expect(await connected.core.findConnection({ actor: connected.actor }, { id: connected.id })).toMatchObject({
    state: "held",
    problem: question,
  });
});

test("odd names and ids affect only their own item", async () => {
  const source = await startSource();
  await fill(source, 1);
  const { connector } = source;
  const odd: Connector = {
    ...connector,
    async *changes(access, checkpoint) {
      for await (const page of connector.changes(access, checkpoint)) {
        const [first] = page.items;
        if (first?.kind !== "upsert") return;
        const named = (id: string, title: string | null) => ({ ...first, item: { ...first.item, id, title } });
        const items = [named("nul\0one", "One"), named("half", "Half an emoji \ud83d"), named("bell\u0007", null)];
        yield { ...page, items: [...page.items, ...items] };
      }
    },
    async read(access, item) {
      if (item.id.startsWith("item-")) return connector.read(access, item);
      if (item.id === "half") throw new ItemSkipped("Not this one.");
      const content = { content: "Somebody rings.", mimeType: "text/plain", fileName: null, type: null };
      return { ...content, title: item.title, changedAt: null, metadata: {} };
    },
  };
  const connected = await connectTo(source, { connectors: [odd] });
  const run = await lastRun(connected, connected.id);
  expect(run).toMatchObject({ failed: 0, read: 2, skipped: 1 });
  expect(run.notes.join(" ")).toContain("NUL");
});

test("a removal of a connection that was given up is resumed", async () => {
  const opened = await openManualCore();
  try {
    const { context, store } = opened;
    const gone = { id: "gone", organizationId: store.organizationId, provider: "granola", containerTags: ["a"] };
    const rest = { endUserId: null, documentLimit: 9, settings: {}, resources: [], account: null, problem: null };
    const times = { listing: 0, everyMinutes: null, nextSyncAt: null, lastSyncedAt: null, webhooks: null };
    await store.connections.insert({ ...gone, ...rest, ...times, state: "removing" }, null);
    await store.jobs.enqueue([
      { kind: "remove-connection", payload: { connectionId: "gone" }, group: "connection:gone", key: "r:gone" },
    ]);
    const [job] = await store.jobs.claim("one", 1, 1_000, { only: ["remove-connection"] });
    await store.jobs.bury("one", job?.id ?? 0, "The process ended too often.");
    await syncDueConnections(context);
    expect(await store.jobs.dead(10)).toEqual([]);
    expect(await store.jobs.countOf("remove-connection")).toBe(1);
  } finally {
    await opened.close();
  }
});
