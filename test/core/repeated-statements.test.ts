import { afterEach, beforeEach, expect, test } from "vitest";
import { type ManualCore, openManualCore } from "../support/manual-core.js";

/** What is said twice within one text, document or call, in nearly the same words, is one memory. */
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

test("a document that says the same twice makes one memory of it", async () => {
  await opened.core.addDocument(opened.call(), { content: `${TWICE.join(".\n\n")}.`, containerTags: ["a"] });
  await opened.settle();
  expect(await known()).toHaveLength(1);
});

test("so do the facts that are stated with a document", async () => {
  await opened.core.addDocument(opened.call(), {
    content: "About tea.",
    containerTags: ["a"],
    facts: TWICE.map((text) => ({ text })),
  });
  await opened.settle();
  expect(await known()).toEqual([TWICE[0]]);
});

test("so do memories that are created in one call, which answers both with the one", async () => {
  const { memories } = await opened.core.createMemories(opened.call(), {
    containerTag: "a",
    memories: TWICE.map((content) => ({ content })),
  });
  expect(memories.map(({ text }) => text)).toEqual([TWICE[0], TWICE[0]]);
  expect(await known()).toEqual([TWICE[0]]);
});
