import { afterEach, beforeEach, expect, test } from "vitest";
import { type ManualCore, openManualCore } from "../support/manual-core.js";

/** Nearly the same statement twice within one text, document or call becomes one memory. */
let opened: ManualCore;
beforeEach(async () => {
  opened = await openManualCore();
});
afterEach(() => opened.close());

async function known(): Promise<string[]> {
  const { entries } = await opened.core.listMemories(opened.call(), { containerTags: ["a"], limit: 100 });
  return entries.map(({ memory }) => memory.text);
}

const TWICE = ["Every night I drink chamomile tea", "Each night I drink chamomile tea"] as const;

test("a statement repeated within a document becomes one memory", async () => {
  await opened.core.addDocument(opened.call(), { content: `${TWICE.join(".\n\n")}.`, containerTags: ["a"] });
  await opened.settle();
  expect(await known()).toHaveLength(1);
});

test("a statement repeated within the facts of a document becomes one memory", async () => {
  await opened.core.addDocument(opened.call(), {
    content: "About tea.",
    containerTags: ["a"],
    facts: TWICE.map((text) => ({ text })),
  });
  await opened.settle();
  expect(await known()).toEqual([TWICE[0]]);
});

test("a statement repeated within one call becomes one memory, which is returned for both entries", async () => {
  const { memories } = await opened.core.createMemories(opened.call(), {
    containerTag: "a",
    memories: TWICE.map((content) => ({ content })),
  });
  expect(memories.map(({ text }) => text)).toEqual([TWICE[0], TWICE[0]]);
  expect(await known()).toEqual([TWICE[0]]);
});
