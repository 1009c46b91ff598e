import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type ManualCore, openManualCore } from "../support/manual-core.js";

let opened: ManualCore;
beforeEach(async () => {
  opened = await openManualCore();
});
afterEach(() => opened.close());

const update = (change: Record<string, unknown>) => opened.core.updateSettings(opened.call(), change);
const texts = async (tag = "a") =>
  (await opened.store.memories.active(opened.store.organizationId, tag, { limit: 1_000 }))
    .map(({ text }) => text)
    .toSorted();

const OWNED = ["kayak", "violin", "greenhouse", "telescope", "loom"].map((thing) => `Mia owns a ${thing}.`);

async function add(sentences: readonly string[], more: Record<string, unknown> = {}): Promise<string> {
  const facts = sentences.map((text) => ({ text, quote: text }));
  const document = { content: sentences.join(" "), facts, containerTags: ["a"], ...more };
  const { id } = await opened.core.addDocument(opened.call(), document);
  await opened.settle();
  return id;
}
const remember = (...contents: string[]) =>
  opened.core.createMemories(opened.call(), { containerTag: "a", memories: contents.map((content) => ({ content })) });

describe("a memory limit", () => {
  test("per document leaves out what exceeds it, of this document only", async () => {
    await update({ maxMemoriesPerDocument: 2 });
    await add(OWNED);
    expect(await texts()).toEqual(OWNED.slice(0, 2).toSorted());
    await add(["Ben likes tea."]);
    expect(await texts()).toHaveLength(3);
  });

  test("per document is reported on the document, until it is read again with a higher limit", async () => {
    const leftOut = async (id: string) => (await opened.core.getDocument(opened.call(), { id })).document.factsLeftOut;
    await update({ maxMemoriesPerDocument: 2 });
    const id = await add(OWNED, { customId: "note" });
    expect(await leftOut(id)).toBe(3);
    expect(await leftOut(await add(["Ben likes tea."]))).toBe(0);
    const tasks = { facts: undefined, content: `${OWNED.join(" ")} Ben owns a lamp. Ada owns a boat.` };
    await add([], { customId: "note", ...tasks });
    expect(await leftOut(id)).toBeGreaterThan(3);
    await update({ maxMemoriesPerDocument: null });
    await opened.core.reprocess(opened.call(), { containerTag: "a", onlyOutdated: false });
    await opened.settle();
    expect(await leftOut(id)).toBe(0);
  });

  test("per container applies to all of its documents together, and to no other container", async () => {
    await update({ maxMemoriesPerContainer: 3 });
    await add(OWNED.slice(0, 2));
    await add(OWNED.slice(2));
    expect(await texts()).toEqual(OWNED.slice(0, 3).toSorted());
    await add(OWNED, { containerTags: ["b"] });
    expect(await texts("b")).toHaveLength(3);
  });

  test("per document also applies to extraction by rules", async () => {
    await update({ maxMemoriesPerDocument: 2 });
    const content = "I live in Lisbon. I own a red kayak. I work at Northwind. My sister is called Ada.";
    await opened.core.addDocument(opened.call(), { content, containerTags: ["a"], dreaming: "instant" });
    await opened.settle();
    expect(await texts()).toHaveLength(2);
  });

  test("rejects direct memories that do not fit, and stores none of them", async () => {
    await update({ maxMemoriesPerContainer: 2 });
    await remember(OWNED[0] ?? "");
    await expect(remember(OWNED[1] ?? "", OWNED[2] ?? "")).rejects.toMatchObject({
      kind: "invalid",
      issues: [{ path: ["memories"], message: expect.stringContaining("maxMemoriesPerContainer") }],
    });
    expect(await texts()).toEqual([OWNED[0]]);
    await remember(OWNED[1] ?? "");
    expect(await texts()).toHaveLength(2);
  });

  test("allows known memories to be repeated and replaced, and forgetting makes room", async () => {
    await update({ maxMemoriesPerContainer: 1 });
    const { memories } = await remember("Mia lives in Lisbon.");
    await remember("Mia lives in Lisbon.");
    const [known] = memories;
    await opened.core.updateMemory(opened.call(), {
      id: known?.id,
      newContent: "Mia lives in Porto.",
      containerTag: "a",
    });
    expect(await texts()).toEqual(["Mia lives in Porto."]);
    await opened.core.forgetOne(opened.call(), { content: "Mia lives in Porto.", containerTag: "a" });
    await remember("Ben likes tea.");
    expect(await texts()).toEqual(["Ben likes tea."]);
  });

  test("applies to additions while it is set, not to existing memories", async () => {
    await add(OWNED);
    await update({ maxMemoriesPerContainer: 2 });
    expect(await texts()).toHaveLength(OWNED.length);
    await add(["Ben likes tea."]);
    expect(await texts()).toHaveLength(OWNED.length);
    await update({ maxMemoriesPerContainer: null });
    await add(["Ben likes tea."], { customId: "again" });
    expect(await texts()).toHaveLength(OWNED.length + 1);
  });
});
