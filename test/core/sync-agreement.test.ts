import { expect, test } from "vitest";
import { AppError } from "../../src/core/errors.js";
import type { Connector } from "../../src/core/ports.js";
import { ManualClock } from "../support/clock.js";
import { lastRun } from "../support/connection.js";
import { fill, useExampleSources } from "../support/example-connection.js";

/* What an owner's agreement to removals stands for, what comes in meanwhile, and how failures are counted. */

const { startSource, connectTo } = useExampleSources();
const HOUR_MS = 3_600_000;

test("an agreement to some removals does not cover those that a later run finds", async () => {
  const source = await startSource(false);
  const ids = await fill(source, 80);
  const clock = new ManualClock("2026-01-01T00:00:00Z");
  let isLimited = false;
  const { connector } = source;
  const limited: Connector = {
    ...connector,
    sync: { ...connector.sync, readsAtOnce: 20 },
    async *changes(access, checkpoint) {
      if (isLimited) throw new AppError("rate_limited", "Slower.", { retryAfter: HOUR_MS / 1_000 });
      yield* connector.changes(access, checkpoint);
    },
  };
  const connected = await connectTo(source, { connectors: [limited], clock });
  const { core, actor, id } = connected;
  for (const one of ids.slice(0, 55)) await source.remove(one);
  await connected.sync();
  expect(await core.findConnection({ actor }, { id })).toMatchObject({ state: "held", documentCount: 80 });
  isLimited = true;
  await core.syncOneConnection({ actor }, { id, confirmRemovals: true });
  await connected.settle();
  // The source asked for a pause, and lists nothing afterwards.
  isLimited = false;
  for (const one of ids.slice(55)) await source.remove(one);
  clock.advance(HOUR_MS + 1_000);
  await core.syncOneConnection({ actor }, { id });
  await connected.settle();
  expect(await core.findConnection({ actor }, { id })).toMatchObject({ state: "held", documentCount: 80 });
  await core.syncOneConnection({ actor }, { id, confirmRemovals: true });
  await connected.settle();
  expect(await core.findConnection({ actor }, { id })).toMatchObject({ state: "active", documentCount: 0 });
});

test("items waiting for room are imported while removals wait for an agreement", async () => {
  const source = await startSource();
  const ids = await fill(source, 12);
  const connected = await connectTo(source, { create: { documentLimit: 10 } });
  const { core, actor, id } = connected;
  for (const one of ids.slice(0, 9)) await source.remove(one);
  await connected.sync();
  expect(await core.findConnection({ actor }, { id })).toMatchObject({ state: "held", documentCount: 10 });
  await core.configureConnection({ actor }, { id, documentLimit: 100 });
  await connected.settle();
  expect(await core.findConnection({ actor }, { id })).toMatchObject({ state: "held", documentCount: 12 });
});

test("failures are counted once each over several turns, even if they are too many to list", async () => {
  const source = await startSource(false);
  await fill(source, 150);
  const clock = new ManualClock("2026-01-01T00:00:00Z");
  let isBroken = true;
  let pauseAt = "item-000149";
  const { connector } = source;
  const odd: Connector = {
    ...connector,
    sync: { ...connector.sync, readsAtOnce: 20 },
    read(access, item) {
      if (item.id === pauseAt) {
        pauseAt = "";
        throw new AppError("rate_limited", "Slower.", { retryAfter: 1 });
      }
      if (isBroken) throw new AppError("forbidden", "It is not open.");
      return connector.read(access, item);
    },
  };
  const connected = await connectTo(source, { connectors: [odd], clock });
  const ended = async () => {
    for (let turn = 0; turn < 20 && (await lastRun(connected, connected.id)).status === "running"; turn += 1) {
      clock.advance(2_000);
      await connected.settle();
    }
    return lastRun(connected, connected.id);
  };
  expect(await ended()).toMatchObject({ status: "partial", failed: 150, listed: 150 });
  isBroken = false;
  clock.advance(HOUR_MS);
  pauseAt = "item-000050";
  await connected.sync();
  expect(await ended()).toMatchObject({ status: "done", failed: 0, failures: [] });
}, 60_000);
