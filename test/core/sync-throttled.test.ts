import { expect, test } from "vitest";
import { AppError } from "../../src/core/errors.js";
import type { Connector } from "../../src/core/ports.js";
import { lastRun } from "../support/connection.js";
import { fill, useExampleSources } from "../support/example-connection.js";

const { startSource, connectTo } = useExampleSources();

test("a source that asks for a second now and then, as Notion does, is waited for by the second", async () => {
  const source = await startSource();
  await fill(source, 60);
  let now = Date.parse("2026-01-01T00:00:00Z");
  const begun = now;
  let reads = 0;
  const { connector } = source;
  const throttled: Connector = {
    ...connector,
    sync: { ...connector.sync, readsAtOnce: 1 },
    read(access, item) {
      reads += 1;
      if (reads % 3 === 0) throw new AppError("rate_limited", "Three requests a second.", { retryAfter: 1 });
      return connector.read(access, item);
    },
  };
  const clock = { now: () => new Date(now) };
  const connected = await connectTo(source, { connectors: [throttled], clock });
  const pauses: number[] = [];
  let since = now;
  let before = reads;
  while ((await lastRun(connected, connected.id)).status === "running" && now - begun < 12 * 3_600_000) {
    now += now - since < 5_000 ? 500 : 30_000;
    await connected.settle();
    if (reads === before) continue;
    pauses.push((now - since) / 1_000);
    since = now;
    before = reads;
  }
  expect((now - begun) / 1_000).toBeLessThan(10 * 60);
}, 120_000);
