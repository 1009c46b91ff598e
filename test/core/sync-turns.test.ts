import { expect, test } from "vitest";
import { AppError } from "../../src/core/errors.js";
import type { Connector } from "../../src/core/ports.js";
import { lastRun } from "../support/connection.js";
import { fill, useExampleSources } from "../support/example-connection.js";
import type { ExampleSource } from "../support/scripted-source.js";

const { startSource, connectTo } = useExampleSources();

/** A source that asks for a pause of a second on every nth read, and the number of reads. */
function throttled({ connector }: ExampleSource, every: number) {
  const reads = { count: 0 };
  const asking: Connector = {
    ...connector,
    sync: { ...connector.sync, readsAtOnce: 1 },
    read(access, item) {
      reads.count += 1;
      if (reads.count % every === 0) throw new AppError("rate_limited", "Three requests a second.", { retryAfter: 1 });
      return connector.read(access, item);
    },
  };
  return { connector: asking, reads };
}

test("a page that is read again after a pause is counted once", async () => {
  const source = await startSource();
  await fill(source, 5);
  let now = Date.parse("2026-01-01T00:00:00Z");
  const { connector } = throttled(source, 2);
  const connected = await connectTo(source, { connectors: [connector], clock: { now: () => new Date(now) } });
  for (let turn = 0; turn < 100 && (await lastRun(connected, connected.id)).status === "running"; turn += 1) {
    now += 2_000;
    await connected.settle();
  }
  expect(await lastRun(connected, connected.id)).toMatchObject({ status: "done", listed: 5, read: 5, unchanged: 0 });
});

test("a run that resolves more than a hundred failures is done", async () => {
  const source = await startSource(false);
  await fill(source, 105);
  let now = Date.parse("2026-01-01T00:00:00Z");
  let isBroken = true;
  const { connector } = source;
  const odd: Connector = {
    ...connector,
    sync: { ...connector.sync, readsAtOnce: 20 },
    read(access, item) {
      if (isBroken) throw new AppError("forbidden", "It is not open.");
      return connector.read(access, item);
    },
  };
  const clock = { now: () => new Date(now) };
  const connected = await connectTo(source, { connectors: [odd], clock });
  expect(await lastRun(connected, connected.id)).toMatchObject({ status: "partial", failed: 105 });
  isBroken = false;
  now += 60 * 60_000;
  const run = await connected.sync();
  expect(Object.keys(await connected.texts())).toHaveLength(105);
  expect(run).toMatchObject({ read: 105, failed: 0, status: "done" });
});

test("pauses of a second, as Notion requests them, last about a second", async () => {
  const source = await startSource();
  await fill(source, 60);
  let now = Date.parse("2026-01-01T00:00:00Z");
  const begun = now;
  const { connector, reads } = throttled(source, 3);
  const connected = await connectTo(source, { connectors: [connector], clock: { now: () => new Date(now) } });
  let since = now;
  let before = reads.count;
  while ((await lastRun(connected, connected.id)).status === "running" && now - begun < 12 * 3_600_000) {
    now += now - since < 5_000 ? 500 : 30_000;
    await connected.settle();
    if (reads.count === before) continue;
    since = now;
    before = reads.count;
  }
  expect((now - begun) / 1_000).toBeLessThan(10 * 60);
}, 120_000);
