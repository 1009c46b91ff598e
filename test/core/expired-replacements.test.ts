import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Core } from "../../src/core/index.js";
import { forgetExpired } from "../../src/core/upkeep/upkeep.js";
import { type ManualCore, openManualCore } from "../support/manual-core.js";

/** What becomes of facts that a document had replaced when that document expires. */
let opened: ManualCore;
let core: Core;
beforeEach(async () => {
  opened = await openManualCore();
  core = opened.core;
});
afterEach(() => opened.close());

const DAY_MS = 86_400_000;
const call = () => opened.call();
const sweep = () => forgetExpired(opened.context, new AbortController().signal);

async function add(content: string, customId: string, more: Record<string, unknown> = {}): Promise<void> {
  opened.clock.advance(DAY_MS);
  await core.addDocument(call(), { content, customId, containerTags: ["a"], ...more });
  await opened.settle();
}

const end = (customId: string, forgetAfter: string | null) =>
  core.updateDocument(call(), { id: customId, forgetAfter });

async function over(): Promise<void> {
  opened.clock.advance(2 * DAY_MS);
  await sweep();
  await opened.settle();
}

async function known(): Promise<string[]> {
  const { entries } = await core.listMemories(call(), { containerTags: ["a"], limit: 100 });
  return entries.map(({ memory }) => memory.text).sort();
}

const found = async () => {
  const asked = { q: "Where does Cleo work?", containerTags: ["a"], threshold: 0, searchMode: "memories" };
  return (await core.search(call(), asked)).results.map(({ text }) => text);
};

const OLD = "Cleo works at Siemens";
const NEW = "Cleo works at Bosch";

describe("a document that is added with an expiry", () => {
  beforeEach(() => add("Cleo works at Siemens.", "old"));

  test("replaces the statement of another one until then", async () => {
    await add("Cleo now works at Bosch.", "new", { forgetAfter: opened.clock.from(2 * DAY_MS).toISOString() });
    expect(await known()).toEqual([expect.stringContaining("Bosch")]);
    await over();
    expect(await known()).toEqual([OLD]);
  });

  test("does not replace it if its own words say that it is temporary", async () => {
    await add("Cleo now works at Bosch until 20 May 2024.", "new", { forgetAfter: "2030-01-01" });
    expect(await known()).toContain(OLD);
  });
});

describe("an expired document with a newer statement", () => {
  beforeEach(async () => {
    await add("Cleo works at Siemens.", "old");
    await add("Cleo now works at Bosch.", "new");
    expect(await known()).toEqual([expect.stringContaining("Bosch")]);
    await end("new", opened.clock.from(DAY_MS).toISOString());
  });

  test("restores the statement of another document", async () => {
    await over();
    expect(await known()).toEqual([OLD]);
    expect(await found()).toEqual([OLD]);
  });

  test("replaces that statement again when its expiry is removed, and restores it when it expires again", async () => {
    await over();
    await end("new", null);
    await opened.settle();
    expect(await known()).toEqual([expect.stringContaining("Bosch")]);
    expect((await found()).join()).toContain("Bosch");
    expect((await found()).join()).not.toContain("Siemens");
    await end("new", opened.clock.from(DAY_MS).toISOString());
    await over();
    expect(await known()).toEqual([OLD]);
  });

  test("restores nothing whose own document has expired", async () => {
    await end("old", opened.clock.from(DAY_MS).toISOString());
    await over();
    expect(await known()).toEqual([]);
  });

  test("does not replace a statement made since", async () => {
    await over();
    await add("Cleo now works at Shell.", "newest");
    await end("new", null);
    await opened.settle();
    expect(await known()).toEqual([expect.stringContaining("Shell")]);
  });

  test("restores nothing if a person changed its statement", async () => {
    const { entries } = await core.listMemories(call(), { containerTags: ["a"], limit: 100 });
    const id = entries[0]?.memory.id;
    await core.updateMemory(call(), {
      containerTag: "a",
      id,
      newContent: NEW,
      forgetAfter: opened.clock.from(DAY_MS).toISOString(),
    });
    await over();
    expect(await known()).toEqual([]);
  });

  test("changes the statements in one batch that can be undone", async () => {
    await over();
    const { items } = await core.listJournal(call(), { limit: 100 });
    const batchId = items.find(({ action }) => action === "memory.reverted")?.batchId;
    await end("new", null);
    await opened.settle();
    const [last] = (await core.listJournal(call(), { limit: 100 })).items.filter(
      ({ action }) => action === "memory.reverted",
    );
    expect(last?.batchId).not.toBe(batchId);
    await core.undoBatch(call(), { batchId: last?.batchId });
    expect(await known()).toEqual([OLD]);
  });
});

test("a fact becomes current again when the document that ended it expires", async () => {
  await add("Cleo drives a Volvo.", "old");
  await add("Cleo sold the Volvo.", "new");
  await end("new", opened.clock.from(DAY_MS).toISOString());
  await over();
  expect(await known()).toEqual(["Cleo drives a Volvo"]);
});
