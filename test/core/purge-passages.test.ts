import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type Call, type Core, createCore } from "../../src/core/index.js";
import { findInFiles } from "../support/data-folder-scan.js";
import { type ManualCore, openManualCore } from "../support/manual-core.js";

let opened: ManualCore;
let core: Core;
let call: Call;
/** Must be in no file. */
let secret: string;

beforeEach(async () => {
  opened = await openManualCore();
  core = opened.core;
  call = opened.call();
  secret = `xq${Math.random().toString(36).slice(2, 10)}zvk`;
});
afterEach(() => opened.close());

const confirm = true as const;
const files = () => findInFiles(opened.dataDirectory, [secret]);
const documentOf = (id: string) => core.getDocument(call, { id });
const memoriesOf = async (id: string) => (await documentOf(id)).memories.map(({ text }) => text);
const chunksOf = async (id: string) => (await core.getChunks(call, { id })).chunks.map(({ content }) => content);

/** The id of the memory that states the secret. */
async function secretIn(documentId: string): Promise<string> {
  const { memories } = await documentOf(documentId);
  return memories.find(({ text }) => text.includes(secret))?.id ?? expect.fail(`no memory says ${secret}`);
}

async function add(content: string, more: object = {}): Promise<string> {
  const { id } = await core.addDocument(call, { content, containerTags: ["a"], ...more });
  await opened.settle();
  return id;
}

/** Forgets and purges the memory; nothing of it may be left, immediately or later. */
async function purgeSecret(memoryId: string): Promise<Awaited<ReturnType<Core["purge"]>>> {
  expect(files()).not.toEqual([]);
  const purged = await core.purge(call, { memoryId, confirm });
  expect(purged.complete).toBe(true);
  expect(files()).toEqual([]);
  await opened.settle();
  opened.clock.advance(3_600_000);
  await opened.settle();
  expect(files()).toEqual([]);
  return purged;
}

