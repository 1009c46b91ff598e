import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Core } from "../../src/core/index.js";
import type { JobContext } from "../../src/core/ports.js";
import { rememberDocument } from "../../src/ingest/remember.js";
import { type ManualCore, openManualCore } from "../support/manual-core.js";

let opened: ManualCore;
let core: Core;
beforeEach(async () => {
  opened = await openManualCore();
  core = opened.core;
});
afterEach(() => opened.close());

const DAY = 86_400_000;
const call = () => opened.call();

/** Adds a document a day after the last one and waits for its memories. */
async function tell(content: string, more: Record<string, unknown> = {}) {
  opened.clock.advance(DAY);
  const { id } = await core.addDocument(call(), { content, containerTags: ["a"], dreaming: "instant", ...more });
  await opened.settle();
  const { document } = await core.getDocument(call(), { id });
  expect(document.dreamingStatus).toBe("done");
  return document.receipt ?? [];
}

/** A job whose completion alone matters here. */
const JOB: JobContext = {
  job: {
    id: 1,
    kind: "remember",
    payload: {},
    group: "a",
    exclusive: true,
    attempt: 1,
    maxAttempts: 1,
    crashes: 0,
    runAt: new Date("2024-05-06T00:00:00Z"),
  },
  signal: new AbortController().signal,
  finish: () => Promise.resolve(),
  follow: () => Promise.resolve(),
};

/** Adds stated facts. */
const state = (...texts: readonly string[]) => tell(texts.join(" "), { facts: texts.map((text) => ({ text })) });

async function entries(containerTag = "a") {
  return (await core.listMemories(call(), { containerTags: [containerTag], limit: 100 })).entries;
}

/** The current texts. */
async function known(containerTag = "a"): Promise<string[]> {
  return (await entries(containerTag)).map(({ memory }) => memory.text).sort();
}

async function found(q: string): Promise<string[]> {
  const { results } = await core.search(call(), { q, containerTags: ["a"], searchMode: "memories", threshold: 0 });
  return results.map(({ text }) => text).sort();
}

async function profile(): Promise<string[]> {
  const { static: lasting, dynamic } = await core.profile(call(), { containerTag: "a" });
  return [...(lasting ?? []), ...(dynamic ?? [])].map(({ text }) => text).sort();
}

describe("an update", () => {
  test("replaces the old memory in search, list and profile; the old one stays in its history", async () => {
    const [old] = await tell("I live in Lyon.");
    const [moved] = await tell("I moved to Oslo last week.");
    expect(moved).toMatchObject({ outcome: "updated", replaced: old?.id });
    const [entry, ...more] = await entries();
    expect(more).toEqual([]);
    expect(entry).toMatchObject({
      memory: { id: moved?.id, version: 2, parentId: old?.id, rootId: old?.id, isLatest: true },
      history: [{ id: old?.id, text: "User lives in Lyon", version: 1, isLatest: false }],
      relations: { [old?.id ?? ""]: "updates" },
    });
    expect(await found("Where does the user live?")).toEqual([moved?.text]);
    expect(await profile()).toEqual([moved?.text]);
  });

  test("can follow another one, and can return to the first value", async () => {
    await state("Mia lives in Lyon");
    await state("Mia lives in Oslo");
    const [back] = await state("Mia lives in Lyon");
    expect(back?.outcome).toBe("updated");
    const [entry, ...more] = await entries();
    expect(more).toEqual([]);
    expect(entry).toMatchObject({ memory: { text: "Mia lives in Lyon", version: 3 } });
    expect(entry?.history.map(({ text }) => text)).toEqual(["Mia lives in Oslo", "Mia lives in Lyon"]);
  });

  test("finds its fact among many about others, and only in its own container", async () => {
    const others = Array.from({ length: 60 }, (_, index) => ({ content: `Person${index} lives in Town${index}` }));
    await core.createMemories(call(), { containerTag: "a", memories: others });
    await core.createMemories(call(), { containerTag: "b", memories: [{ content: "Mia lives in Lyon" }] });
    await state("Mia lives in Lyon");
    expect(await state("Mia moved to Oslo")).toMatchObject([{ outcome: "updated" }]);
    expect((await known()).filter((text) => text.startsWith("Mia"))).toEqual(["Mia moved to Oslo"]);
    expect(await known("b")).toEqual(["Mia lives in Lyon"]);
  });

  test("replaces everything that says the same in other words", async () => {
    await state("Mia lives in Lyon");
    await state("Mia lives in Lyon with her sister");
    const [moved] = await state("Mia moved to Oslo");
    expect(await known()).toEqual(["Mia moved to Oslo"]);
    const [entry] = await entries();
    expect(Object.values(entry?.relations ?? {})).toEqual(["updates", "updates"]);
    expect(moved?.outcome).toBe("updated");
  });

  test("is undone with its batch, including everything it replaced", async () => {
    await state("Mia lives in Lyon");
    await state("Mia lives in Lyon with her sister");
    await state("Mia moved to Oslo");
    const { items } = await core.listJournal(call(), { limit: 100 });
    const batchId = items.find(({ action }) => action === "memory.updated")?.batchId;
    await core.undoBatch(call(), { batchId });
    expect(await known()).toEqual(["Mia lives in Lyon", "Mia lives in Lyon with her sister"]);
  });

  test("also applies to direct memories", async () => {
    await core.createMemories(call(), { containerTag: "a", memories: [{ content: "Mia works at Google" }] });
    await core.createMemories(call(), { containerTag: "a", memories: [{ content: "Mia works at Stripe" }] });
    expect(await known()).toEqual(["Mia works at Stripe"]);
  });
});

