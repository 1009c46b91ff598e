import { afterEach, beforeEach, expect, test } from "vitest";
import type { Call } from "../../src/core/index.js";
import { openManualCore, type ManualCore } from "../support/manual-core.js";

let opened: ManualCore;
let call: Call;
beforeEach(async () => {
  opened = await openManualCore();
  call = opened.call();
});
afterEach(() => opened.close());

async function add(content: string, more: Record<string, unknown> = {}): Promise<void> {
  await opened.core.addDocument(call, { content, containerTags: ["a"], dreaming: "instant", ...more });
  await opened.settle();
}
const found = async (q: string) =>
  (await opened.core.search(call, { q, containerTags: ["a"], searchMode: "hybrid", threshold: 0 })).results.map(
    ({ kind, text }) => `${kind}: ${text}`,
  );

test.each([
  ["The flag is called pricing.dynamic.v2 and it's off in production.", "The flag is called pricing.dynamic.v2"],
  ["The flag is called pricing.dynamic.v2 and it's off.", "The flag is called pricing.dynamic.v2"],
  ["The office cafeteria serves lunch until two.", "The office cafeteria serves lunch"],
  [
    "The nightly backup of the billing database runs except on Sundays.",
    "The nightly backup of the billing database runs",
  ],
])("a fact that says less than its sentence does not hide the sentence: %s", async (sentence, fact) => {
  await add(sentence, { facts: [{ text: fact }] });
  expect(await found(sentence)).toEqual(expect.arrayContaining([`memory: ${fact}`, `chunk: ${sentence}`]));
});

test("a fact that says all of its sentence replaces it in the results", async () => {
  await add("I am allergic to peanuts.");
  expect(await found("allergic to peanuts")).toEqual(["memory: User is allergic to peanuts"]);
});

test("small talk submitted with rememberAsIs is not remembered", async () => {
  await add("let's talk about nothing, ok?", { rememberAsIs: true });
  await add("the blue folder has the lease", { rememberAsIs: true });
  const memories = await opened.store.memories.active(opened.store.organizationId, "a", { limit: 10 });
  expect(memories.map(({ text }) => text)).toEqual(["the blue folder has the lease"]);
});