describe("purging a memory removes what it says from the document that states it, and nothing else:", () => {
  test("a sentence of a text", async () => {
    const id = await add(`I live in Lisbon. My wifi code is ${secret}. I like tea.`);
    const memoryId = await secretIn(id);
    const purged = await purgeSecret(memoryId);
    expect(purged).toMatchObject({ documents: 0, memories: 1, files: 0, passages: 1, statedIn: [] });
    const { document } = await documentOf(id);
    expect(document).toMatchObject({
      content: "I live in Lisbon. I like tea.",
      status: "done",
      dreamingStatus: "done",
    });
    expect(await memoriesOf(id)).toEqual(["User lives in Lisbon", "User likes tea"]);
    expect(document.receipt?.map(({ text }) => text)).toEqual(["User lives in Lisbon", "User likes tea"]);
    expect(await chunksOf(id)).toEqual(["I live in Lisbon. I like tea."]);
    const { results } = await core.search(call, { q: "Who likes tea?", containerTags: ["a"] });
    expect(JSON.stringify(results)).toContain("I like tea.");
    const statements = await opened.store.memories.statements(
      opened.store.organizationId,
      (await documentOf(id)).memories.map((memory) => memory.id),
    );
    const quoted = statements.map(({ quoteAt }) => document.content.slice(quoteAt?.start, quoteAt?.end));
    expect(quoted.toSorted()).toEqual(["I like tea.", "I live in Lisbon."]);
  });

  test("the first line, which is also its title, and every sentence that repeats it", async () => {
    const id = await add(`My wifi code is ${secret}.\n\nI like tea. My wifi code is ${secret}!\n\nI own a boat.`);
    const purged = await purgeSecret(await secretIn(id));
    expect(purged).toMatchObject({ documents: 0, passages: 2 });
    const { document } = await documentOf(id);
    expect(document.content).toBe("\nI like tea.\n\nI own a boat.");
    expect(document.title).toBe("I like tea.");
  });

  test("words quoted by the sender, and the title that repeats them", async () => {
    const quote = `the word is ${secret}`;
    const id = await add(`In case of fire, ${quote}, says the sign. All are well.`, {
      title: `Sign: the word is ${secret}`,
      facts: [
        { text: `The password of the house is ${secret}`, quote },
        { text: "All are well", quote: "All are well" },
      ],
    });
    await purgeSecret(await secretIn(id));
    const { document } = await documentOf(id);
    expect(document.content).toBe("In case of fire, , says the sign. All are well.");
    expect(document.facts?.map(({ text }) => text)).toEqual(["All are well"]);
    expect(await memoriesOf(id)).toEqual(["All are well"]);
  });

  test("a turn of a conversation, which can still continue", async () => {
    const messages = [
      { role: "user", content: "I like tea." },
      { role: "assistant", content: "Good choice." },
      { role: "user", content: `My wifi code is ${secret}.` },
    ];
    const talk = { conversationId: "talk", containerTags: ["a"] };
    const { id } = await core.addConversation(call, { ...talk, messages });
    await opened.settle();
    await purgeSecret(await secretIn(id));
    expect((await documentOf(id)).document.content).toBe("user: I like tea.\n\nassistant: Good choice.");
    await core.addConversation(call, { ...talk, messages: [{ role: "user", content: "I own a boat." }] });
    await opened.settle();
    expect(await memoriesOf(id)).toEqual(["User likes tea", "User owns a boat"]);
  });

  test("part of an uploaded file, while the rest of its text stays", async () => {
    const { id } = await core.addFile(call, {
      bytes: Buffer.from(`I like tea.\n\nMy wifi code is ${secret}.`).toString("base64"),
      name: "notes.md",
      document: { containerTags: ["a"] },
    });
    await opened.settle();
    expect(await purgeSecret(await secretIn(id))).toMatchObject({ documents: 0, files: 1, passages: 1 });
    expect((await documentOf(id)).document).toMatchObject({ content: "I like tea.\n", url: null, title: "notes.md" });
    await expect(core.getDocumentFile(call, { id })).rejects.toMatchObject({ kind: "not_found" });
  });

  test("earlier submissions, whether or not the text continued from them", async () => {
    const id = await add(`My wifi code is ${secret}. I like tea.`, { customId: "diary" });
    const memoryId = await secretIn(id);
    await add(`My wifi code is ${secret}. I like tea. I own a boat.`, { customId: "diary" });
    await core.updateDocument(call, { id, content: `Anew. I like tea. My wifi code is ${secret}.` });
    await opened.settle();
    await purgeSecret(memoryId);
    expect((await documentOf(id)).document.content).toBe("Anew. I like tea.");
    await add("Anew. I like tea. I play chess.", { customId: "diary" });
    expect(await memoriesOf(id)).toContain("User plays chess");
  });

  test("the replaced text of a document, and other documents that state the same", async () => {
    const id = await add(`My wifi code is ${secret}. I like tea.`);
    const memoryId = await secretIn(id);
    await core.updateDocument(call, { id, content: "I own a boat." });
    await opened.settle();
    const other = await add(`I play chess. My wifi code is ${secret}.`);
    expect(await secretIn(other)).not.toBe(memoryId);
    expect(await purgeSecret(memoryId)).toMatchObject({ documents: 0, memories: 2, passages: 1 });
    expect((await documentOf(id)).document.content).toBe("I own a boat.");
    expect((await documentOf(other)).document.content).toBe("I play chess.");
  });

  test("also while the document is still being read", async () => {
    const id = await add(`My wifi code is ${secret}. I like tea.`, { customId: "diary" });
    const memoryId = await secretIn(id);
    await opened.hold();
    await core.addDocument(call, {
      content: `My wifi code is ${secret}. I like tea. I own a boat.`,
      containerTags: ["a"],
      customId: "diary",
    });
    await core.purge(call, { memoryId, confirm });
    expect(files()).toEqual([]);
    await opened.settle();
    expect(files()).toEqual([]);
    expect((await documentOf(id)).document).toMatchObject({
      content: "I like tea. I own a boat.",
      dreamingStatus: "done",
    });
    expect(await memoriesOf(id)).toEqual(["User likes tea", "User owns a boat"]);
  });

  test("also while the document is changed: it is removed from the current text", async () => {
    const content = `My wifi code is ${secret}. I like tea.`;
    const id = await add(content, { customId: "diary" });
    const memoryId = await secretIn(id);
    const { store } = opened.context;
    const changed = `${content} I own a boat.\n- My wifi code is ${secret}!`;
    let changes = 0;
    const transaction: typeof store.transaction = async (work) => {
      // Between finding and cutting, which are the second and all later transactions of a purge.
      if ((changes += 1) === 2)
        await core.addDocument(call, { content: changed, containerTags: ["a"], customId: "diary" });
      return store.transaction(work);
    };
    const purging = createCore({ ...opened.context, store: { ...store, transaction } });
    const purged = await purging.purge(call, { memoryId, confirm });
    expect(changes).toBeGreaterThan(3);
    expect(purged).toMatchObject({ passages: 2, statedIn: [], complete: true });
    expect((await documentOf(id)).document.content).toBe("I like tea. I own a boat.\n-");
    await opened.settle();
    expect(files()).toEqual([]);
    expect((await memoriesOf(id)).toSorted()).toEqual(["User likes tea", "User owns a boat"]);
  });

  test("the whole document if it says nothing else, but not memories of others that quote it", async () => {
    const id = await add(`I live in Lisbon and my wifi code is ${secret}.`);
    const memories = await memoriesOf(id);
    expect(memories).toContain("User lives in Lisbon");
    expect(await purgeSecret(await secretIn(id))).toMatchObject({ documents: 1, memories: 1, passages: 0 });
    await expect(documentOf(id)).rejects.toMatchObject({ kind: "not_found" });
    const { results } = await core.search(call, { q: "Lisbon", containerTags: ["a"], searchMode: "memories" });
    expect(results.map(({ text }) => text)).toEqual(["User lives in Lisbon"]);
  });

  test("the title of a document deleted earlier, from the journal", async () => {
    const id = await add(`My wifi code is ${secret}.`);
    const memoryId = await secretIn(id);
    await core.deleteDocument(call, { id });
    await purgeSecret(memoryId);
  });

  test("also when the memory was forgotten before", async () => {
    const id = await add(`I like tea. My wifi code is ${secret}.`);
    const memoryId = await secretIn(id);
    await core.forget(call, { ids: [memoryId] });
    expect((await documentOf(id)).document.content).toContain(secret);
    await purgeSecret(memoryId);
    expect((await documentOf(id)).document.content).toBe("I like tea.");
  });
});