describe("a correction", () => {
  test("replaces the fact when it is in a later document", async () => {
    await tell("My favourite colour is blue.");
    await tell("Actually, my favourite colour is green.");
    expect(await known()).toEqual(["User's favourite colour is green"]);
  });

  test("in the same text applies if it says that something changed", async () => {
    await state("Mia lives in Lyon", "Mia moved to Oslo");
    expect(await known()).toEqual(["Mia moved to Oslo"]);
  });

  test("is not assumed for two statements of one text that do not say so", async () => {
    await state("Mia works at Google", "Mia works at Stripe");
    expect(await known()).toEqual(["Mia works at Google", "Mia works at Stripe"]);
  });

  test("leaves a slot with two values unchanged", async () => {
    await state("Mia works at Google", "Mia works at Stripe");
    expect(await state("Mia works at Acme")).toMatchObject([{ outcome: "added" }]);
    expect(await known()).toHaveLength(3);
  });
});

describe("a negation", () => {
  test("replaces a preference", async () => {
    await tell("I like coffee.");
    await tell("I don't like coffee anymore.");
    expect(await known()).toEqual(["User does not like coffee anymore"]);
  });

  test("replaces any statement", async () => {
    await state("Mia plays tennis");
    await state("Mia no longer plays tennis");
    expect(await found("tennis")).toEqual(["Mia no longer plays tennis"]);
  });

  test("of something else replaces nothing", async () => {
    await state("Mia lives in Oslo");
    await state("Mia no longer lives in Lyon");
    expect(await known()).toEqual(["Mia lives in Oslo", "Mia no longer lives in Lyon"]);
  });
});

describe("a statement about another time, place or person", () => {
  test.each([
    ["User works at Stripe", "User worked at Google until 2023"],
    ["User lives in Oslo", "User lived in Rome from 2010 to 2014"],
    ["User lives in Oslo", "User will move to Rome in 2025"],
    ["User lives in Oslo", "User lives in Nice in summer"],
    ["Mia Keller lives in Lyon", "Mia Brandt lives in Oslo"],
    ["User likes tea", "User likes coffee"],
    ["User weighs 70 kg", "User weighs 154 lbs"],
  ])("does not replace: %j and %j", async (older, newer) => {
    await state(older);
    expect(await state(newer)).toMatchObject([{ outcome: "added" }]);
    expect(await known()).toEqual([older, newer].sort());
  });

  test("a change long ago does not replace a later statement", async () => {
    await state("Mia lives in Lyon");
    await state("Mia moved to Rome in 2015");
    expect(await known()).toEqual(["Mia lives in Lyon", "Mia moved to Rome in 2015"]);
  });
});

test("a temporary statement does not hide a lasting one", async () => {
  await state("Mia lives in Lyon");
  const forgetAfter = opened.clock.from(10 * DAY).toISOString();
  await tell("x y", { facts: [{ text: "Mia lives in Oslo", forgetAfter }] });
  expect(await known()).toEqual(["Mia lives in Lyon", "Mia lives in Oslo"]);
});

