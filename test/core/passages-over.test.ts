import { afterEach, beforeEach, expect, test } from "vitest";
import type { Call, Core } from "../../src/core/index.js";
import { type ManualCore, openManualCore } from "../support/manual-core.js";

/** A passage about a past event stays, ranks behind current ones, and is marked as past. */
let opened: ManualCore;
let core: Core;
let call: Call;

beforeEach(async () => {
  opened = await openManualCore();
  core = opened.core;
  call = opened.call();
});
afterEach(() => opened.close());

const DAYS = 24 * 60 * 60 * 1_000;

async function add(content: string): Promise<void> {
  await core.addDocument(call, { content, containerTags: ["a"], wait: 20 });
  await opened.settle();
}

async function found(q: string) {
  const { results } = await core.search(call, { q, containerTags: ["a"], searchMode: "documents", threshold: 0.5 });
  return results.map(({ text, standing }) => [text, standing]);
}

test("a passage about a past event ranks behind others and is marked, but only for questions about the event", async () => {
  await add("I have a dentist appointment tomorrow. My dentist is called Ruth.");
  await add("I had my dentist appointment with Ann.");
  const passage = "I have a dentist appointment tomorrow. My dentist is called Ruth.";
  expect((await found("dentist appointment"))[0]).toEqual([passage, undefined]);
  opened.clock.advance(4 * DAYS);
  expect(await found("dentist appointment")).toEqual([
    ["I had my dentist appointment with Ann.", undefined],
    [passage, "forgotten"],
  ]);
  expect(await found("what is the dentist called")).toContainEqual([passage, undefined]);
});

test("a passage about an event planned a month ahead is kept, too", async () => {
  await add("I am hosting a dance competition next month.");
  opened.clock.advance(70 * DAYS);
  expect(await found("dance competition")).toEqual([["I am hosting a dance competition next month.", "forgotten"]]);
});

test("a passage disappears when its statement expires at a time set by a person", async () => {
  const forgetAfter = new Date(opened.clock.now().getTime() + DAYS).toISOString();
  await core.addDocument(call, {
    content: "The gate code is 7731 for now.",
    containerTags: ["a"],
    facts: [{ text: "The gate code is 7731", quote: "The gate code is 7731 for now.", forgetAfter }],
  });
  await opened.settle();
  expect(await found("gate code")).toHaveLength(1);
  opened.clock.advance(2 * DAYS);
  expect(await found("gate code")).toEqual([]);
});
