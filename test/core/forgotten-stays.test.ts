import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Call, Core } from "../../src/core/index.js";
import { type ManualCore, openManualCore } from "../support/manual-core.js";

/** What a person forgot, replaced, let expire or declined stays so, wherever its document goes or how it changes. */
let opened: ManualCore;
let core: Core;
let call: Call;

beforeEach(async () => {
  opened = await openManualCore();
  core = opened.core;
  call = opened.call();
});
afterEach(() => opened.close());

interface Direct {
  readonly content: string;
  readonly isStatic?: boolean;
  readonly metadata?: Record<string, string>;
  readonly forgetAfter?: string;
}

async function keep(...memories: readonly Direct[]) {
  const created = await core.createMemories(call, { containerTag: "a", memories });
  await opened.settle();
  return { id: created.documentId, ids: created.memories.map((memory) => memory.id) };
}

async function add(content: string, more: Record<string, unknown> = {}): Promise<string> {
  const { id } = await core.addDocument(call, { content, containerTags: ["a"], wait: 20, ...more });
  await opened.settle();
  return id;
}

async function patch(id: string, change: Record<string, unknown>): Promise<void> {
  await core.updateDocument(call, { id, ...change });
  await opened.settle();
}

async function forgetAll(tag: string): Promise<void> {
  for (const { memory } of (await core.listMemories(call, { containerTags: [tag] })).entries)
    await core.forgetOne(call, { id: memory.id, containerTag: tag });
}

async function update(tag: string, newContent: string): Promise<void> {
  const { entries } = await core.listMemories(call, { containerTags: [tag] });
  await core.updateMemory(call, { id: entries[0]?.memory.id, containerTag: tag, newContent });
  await opened.settle();
}

async function current(tag: string) {
  const { entries } = await core.listMemories(call, { containerTags: [tag], limit: 100 });
  return entries.map(({ memory }) => memory).toSorted((one, other) => one.text.localeCompare(other.text));
}
const texts = async (tag: string) => (await current(tag)).map(({ text }) => text);

/** Everything a search of a container returns, including passages. */
async function found(tag: string, q: string): Promise<string> {
  const { results } = await core.search(call, { q, containerTags: [tag], threshold: 0, searchMode: "hybrid" });
  return JSON.stringify(results.map(({ text }) => text));
}

describe.each([
  ["to another container", ["b"]],
  ["to an additional container", ["a", "b"]],
  ["to two other containers", ["b", "c"]],
])("a move %s", (_name, containerTags) => {
  const everywhere = async () => [...(await texts("a")), ...(await texts("b")), ...(await texts("c"))];

  test("restores no forgotten direct memory, nor its words", async () => {
    const { id, ids } = await keep({ content: "The door code is 4711." }, { content: "Pam plays the tuba." });
    await core.forgetOne(call, { id: ids[0], containerTag: "a" });
    await patch(id, { containerTags });
    expect(await everywhere()).toEqual(containerTags.map(() => "Pam plays the tuba."));
    for (const tag of containerTags) expect(await found(tag, "door code")).not.toContain("4711");
  });

  test("restores no replaced or expired direct memory", async () => {
    const later = new Date(opened.clock.now().getTime() + 60_000).toISOString();
    const { id } = await keep({ content: "My flat number is 1." }, { content: "Tea is at four.", forgetAfter: later });
    await update("a", "My flat number is 2.");
    opened.clock.advance(120_000);
    const before = await texts("a");
    expect(before).toHaveLength(1);
    await patch(id, { containerTags });
    expect(await everywhere()).toEqual(containerTags.map(() => before[0]));
  });

  test("restores no forgotten or replaced fact of a text", async () => {
    const id = await add("The vault code is 9001. Pam plays the tuba.");
    await core.forgetMatching(call, { containerTag: "a", query: "vault code 9001", dryRun: false });
    for (const { id: memory, text } of await current("a"))
      if (text.includes("9001")) await core.forgetOne(call, { id: memory, containerTag: "a" });
    await update("a", "Pam plays the horn.");
    await patch(id, { containerTags });
    expect(await everywhere()).toEqual(containerTags.map(() => "Pam plays the horn."));
    await core.reprocess(call, { ids: [id] });
    await opened.settle();
    expect(await everywhere()).toEqual(containerTags.map(() => "Pam plays the horn."));
  });

  test("restores no declined guess", async () => {
    const facts = [{ text: "Ann earns 4000.", quote: "words that are nowhere" }];
    const id = await add("Ann has a job.", { facts });
    const [guess] = await core.listInferred(call, { containerTag: "a" });
    await core.reviewInferred(call, { containerTag: "a", id: guess?.memory.id, action: "decline" });
    await patch(id, { containerTags });
    for (const tag of ["a", "b", "c"]) expect(await core.listInferred(call, { containerTag: tag })).toEqual([]);
    expect(await everywhere()).toEqual([]);
  });

  test("moves direct memories unchanged", async () => {
    const { id } = await keep({ content: "Pam plays the tuba.", isStatic: true, metadata: { band: "brass" } });
    await patch(id, { containerTags });
    for (const tag of containerTags)
      expect(await current(tag)).toMatchObject([
        { text: "Pam plays the tuba.", isStatic: true, metadata: { band: "brass" }, strength: 1 },
      ]);
    expect(await everywhere()).toHaveLength(containerTags.length);
    expect(await found("b", "tuba")).toContain("tuba");
  });
});