test("a plan replaces the previous plan", async () => {
  await tell("The launch of Falcon is planned for June 3.");
  await tell("The launch of Falcon is planned for June 10.");
  expect(await known()).toEqual(["The launch of Falcon is planned for 10 June 2024"]);
});

describe("an older statement", () => {
  test("does not replace a newer one, and is stored as past", async () => {
    const [now] = await tell("Mia lives in Oslo.", { documentDate: "2024-03-01" });
    const [past] = await tell("Mia lives in Lyon.", { documentDate: "2021-03-01" });
    expect(past).toMatchObject({ outcome: "outdated" });
    expect(await known()).toEqual(["Mia lives in Oslo"]);
    expect(await found("Where does Mia live?")).toEqual(["Mia lives in Oslo"]);
    const [entry] = await entries();
    expect(entry).toMatchObject({ memory: { id: now?.id, version: 1 }, relations: { [past?.id ?? ""]: "updates" } });
  });

  test("is ordered by date, whatever the order of arrival", async () => {
    await tell("Mia lives in Lyon.", { documentDate: "2021-03-01" });
    await tell("Mia lives in Oslo.", { documentDate: "2024-03-01" });
    await tell("Mia lives in Rome.", { documentDate: "2022-03-01" });
    expect(await known()).toEqual(["Mia lives in Oslo"]);
  });
});

describe("a more specific statement", () => {
  test("extends the general one: both stay, and are related", async () => {
    const [old] = await state("Mia lives in Lyon");
    const [more] = await state("Mia lives in Lyon with her sister");
    expect(more?.outcome).toBe("extended");
    expect(await known()).toEqual(["Mia lives in Lyon", "Mia lives in Lyon with her sister"]);
    const entry = (await entries()).find(({ memory }) => memory.id === more?.id);
    expect(entry).toMatchObject({ memory: { version: 1, parentId: null }, relations: { [old?.id ?? ""]: "extends" } });
  });

  test.each([
    ["Mia has a dog", "Mia has a dog named Rex"],
    ["User likes tea", "User likes tea and coffee"],
    ["Ada keeps bees", "Ada keeps bees on the roof of her house"],
  ])("%j is extended by %j", async (part, whole) => {
    await state(part);
    expect(await state(whole)).toMatchObject([{ outcome: "extended" }]);
  });

  test.each([
    ["Mia lives in Lyon", "Mia lives in Lyon", "duplicate"],
    ["Mia lives in Lyon", "Mia lives in Oslo with her sister", "updated"],
    ["Mia likes tea", "Mia likes tea but not coffee", "added"],
    ["Mia worked at Google", "Mia worked at Google until 2020", "added"],
    ["Mia lives in Lyon", "Mia lives in Lyon?", "added"],
    ["Mia lives in Lyon", "Tom says Mia lives in Lyon", "added"],
    ["Mia", "Mia lives in Lyon", "added"],
  ])("%j is not extended by %j", async (part, whole, outcome) => {
    await state(part);
    expect(await state(whole)).toMatchObject([{ outcome }]);
  });
});

describe("a memory with several sources", () => {
  test("gains a source by repetition; after an update all sources belong to the old version", async () => {
    await tell("Mia lives in Lyon.", { customId: "one" });
    expect(await tell("Mia lives in Lyon!", { customId: "two" })).toMatchObject([{ outcome: "duplicate" }]);
    expect(await entries()).toMatchObject([{ memory: { sourceCount: 2, strength: 2 } }]);
    await tell("Mia moved to Oslo.");
    expect(await entries()).toMatchObject([
      { memory: { text: "Mia moved to Oslo", sourceCount: 1 }, history: [{ sourceCount: 2 }] },
    ]);
  });

  test("that was forgotten is new when stated again, and replaces nothing that is forgotten", async () => {
    const [old] = await state("Mia lives in Lyon");
    await core.forget(call(), { ids: [old?.id] });
    expect(await state("Mia lives in Oslo")).toMatchObject([{ outcome: "added" }]);
    expect(await state("Mia lives in Lyon")).toMatchObject([{ outcome: "updated" }]);
    expect(await known()).toEqual(["Mia lives in Lyon"]);
  });

  test("that has expired replaces nothing and is not replaced", async () => {
    const forgetAfter = opened.clock.from(1.5 * DAY).toISOString();
    await tell("x y", { facts: [{ text: "Mia lives in Lyon", forgetAfter }] });
    expect(await state("Mia lives in Oslo")).toMatchObject([{ outcome: "added" }]);
  });
});

