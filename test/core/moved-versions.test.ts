import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Call } from "../../src/core/index.js";
import { type ManualCore, openManualCore } from "../support/manual-core.js";

let world: ManualCore;
let owner: Call;
beforeEach(async () => {
  world = await openManualCore();
  owner = world.call();
});
afterEach(() => world.close());

const kindOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    (answer) => `done: ${JSON.stringify(answer)}`,
    (error: { kind: string }) => error.kind,
  );

describe("the id of an old version whose newer versions moved to another container", () => {
  const SECRET = "xqberylliumzv";
  let first: string;

  beforeEach(async () => {
    const { core } = world;
    const document = { content: "The safe opens with copper.", containerTags: ["alpha"] };
    const receipt = await core.addDocument(owner, { ...document, rememberAsIs: true });
    await world.settle();
    const { memories } = await core.fetch(owner, { id: receipt.id });
    first = memories[0]?.id ?? "";
    await core.updateMemory(owner, { id: first, containerTag: "alpha", newContent: "The safe opens with silver." });
    await core.updateDocument(owner, { id: receipt.id, containerTags: ["beta"] });
    await world.settle();
    const moved = await core.listMemories(owner, { containerTags: ["beta"] });
    const newest = moved.entries[0]?.memory.id ?? "";
    await core.updateMemory(owner, { id: newest, containerTag: "beta", newContent: `The safe opens with ${SECRET}.` });
  });

  test("does not give a key of the old container access to the new one", async () => {
    const { core } = world;
    const alpha = world.call(["alpha"]);
    const before = await world.everything();
    const attempts: Record<string, () => Promise<unknown>> = {
      deleteDocument: () => core.deleteDocument(alpha, { id: first }),
      forgetOne: () => core.forgetOne(alpha, { id: first, containerTag: "alpha" }),
      forget: () => core.forget(alpha, { ids: [first] }),
      deleteDocuments: () => core.deleteDocuments(alpha, { ids: [first] }),
      updateMemory: () =>
        core.updateMemory(alpha, { id: first, containerTag: "alpha", newContent: "The safe is empty." }),
      reviewInferred: () => core.reviewInferred(alpha, { id: first, containerTag: "alpha", action: "decline" }),
      fetch: () => core.fetch(alpha, { id: first }),
      readHistory: () => core.readHistory(alpha, { id: first }),
      purge: () => core.purge(alpha, { memoryId: first, confirm: true }),
    };
    for (const [name, attempt] of Object.entries(attempts))
      expect([name, await kindOf(attempt())]).toEqual([name, expect.not.stringContaining(SECRET)]);
    expect(await world.everything()).toBe(before);
  });

  test("shows a key of the new container nothing of the old one, except the versions that moved", async () => {
    const { core } = world;
    await core.createMemories(owner, { containerTag: "alpha", memories: [{ content: "Alpha keeps xqosmiumzv." }] });
    const beta = world.call(["beta"]);
    const told = JSON.stringify([
      await core.listMemories(beta, { containerTags: ["beta"] }),
      await core.readHistory(beta, { id: first }).catch(() => null),
      await core.search(beta, { q: "safe", includeRelatives: true, includeForgotten: true }),
    ]);
    expect(told).toContain(SECRET);
    expect(told).not.toContain("xqosmiumzv");
    // The whole chain moved, so no version of it was left in the old container.
    const { memory } = await core.fetch(owner, { id: first });
    expect(memory?.containerTag).toBe("beta");
  });
});

describe("a customId used in two containers", () => {
  const add = async (containerTag: string, content: string) => {
    const { id } = await world.core.addDocument(owner, { content, customId: "payroll", containerTags: [containerTag] });
    await world.settle();
    return id;
  };

  test("is rejected without a container, listing the containers the caller may see", async () => {
    const [hr, decoy] = [await add("hr", "Salaries of March."), await add("att", "A decoy.")];
    const { core } = world;
    const change = { id: "payroll", content: "Salaries of April." };
    for (const attempt of [
      () => core.updateDocument(owner, change),
      () => core.getDocument(owner, { id: "payroll" }),
      () => core.deleteDocument(owner, { id: "payroll" }),
      () => core.purge(owner, { documentId: "payroll", confirm: true }),
    ])
      await expect(attempt()).rejects.toMatchObject({
        kind: "conflict",
        message: expect.stringContaining(`${hr} in hr`),
      });
    expect((await core.getDocument(owner, { id: hr })).document.content).toBe("Salaries of March.");
    // A key for one of them learns nothing of the other, and need not name its container.
    const att = world.call(["att"]);
    expect((await core.getDocument(att, { id: "payroll" })).document.id).toBe(decoy);
    await core.updateDocument(att, { id: "payroll", content: "Another decoy." });
    expect((await core.getDocument(owner, { id: decoy })).document.content).toBe("Another decoy.");
  });

  test("is not matched when a document or conversation is added again without a container", async () => {
    const { core } = world;
    await add("hr", "Salaries of March.");
    const scoped = world.call(["att"]);
    await core.addDocument(scoped, { content: "A decoy.", customId: "payroll", containerTags: ["att"] });
    await core.addConversation(scoped, {
      conversationId: "talk",
      containerTags: ["att"],
      messages: [{ role: "user", content: "A decoy." }],
    });
    await core.addDocument(owner, { content: "Salaries of xqaprilzv.", customId: "payroll" });
    await core.addConversation(owner, {
      conversationId: "talk",
      messages: [{ role: "user", content: "I earn xqmayzv." }],
    });
    await world.settle();
    const { documents } = await core.listDocuments(scoped, { includeContent: true });
    expect(new Set(documents.map(({ content }) => content))).toEqual(new Set(["A decoy.", "user: A decoy."]));
    const usual = await core.listDocuments(owner, { containerTags: ["sm_project_default"] });
    expect(usual.total).toBe(2);
  });
});
