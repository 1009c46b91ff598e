import { afterEach, describe, expect, test } from "vitest";
import { ManualClock } from "../support/clock.js";
import { openManualCore, type ManualCore } from "../support/manual-core.js";

/** The morning of Tuesday, 24 November 2026 in Auckland; still Monday in UTC. */
const MORNING_IN_AUCKLAND = "2026-11-23T20:00:00.000Z";
/** The evening of Monday, 23 November 2026 in Los Angeles; Tuesday in UTC. */
const EVENING_IN_LOS_ANGELES = "2026-11-24T03:30:00.000Z";

let world: ManualCore;
afterEach(() => world.close());

async function open(timeZone: string, now: string): Promise<void> {
  world = await openManualCore({ timeZone, clock: new ManualClock(now) });
}

interface Told {
  readonly content: string;
  readonly containerTag?: string;
  readonly metadata?: Record<string, unknown>;
  readonly documentDate?: string;
}

/** The memories of a text, with the days they mention and their expiry. */
async function remember({ containerTag = "mia", ...document }: Told) {
  const receipt = await world.core.addDocument(world.call(), { ...document, containerTags: [containerTag] });
  await world.settle();
  const { memories } = await world.core.fetch(world.call(), { id: receipt.id });
  return memories.map(({ text, forgetAfter, metadata }) => ({
    text,
    forgetAfter,
    days: (metadata?.["temporalContext"] as { eventDate?: string[] } | undefined)?.eventDate,
  }));
}

describe("days in a text are those of its own time zone", () => {
  test.each([
    ["the server's zone", {}],
    ["a time in UTC", { documentDate: "2026-11-23T20:00:00Z" }],
    ["a time without an offset", { documentDate: "2026-11-24T09:00" }],
    ["an offset in its date", { documentDate: "2026-11-24T09:00:00+13:00" }],
    ["a date", { documentDate: "2026-11-24" }],
  ])("in the east, ahead of UTC: %s", async (_what, given) => {
    await open("Pacific/Auckland", MORNING_IN_AUCKLAND);
    expect(await remember({ content: "I started a new job at Fonterra today.", ...given })).toMatchObject([
      { text: "User started a new job at Fonterra on 24 November 2026", days: ["2026-11-24"] },
    ]);
  });

  test("in the west, behind UTC", async () => {
    await open("America/Los_Angeles", EVENING_IN_LOS_ANGELES);
    expect(await remember({ content: "I started a new job at Boeing today." })).toMatchObject([
      { text: "User started a new job at Boeing on 23 November 2026", days: ["2026-11-23"] },
    ]);
  });

  test("the zone of a document overrides that of its container, which overrides the server's", async () => {
    await open("UTC", MORNING_IN_AUCKLAND);
    await world.core.updateContainer(world.call(), { containerTag: "mia", timezone: "Pacific/Auckland" });
    const content = "I started a new job at Fonterra today.";
    expect(await remember({ content, containerTag: "ben" })).toMatchObject([{ days: ["2026-11-23"] }]);
    expect(await remember({ content, containerTag: "mia" })).toMatchObject([{ days: ["2026-11-24"] }]);
    const travelling = { content: "I visited the Space Needle today.", metadata: { timezone: "America/Los_Angeles" } };
    expect(await remember(travelling)).toMatchObject([{ days: ["2026-11-23"] }]);
    const odd = { content: "I visited the Sky Tower today.", metadata: { timezone: "Middle-earth" } };
    expect(await remember(odd)).toMatchObject([{ days: ["2026-11-24"] }]);
  });

  test("times in a conversation without an offset are local times", async () => {
    await open("Pacific/Auckland", MORNING_IN_AUCKLAND);
    const messages = [{ role: "user", content: "I saw a kiwi today.", timestamp: "2026-11-24T08:15:00" }];
    expect(await remember({ content: JSON.stringify(messages) })).toMatchObject([{ days: ["2026-11-24"] }]);
  });
});

test("a temporary fact expires at the end of the local day, also when clocks change", async () => {
  await open("Europe/Berlin", "2026-10-24T10:00:00.000Z");
  expect(await remember({ content: "I have a dentist appointment tomorrow." })).toMatchObject([
    { forgetAfter: "2026-10-25T22:59:59.999Z" },
  ]);
});

test("an expiry without an offset is a local time", async () => {
  await open("Pacific/Auckland", MORNING_IN_AUCKLAND);
  const call = world.call();
  const memory = (forgetAfter: string) => ({ content: `Mia parks in lot ${forgetAfter}.`, forgetAfter });
  const { memories } = await world.core.createMemories(call, {
    containerTag: "mia",
    memories: ["2026-11-25", "2026-11-25T08:00", "2026-11-25T08:00Z"].map(memory),
  });
  expect(memories.map(({ forgetAfter }) => forgetAfter)).toEqual([
    "2026-11-24T11:00:00.000Z",
    "2026-11-24T19:00:00.000Z",
    "2026-11-25T08:00:00.000Z",
  ]);
  const past = { containerTag: "mia", memories: [memory("2026-11-24T08:00")] };
  await expect(world.core.createMemories(call, past)).rejects.toThrow("must be in the future");
});

test("news of today replaces what is known, even if the day has not yet begun in UTC", async () => {
  await open("Pacific/Auckland", "2026-11-20T20:00:00.000Z");
  await remember({ content: "I work at Westpac." });
  world.clock.set(MORNING_IN_AUCKLAND);
  const receipt = await world.core.addDocument(world.call(), {
    content: "I started working at Fonterra today.",
    containerTags: ["mia"],
  });
  await world.settle();
  const { document } = await world.core.fetch(world.call(), { id: receipt.id });
  expect(document?.receipt).toMatchObject([{ outcome: "updated" }]);
});

test("yesterday in a query is the local yesterday", async () => {
  await open("Pacific/Auckland", "2026-11-22T05:00:00.000Z");
  await world.core.createMemories(world.call(), { containerTag: "mia", memories: [{ content: "Mia ate ramen." }] });
  world.clock.set("2026-11-23T05:00:00.000Z");
  await world.core.createMemories(world.call(), { containerTag: "mia", memories: [{ content: "Mia ate pizza." }] });
  // Pizza was stated on Monday evening local time; in UTC Monday is today, and ramen is from yesterday.
  world.clock.set(MORNING_IN_AUCKLAND);
  const ask = async (timezone: string | null) => {
    await world.core.updateContainer(world.call(), { containerTag: "mia", timezone });
    const asked = { q: "What did Mia eat yesterday?", containerTags: ["mia"], threshold: 0 };
    const { results, timeZone } = await world.core.search(world.call(), asked);
    return { timeZone, first: results[0]?.text };
  };
  expect(await ask("UTC")).toEqual({ timeZone: "UTC", first: "Mia ate ramen." });
  expect(await ask(null)).toEqual({ timeZone: "Pacific/Auckland", first: "Mia ate pizza." });
});

test("an unknown time zone is rejected", async () => {
  await open("UTC", MORNING_IN_AUCKLAND);
  const change = world.core.updateContainer(world.call(), { containerTag: "mia", timezone: "Mars/Olympus" });
  await expect(change).rejects.toThrow("timezone: must be a time zone such as Pacific/Auckland");
});