describe("purging one of several memories created together", () => {
  const write = async (...texts: string[]) => {
    const { documentId, memories } = await core.createMemories(call, {
      containerTag: "a",
      memories: texts.map((content) => ({ content })),
    });
    return { documentId, ids: memories.map(({ id }) => id) };
  };

  test.each([
    [["Ben", "Ben works with Benedict at Benco"], 0],
    [["Ben works with Benedict at Benco", "Ben"], 1],
    [["Benedict", "Ben works with Benedict at Benco", "Ben"], 0],
    [["Ben.", "I met Ben. Ben. Yes"], 0],
    [["One\nBen\nThree", "Ben"], 1],
    [["Ben", "One\nBen\nThree"], 0],
    [["One\nBen\nThree", "Ben"], 0],
  ])("of %j removes number %i, and its neighbours stay identical", async (texts, index) => {
    const { documentId, ids } = await write(...texts);
    await core.purge(call, { memoryId: ids[index], confirm });
    const others = texts.filter((_, at) => at !== index);
    expect((await documentOf(documentId)).document.content).toBe(others.join("\n"));
    expect(await memoriesOf(documentId)).toEqual(others);
    const search = await core.search(call, { q: others[0] ?? "", containerTags: ["a"], searchMode: "memories" });
    expect(search.results.map(({ text }) => text)).toContain(others[0]);
  });

  test("works in the same way for memories of an earlier version, without recorded positions", async () => {
    const { documentId, ids } = await write("One\nBen\nThree", "Ben", "Benedict");
    const { store } = opened;
    for (const id of ids) {
      await store.memories.removeSource(store.organizationId, id, documentId);
      await store.memories.addSource(store.organizationId, id, documentId, null);
    }
    await core.purge(call, { memoryId: ids[1], confirm });
    expect((await documentOf(documentId)).document.content).toBe("One\nBen\nThree\nBenedict");
  });

  test("also removes an entry that only repeated it", async () => {
    const { documentId, ids } = await write(`The code is ${secret}`, "Ben", `the code is ${secret}.`);
    expect(ids[2]).toBe(ids[0]);
    await purgeSecret(ids[0] ?? "");
    expect((await documentOf(documentId)).document.content).toBe("Ben");
  });
});

test("a key of one container removes nothing from a document shared with another, and learns which one it is", async () => {
  const content = `I like tea. My wifi code is ${secret}.`;
  const { id } = await core.addDocument(call, { content, containerTags: ["a", "b"] });
  await opened.settle();
  const ofA = (await documentOf(id)).memories.filter(({ containerTag }) => containerTag === "a");
  const memoryId = ofA.find(({ text }) => text.includes(secret))?.id;
  const purged = await core.purge(opened.call(["a"]), { memoryId, confirm });
  expect(purged).toMatchObject({ documents: 0, memories: 1, passages: 0, statedIn: [id] });
  const { document, memories } = await documentOf(id);
  expect(document.content).toBe(content);
  expect(memories.map(({ containerTag, text }) => `${containerTag}: ${text}`)).toEqual([
    "a: User likes tea",
    "b: User likes tea",
    `b: User's wifi code is ${secret}`,
  ]);
});

test("removes the passage from a document and its memories in all of its containers", async () => {
  const { id } = await core.addDocument(call, {
    content: `I like tea. My wifi code is ${secret}.`,
    containerTags: ["a", "b"],
  });
  await opened.settle();
  expect(await purgeSecret(await secretIn(id))).toMatchObject({ documents: 0, memories: 2, passages: 1, statedIn: [] });
  const { document, memories } = await documentOf(id);
  expect(document.content).toBe("I like tea.");
  expect(memories.map(({ containerTag, text }) => `${containerTag}: ${text}`)).toEqual([
    "a: User likes tea",
    "b: User likes tea",
  ]);
});

test("names documents of other containers that say the same, to callers who may see them", async () => {
  const content = `My wifi code is ${secret}.`;
  const id = await add(content);
  const other = await add(`${content} I like tea.`, { containerTags: ["c"] });
  const again = await add(content, { containerTags: ["b"] });
  const named = await core.purge(opened.call(["a", "c"]), { memoryId: await secretIn(id), confirm });
  expect(named.statedIn).toEqual([other]);
  expect((await core.purge(call, { memoryId: await secretIn(again), confirm })).statedIn).toEqual([other]);
  expect((await documentOf(other)).memories).toHaveLength(2);
});