test("a document that leaves a container and returns states the same facts there again", async () => {
  const id = await add("Pam plays the tuba.", { containerTags: ["a", "b"] });
  await patch(id, { containerTags: ["b"] });
  expect(await texts("a")).toEqual([]);
  await patch(id, { containerTags: ["b", "a"] });
  expect([await texts("a"), await texts("b")]).toEqual([["Pam plays the tuba"], ["Pam plays the tuba"]]);
});

test("a memory that the new container already had keeps the document as a source, counted once per document", async () => {
  const one = await keep({ content: "Pam plays the tuba." });
  await core.createMemories(call, { containerTag: "b", memories: [{ content: "Pam plays the tuba." }] });
  await patch(one.id, { containerTags: ["b"] });
  expect(await current("b")).toMatchObject([{ strength: 2, sourceCount: 2 }]);
  await patch(one.id, { containerTags: ["c"] });
  expect([await texts("b"), await texts("c")]).toEqual([["Pam plays the tuba."], ["Pam plays the tuba."]]);
  await patch(one.id, { containerTags: ["c", "b"] });
  expect(await current("b")).toMatchObject([{ strength: 3, sourceCount: 2 }]);
});

test("a container that replaces another gets the statements of that container", async () => {
  const id = await add("Pam plays the tuba.", { containerTags: ["a", "b"] });
  await update("b", "Pam plays the horn.");
  await patch(id, { containerTags: ["a", "c"] });
  expect([await texts("a"), await texts("b"), await texts("c")]).toEqual([
    ["Pam plays the tuba"],
    [],
    ["Pam plays the horn."],
  ]);
});

test("adding a document again to one more container restores nothing", async () => {
  const id = await add("The vault code is 9001. Pam plays the tuba.", { customId: "note" });
  await forgetAll("a");
  const again = { content: "The vault code is 9001. Pam plays the tuba.", customId: "note", wait: 20 };
  expect((await core.addDocument(call, { ...again, containerTags: ["a", "b"] })).id).toBe(id);
  await opened.settle();
  expect([await texts("a"), await texts("b")]).toEqual([[], []]);
});

describe.each<[string, readonly Record<string, unknown>[]]>([
  ["its date", [{ documentDate: "2026-01-01" }]],
  ["its task type, and back,", [{ taskType: "superrag" }, { taskType: "memory" }]],
  ["its date and its container", [{ documentDate: "2026-01-01", containerTags: ["b"] }]],
])("a change of %s", (_name, changes) => {
  const place = changes.some((change) => "containerTags" in change) ? "b" : "a";
  const changeAll = async (id: string) => {
    for (const change of changes) await patch(id, change);
  };

  test("leaves direct memories unchanged", async () => {
    const lasting = { content: "Pam plays the tuba.", isStatic: true, metadata: { band: "brass" } };
    const { id, ids } = await keep(lasting, { content: "The door code is 4711." });
    await core.updateMemory(call, { id: ids[0], containerTag: "a", newContent: "Pam plays the horn." });
    await core.forgetOne(call, { id: ids[1], containerTag: "a" });
    await opened.settle();
    await changeAll(id);
    expect(await current(place)).toMatchObject([
      { text: "Pam plays the horn.", isStatic: true, metadata: { band: "brass" }, strength: 1, version: 2 },
    ]);
  });

  test("keeps what a person changed or forgot from a text, and reads the rest", async () => {
    const id = await add("The vault code is 9001. Pam plays the tuba. Bo owns sheep.");
    const [sheep, tuba, vault] = await current("a");
    expect([sheep?.text, tuba?.text, vault?.text]).toEqual([
      "Bo owns sheep",
      "Pam plays the tuba",
      "The vault code is 9001",
    ]);
    await core.updateMemory(call, { id: tuba?.id, containerTag: "a", newContent: "Pam plays the horn." });
    await core.forgetOne(call, { id: vault?.id, containerTag: "a" });
    await opened.settle();
    await changeAll(id);
    expect(await current(place)).toMatchObject([
      { text: "Bo owns sheep", strength: 1 },
      { text: "Pam plays the horn.", strength: 1 },
    ]);
  });
});

test("memories of a superrag document disappear, and return with their expiry when it is a memory document again", async () => {
  const forgetAfter = new Date(opened.clock.now().getTime() + 3_600_000).toISOString();
  const { id } = await keep({ content: "Tea is at four.", forgetAfter });
  await patch(id, { taskType: "superrag" });
  expect(await texts("a")).toEqual([]);
  await patch(id, { taskType: "memory" });
  expect(await current("a")).toMatchObject([{ text: "Tea is at four.", forgetAfter }]);
  await patch(id, { taskType: "superrag" });
  opened.clock.advance(7_200_000);
  await patch(id, { taskType: "memory" });
  expect(await texts("a")).toEqual([]);
});

test("a fact forgotten in one container stays in the document's other containers when it is read again", async () => {
  const id = await add("The vault code is 9001. Pam plays the tuba.", { containerTags: ["a", "b", "c"] });
  const vault = (await current("b")).find(({ text }) => text.includes("9001"));
  await core.forgetOne(call, { id: vault?.id, containerTag: "b" });
  await core.deleteContainer(call, { containerTag: "c" });
  await patch(id, { documentDate: "2026-01-01" });
  expect([await texts("a"), await texts("b")]).toEqual([
    ["Pam plays the tuba", "The vault code is 9001"],
    ["Pam plays the tuba"],
  ]);
});
