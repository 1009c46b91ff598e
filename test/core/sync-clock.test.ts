import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { AppError } from "../../src/core/errors.js";
import type { Connector } from "../../src/core/ports.js";
import { ManualClock } from "../support/clock.js";
import { ONLINE, TAG, textsOf } from "../support/connection.js";
import { fill, useExampleSources } from "../support/example-connection.js";
import { openCore } from "../support/open-core.js";

/* A clock that was a year ahead, and was put right. */

const { startSource, connectTo, cleanups } = useExampleSources();
const YEAR_MS = 365 * 86_400_000;
const HOUR_MS = 3_600_000;

/** The source's connector, which asks for fewer requests while `isLimited` is true. */
function limited(connector: Connector, isLimited: () => boolean, retryAfter = 1): Connector {
  return {
    ...connector,
    sync: { ...connector.sync, readsAtOnce: 1 },
    async *changes(access, checkpoint) {
      if (isLimited()) throw new AppError("rate_limited", "Slower.", { retryAfter });
      yield* connector.changes(access, checkpoint);
    },
  };
}

test("a run over several turns is one run and ends, even if the clock was set back", async () => {
  const source = await startSource();
  await fill(source, 2);
  const clock = new ManualClock("2027-01-01T00:00:00Z");
  let limits = 0;
  const connectors = [limited(source.connector, () => limits-- > 0)];
  const connected = await connectTo(source, { connectors, clock });
  const { core, actor, id } = connected;
  clock.advance(-YEAR_MS);
  limits = 3;
  for (let turn = 0; turn < 6; turn += 1) {
    await core.syncOneConnection({ actor }, { id });
    await connected.settle();
    clock.advance(5_000);
  }
  const { runs } = await core.listSyncRuns({ actor }, { id });
  expect(runs.map(({ status }) => status)).not.toContain("running");
  expect((await core.findConnection({ actor }, { id })).lastRun?.startedAt).toMatch(/^2026-01/);
});

test("a pause requested while the clock was ahead does not last a year", async () => {
  const source = await startSource();
  await fill(source, 1);
  const dataDirectory = await mkdtemp(join(tmpdir(), "recollect-clock-"));
  cleanups.push(() => rm(dataDirectory, { recursive: true }));
  let isLimited = false;
  const connectors = [limited(source.connector, () => isLimited, 60)];
  const start = new Date("2026-01-01T00:00:00Z").getTime();
  const ahead = new ManualClock(new Date(start).toISOString());
  const first = await openCore({ dataDirectory, settings: ONLINE, connectors, clock: ahead });
  const made = { provider: "granola", containerTag: TAG, metadata: { apiKey: "good" } };
  const { id } = await first.core.createConnection({ actor: first.actor }, made);
  await first.settle();
  ahead.advance(YEAR_MS);
  isLimited = true;
  await first.core.syncOneConnection({ actor: first.actor }, { id });
  await first.settle();
  await first.close();
  isLimited = false;
  await source.put("New", "A walnut tree stands there.");
  const right = new ManualClock(new Date(start + HOUR_MS).toISOString());
  const second = await openCore({ dataDirectory, settings: ONLINE, connectors, clock: right });
  cleanups.push(() => second.close());
  await expect
    .poll(async () => (await second.settle(), Object.keys(await textsOf(second))), { timeout: 20_000 })
    .toContain("New");
});

test("an item that failed while the clock was ahead is read again within a day", async () => {
  const source = await startSource();
  const clock = new ManualClock("2026-01-01T00:00:00Z");
  const connected = await connectTo(source, { clock });
  clock.advance(YEAR_MS);
  const one = await source.put("New", "A walnut tree stands there.");
  source.forbidden.add(one);
  expect(await connected.sync()).toMatchObject({ failed: 1 });
  clock.advance(HOUR_MS - YEAR_MS);
  source.forbidden.clear();
  expect(await connected.sync()).toMatchObject({ read: 1 });
  expect(Object.keys(await connected.texts())).toContain("New");
});

test("a source that asks for a pause of a day is called again after an hour", async () => {
  const source = await startSource();
  const clock = new ManualClock("2026-01-01T00:00:00Z");
  let isLimited = false;
  const connectors = [limited(source.connector, () => isLimited, 86_400)];
  const connected = await connectTo(source, { connectors, clock });
  isLimited = true;
  await connected.core.syncOneConnection({ actor: connected.actor }, { id: connected.id });
  await connected.settle();
  isLimited = false;
  await source.put("New", "A walnut tree stands there.");
  clock.advance(HOUR_MS + 1_000);
  await expect
    .poll(async () => (await connected.settle(), Object.keys(await connected.texts())), { timeout: 20_000 })
    .toContain("New");
});