describe("a replacement named by the caller", () => {
  test("takes precedence over the rules", async () => {
    const [job] = await state("Mia works at Google");
    await state("Mia lives in Lyon");
    await tell("x y", { facts: [{ text: "Mia lives in Oslo", updates: job?.id }] });
    expect(await known()).toEqual(["Mia lives in Lyon", "Mia lives in Oslo"]);
  });
});

describe("the limit of replacements per document", () => {
  const people = ["Ada", "Ben", "Cy", "Dan", "Eva", "Flo", "Gus"];

  test("leaves the rest waiting for review beside existing memories", async () => {
    for (const person of people) await state(`${person} lives in Lyon`);
    const receipt = await state(...people.map((person) => `${person} lives in Oslo`));
    expect(receipt.map(({ outcome }) => outcome)).toEqual([...Array<string>(5).fill("updated"), "review", "review"]);
    const open = await core.listInferred(call(), { containerTag: "a" });
    expect(open.map(({ memory }) => memory.text).sort()).toEqual(["Flo lives in Oslo", "Gus lives in Oslo"]);
    expect(await known()).toContain("Gus lives in Lyon");
    expect(open[0]?.memory).toMatchObject({ isInference: true, isLatest: true, metadata: { trust: "flagged" } });
  });

  test("does not apply to replacements named by the caller", async () => {
    const old: { id: string }[] = [];
    for (const person of people) old.push(...(await state(`${person} lives in Lyon`)));
    const facts = people.map((person, index) => ({ text: `${person} lives in Oslo`, updates: old[index]?.id }));
    const receipt = await tell("x y", { facts });
    expect(new Set(receipt.map(({ outcome }) => outcome))).toEqual(new Set(["updated"]));
  });
});

describe("concurrent and repeated work", () => {
  test("several documents about one slot leave one value, and the others in its history", async () => {
    const towns = ["Lyon", "Oslo", "Rome", "Bonn", "Bern", "Nice"];
    await Promise.all(
      towns.map((town) =>
        core.createMemories(call(), { containerTag: "a", memories: [{ content: `Mia lives in ${town}` }] }),
      ),
    );
    const [entry, ...more] = await entries();
    expect(more).toEqual([]);
    expect(entry?.history).toHaveLength(towns.length - 1);
  });

  test("a failed step leaves nothing behind, completes when run again, and does nothing a third time", async () => {
    const idle = await openManualCore({ jobs: false });
    try {
      const asked = idle.call();
      await idle.core.createMemories(asked, { containerTag: "a", memories: [{ content: "User lives in Lyon" }] });
      idle.clock.advance(DAY);
      const { id } = await idle.core.addDocument(asked, { content: "I moved to Oslo.", containerTags: ["a"] });
      const payload = { documentId: id, revision: 1 };
      const { store } = idle.context;
      const breaking: typeof store = {
        ...store,
        transaction: (work) =>
          store.transaction(async (repositories) => {
            await work(repositories);
            throw new Error("power is gone");
          }),
      };
      const texts = async () =>
        (await idle.core.listMemories(asked, { containerTags: ["a"] })).entries.map(({ memory, history }) => [
          memory.text,
          ...history.map(({ text }) => text),
        ]);
      const before = await idle.everything();
      await expect(rememberDocument({ ...idle.context, store: breaking }, payload, JOB)).rejects.toThrow(
        "power is gone",
      );
      expect(await texts()).toEqual([["User lives in Lyon"]]);
      expect(await idle.everything()).toBe(before);
      await rememberDocument(idle.context, payload, JOB);
      expect(await texts()).toEqual([["User moved to Oslo", "User lives in Lyon"]]);
      const once = await idle.rowCounts();
      await rememberDocument(idle.context, payload, JOB);
      expect(await idle.rowCounts()).toEqual(once);
    } finally {
      await idle.close();
    }
  });

  test("a document added again with other words updates its statement", async () => {
    await tell("Mia lives in Lyon.", { customId: "diary" });
    await tell("Mia lives in Oslo.", { customId: "diary" });
    expect(await known()).toEqual(["Mia lives in Oslo"]);
  });
});
