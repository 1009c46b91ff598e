import { afterEach, expect, test, vi } from "vitest";
import type { Connector } from "../../src/core/ports.js";
import { ONLINE, TAG } from "../support/connection.js";
import { useExampleSources } from "../support/example-connection.js";
import { openCore } from "../support/open-core.js";

const { cleanups, startSource } = useExampleSources();
afterEach(() => {
  vi.useRealTimers();
});

/** A service with `connector` as its only connector. */
async function open(connector: Connector) {
  const opened = await openCore({ connectors: [connector], settings: ONLINE });
  cleanups.push(() => opened.close());
  const { core, actor } = opened;
  const settings = { provider: "granola", containerTag: TAG, metadata: { apiKey: "good" } };
  return { create: () => core.createConnection({ actor }, settings), core, actor };
}

/** A request to a source that is never answered, and when it was sent. */
function silence() {
  let asked = (): void => {};
  const isAsked = new Promise<void>((resolve) => (asked = resolve));
  const answer = (): Promise<never> => {
    asked();
    return new Promise(() => {});
  };
  return { isAsked, answer };
}

/** Lets the minute pass that a source is waited for. */
async function passMinute(isAsked: Promise<void>): Promise<void> {
  await isAsked;
  await vi.advanceTimersByTimeAsync(60_000);
}

const TOLD = { kind: "unavailable", message: expect.stringMatching(/did not answer within 60 seconds/) };

test("reports after a minute that the source does not respond to a sign-in", async () => {
  const { connector } = await startSource();
  const { isAsked, answer } = silence();
  const { create } = await open({ ...connector, check: answer });
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const refused = expect(create()).rejects.toMatchObject(TOLD);
  await passMinute(isAsked);
  await refused;
});

test("reports after a minute that the source does not list its resources", async () => {
  const { connector } = await startSource();
  const { isAsked, answer } = silence();
  const { create, core, actor } = await open({ ...connector, listResources: answer });
  const { id } = await create();
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const refused = expect(core.listConnectionResources({ actor }, { id })).rejects.toMatchObject(TOLD);
  await passMinute(isAsked);
  await refused;
});
