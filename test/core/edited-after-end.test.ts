import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Call, Core } from "../../src/core/index.js";
import { forgetExpired } from "../../src/core/upkeep/upkeep.js";
import { type ManualCore, openManualCore } from "../support/manual-core.js";

const LIFETIME_MS = 90_000;
const BEFORE = "Clara drives a Fiat. Clara lives in Oslo.";
const AFTER = "Clara drives a Skoda. Clara lives in Oslo.";

let opened: ManualCore;
let core: Core;
let call: Call;
beforeEach(async () => {
  opened = await openManualCore();
  core = opened.core;
  call = opened.call();
});
afterEach(() => opened.close());

const sweep = () => forgetExpired(opened.context, new AbortController().signal);
const wait = async () => undefined;

async function add(values: Record<string, unknown>): Promise<string> {
  const { id } = await core.addDocument(call, { containerTags: ["a"], dreaming: "instant", ...values });
  await opened.settle();
  return id;
}

async function addEnded(): Promise<string> {
  const forgetAfter = opened.clock.from(LIFETIME_MS).toISOString();
  const id = await add({ content: BEFORE, customId: "clara", forgetAfter });
  opened.clock.advance(LIFETIME_MS);
  return id;
}

const remembered = async () =>
  (await core.listMemories(call, { containerTags: ["a"] })).entries.map(({ memory }) => memory.text).toSorted();

async function passages(q: string): Promise<readonly string[]> {
  const { results } = await core.search(call, { q, containerTags: ["a"], searchMode: "documents", threshold: 0 });
  return results.map(({ text }) => text);
}

describe.each([
  ["before the clean-up", wait],
  ["after the clean-up", sweep],
])("a document that is edited after it expired, %s", (_when, written) => {
  test.each<[string, (id: string) => Promise<unknown>]>([
    ["changing text and expiry together", (id) => core.updateDocument(call, { id, content: AFTER, forgetAfter: null })],
    ["added again with its customId", () => add({ content: AFTER, customId: "clara", forgetAfter: null })],
    [
      "changing the text, then the expiry",
      async (id) => {
        await core.updateDocument(call, { id, content: AFTER });
        await opened.settle();
        await sweep();
        await core.updateDocument(call, { id, forgetAfter: null });
      },
    ],
  ])("contains only its new statements, %s", async (_how, edit) => {
    const id = await addEnded();
    await written();
    await edit(id);
    await opened.settle();
    expect(await remembered()).toEqual(["Clara drives a Skoda", "Clara lives in Oslo"]);
    expect(await passages("Where does Clara live?")).toEqual([AFTER]);
    expect((await passages("Clara drives a Skoda")).length).toBe(1);
  });

  test("leaves what a person forgot forgotten", async () => {
    const id = await addEnded();
    await written();
    await core.updateDocument(call, { id, forgetAfter: null });
    await opened.settle();
    await core.forget(call, { content: "Clara lives in Oslo", containerTag: "a" });
    await core.updateDocument(call, { id, forgetAfter: "2001-02-03" });
    await sweep();
    await core.updateDocument(call, { id, content: AFTER, forgetAfter: null });
    await opened.settle();
    expect(await remembered()).toEqual(["Clara drives a Skoda"]);
  });
});
