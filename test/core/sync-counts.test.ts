import { expect, test } from "vitest";
import { AppError } from "../../src/core/errors.js";
import type { Connector } from "../../src/core/ports.js";
import { lastRun } from "../support/connection.js";
import { fill, useExampleSources } from "../support/example-connection.js";

const { startSource, connectTo } = useExampleSources();

test("a page that is gone through again after a pause is counted once", async () => {
  const source = await startSource();
  await fill(source, 5);
  let now = Date.parse("2026-01-01T00:00:00Z");
  let reads = 0;
  const { connector } = source;
  const throttled: Connector = {
    ...connector,
    sync: { ...connector.sync, readsAtOnce: 1 },
    read(access, item) {
      reads += 1;
      if (reads % 2 === 0) throw new AppError("rate_limited", "Three requests a second.", { retryAfter: 1 });
      return connector.read(access, item);
    },
  };
  const connected = await connectTo(source, { connectors: [throttled], clock: { now: () => new Date(now) } });
  for (let turn = 0; turn < 100 && (await lastRun(connected, connected.id)).status === "running"; turn += 1) {
    now += 2_000;
    await connected.settle();
  }
  expect(await lastRun(connected, connected.id)).toMatchObject({ status: "done", listed: 5, read: 5, unchanged: 0 });
});

test("a run that heals more than a hundred failures is done", async () => {
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
