import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type Core, createCore } from "../../src/core/index.js";
import { buildDocumentDraft } from "../support/builders.js";
import { type ManualCore, openManualCore } from "../support/manual-core.js";

let opened: ManualCore;
let core: Core;
beforeEach(async () => {
  opened = await openManualCore();
  core = opened.core;
});
afterEach(() => opened.close());

const remember = async (content: string, containerTag = "a"): Promise<string> => {
  const { memories } = await core.createMemories(opened.call(), { containerTag, memories: [{ content }] });
  return memories[0]?.id ?? "";
};
const entriesFor = async (containers: readonly string[] | undefined, containerTags = ["a"]) =>
  (await core.listMemories(opened.call(containers), { containerTags, limit: 100 })).entries;

describe("relations of an entry", () => {
  test("point to older memories: the version before, and related ones", async () => {
    const { store } = opened;
    const [rome, bees] = [await remember("Ada lives in Rome"), await remember("Ada keeps bees")];
    const { id: bonn } = await core.updateMemory(opened.call(), {
      id: rome,
      containerTag: "a",
      newContent: "Ada lives in Bonn",
    });
    await store.memories.relate(store.organizationId, bonn, bees, "extends");
    const relations = new Map((await entriesFor(undefined)).map((entry) => [entry.memory.id, entry.relations]));
    expect(relations.get(bonn)).toEqual({ [rome]: "updates", [bees]: "extends" });
    expect(relations.get(bees)).toEqual({});
  });
});

describe("documents of an entry", () => {
  test("are all that state it, or those in a caller's own containers", async () => {
    const { store } = opened;
    const id = await remember("Ada keeps bees");
    const [own] = (await entriesFor(undefined))[0]?.documentIds ?? [];
    const draft = buildDocumentDraft({ containerTags: ["b"], status: "done", dreamingStatus: "done" });
    const foreign = await store.documents.insert(store.organizationId, draft);
    opened.clock.advance(1_000);
    await store.memories.addSource(store.organizationId, id, foreign.id, null);
    expect((await entriesFor(undefined)).map(({ documentIds }) => documentIds)).toEqual([[own, foreign.id]]);
    expect((await entriesFor(["a"])).map(({ documentIds }) => documentIds)).toEqual([[own]]);
    expect((await entriesFor(["a", "b"])).map(({ documentIds }) => documentIds)).toEqual([[own, foreign.id]]);
  });
});

describe("history of an entry", () => {
  test("covers only its own versions, newest first; a first version has none", async () => {
    const chains = await Promise.all(["Rome", "Oslo"].map((city) => remember(`Ada visited ${city}`)));
    for (const [index, id] of chains.entries())
      for (const year of [2001, 2002])
        await core.updateMemory(opened.call(), {
          id,
          containerTag: "a",
          newContent: `Ada visited ${index === 0 ? "Rome" : "Oslo"} in ${year}`,
        });
    await remember("Ada keeps bees");
    const history = new Map(
      (await entriesFor(undefined)).map((entry) => [entry.memory.text, entry.history.map(({ text }) => text)]),
    );
    expect(history).toEqual(
      new Map([
        ["Ada visited Rome in 2002", ["Ada visited Rome in 2001", "Ada visited Rome"]],
        ["Ada visited Oslo in 2002", ["Ada visited Oslo in 2001", "Ada visited Oslo"]],
        ["Ada keeps bees", []],
      ]),
    );
  });
});

test("the number of store calls does not grow with the page size", async () => {
  for (let index = 0; index < 30; index++) await remember(`Ada has ${index} bees`);
  const countCalls = async (limit: number) => {
    let calls = 0;
    const count = () => void (calls += 1);
    const { store } = opened;
    const { memories, documents } = store;
    const watched = { ...store, memories: watch(memories, count), documents: watch(documents, count) };
    const counting = createCore({ ...opened.context, store: watched });
    await counting.listMemories(opened.call(), { containerTags: ["a"], limit });
    return calls;
  };
  expect(await countCalls(30)).toBe(await countCalls(1));
});

/** The same repository, reporting each access to one of its methods. */
function watch<T extends object>(noun: T, tell: () => void): T {
  return new Proxy(noun, {
    get(target, name) {
      tell();
      return Reflect.get(target, name) as unknown;
    },
  });
}
