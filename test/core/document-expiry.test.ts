import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Call, Core } from "../../src/core/index.js";
import { forgetExpired } from "../../src/core/upkeep/upkeep.js";
import { type ManualCore, openManualCore } from "../support/manual-core.js";

const TEXT = "Mia rehearses the cello. The stage door code of the theatre is 4711.";
const FACT = "Mia rehearses the cello";
const LIFETIME_MS = 90_000;

let opened: ManualCore;
let core: Core;
let call: Call;
beforeEach(async () => {
  opened = await openManualCore();
  core = opened.core;
  call = opened.call();
});
afterEach(() => opened.close());

const inLifetime = () => opened.clock.from(LIFETIME_MS).toISOString();
const sweep = () => forgetExpired(opened.context, new AbortController().signal);

async function add(values: Record<string, unknown> = {}): Promise<string> {
  const input = { content: TEXT, containerTags: ["a"], dreaming: "instant", facts: [{ text: FACT }], ...values };
  const { id } = await core.addDocument(call, input);
  await opened.settle();
  return id;
}

interface Found {
  readonly memory: readonly string[];
  readonly chunk: readonly string[];
}

/** Search results, forgotten or not, as `id` or `id, forgotten` of a memory's text or a chunk's document. */
async function found(values: Record<string, unknown> = {}): Promise<Found> {
  const asked = { q: "cello code of the stage door", containerTags: ["a"], threshold: 0, limit: 100, ...values };
  const { results } = await core.search(call, asked);
  const shown = (kind: "memory" | "chunk") =>
    results
      .filter((result) => result.kind === kind)
      .map(({ text, documents, standing }) => {
        const name = kind === "memory" ? text : (documents[0]?.id ?? "");
        return standing === "forgotten" ? `${name}, forgotten` : name;
      })
      .toSorted();
  return { memory: shown("memory"), chunk: shown("chunk") };
}

const journal = (documentId: string) =>
  opened.store.journal.list(opened.store.organizationId, { documentId, offset: 0, limit: 100 });

const NOTHING: Found = { memory: [], chunk: [] };
const FORGOTTEN = { includeForgotten: true };
const told = (id: string): Found => ({ memory: [FACT], chunk: [id] });
const gone = (id: string): Found => ({ memory: [`${FACT}, forgotten`], chunk: [`${id}, forgotten`] });

describe("an expired document", () => {
  test("is forgotten to the millisecond and shown among forgotten results, before and after the clean-up", async () => {
    const id = await add({ forgetAfter: inLifetime() });
    opened.clock.advance(LIFETIME_MS - 1);
    expect(await found()).toEqual(told(id));
    opened.clock.advance(1);
    for (const step of [async () => undefined, sweep]) {
      await step();
      expect(await found()).toEqual(NOTHING);
      expect(await found({ searchMode: "documents" })).toEqual(NOTHING);
      expect(await found(FORGOTTEN)).toEqual(gone(id));
      expect(await found({ ...FORGOTTEN, searchMode: "documents" })).toEqual({ ...gone(id), memory: [] });
      for (const q of ["cello code", "*"])
        expect((await core.searchDocuments(call, { q, containerTags: ["a"] })).results).toEqual([]);
      expect((await core.searchDocuments(call, { q: "*", documentId: id })).results).toEqual([]);
    }
    expect((await core.getDocument(call, { id })).document.content).toBe(TEXT);
  });

  test("does not take places among search candidates", async () => {
    const passage = (number: number) =>
      `Code ${number} of the stage door opens it. ${"It is written down. ".repeat(30)}`;
    const content = Array.from({ length: 600 }, (_, index) => passage(1_000 + index)).join("\n\n");
    await add({ content, forgetAfter: inLifetime(), taskType: "superrag" });
    const id = await add({ content: "A door of the barn is red", taskType: "superrag" });
    opened.clock.advance(LIFETIME_MS);
    await sweep();
    expect(await found({ q: "code of the stage door", limit: 1 })).toEqual({ memory: [], chunk: [id] });
    expect((await found({ q: "code of the stage door", ...FORGOTTEN })).chunk.length).toBeGreaterThan(1);
  }, 20_000);

  test("may be expired when it is added", async () => {
    const id = await add({ forgetAfter: "2001-02-03" });
    expect(await found()).toEqual(NOTHING);
    expect(await found(FORGOTTEN)).toEqual(gone(id));
    const { document } = await core.getDocument(call, { id });
    expect(document.receipt).toEqual([expect.not.objectContaining({ searchableAt: expect.anything() })]);
  });

  test("is not in a profile or a list of memories", async () => {
    await add({ forgetAfter: inLifetime() });
    opened.clock.advance(LIFETIME_MS);
    const profile = await core.profile(call, { containerTag: "a" });
    expect([profile.static, profile.dynamic]).toEqual([[], []]);
    expect((await core.listMemories(call, { containerTags: ["a"] })).total).toBe(0);
  });
});

describe("changing the expiry", () => {
  test.each([
    ["before the clean-up", async () => undefined],
    ["after the clean-up", sweep],
  ])("to null restores everything that expired with the document, %s", async (_when, before) => {
    const id = await add({ forgetAfter: inLifetime() });
    opened.clock.advance(LIFETIME_MS);
    await before();
    await core.updateDocument(call, { id, forgetAfter: null });
    expect(await found()).toEqual(told(id));
    opened.clock.advance(LIFETIME_MS);
    await sweep();
    expect(await found()).toEqual(told(id));
    expect((await core.getDocument(call, { id })).document.forgetAfter).toBeNull();
  });

  test("to a past time applies immediately, and to a later time restores the document until then", async () => {
    const id = await add();
    await core.updateDocument(call, { id, forgetAfter: "2001-02-03T04:05:06Z" });
    expect(await found()).toEqual(NOTHING);
    await sweep();
    await core.updateDocument(call, { id, forgetAfter: inLifetime() });
    expect(await found()).toEqual(told(id));
    opened.clock.advance(LIFETIME_MS);
    expect(await found()).toEqual(NOTHING);
  });

  test("leaves memories forgotten by a person forgotten, and keeps each memory's own expiry", async () => {
    const [own, other] = ["The concert is on Friday", "The hall is cold"];
    const facts = [{ text: FACT }, { text: own, forgetAfter: opened.clock.from(2 * LIFETIME_MS).toISOString() }];
    const id = await add({ forgetAfter: inLifetime(), facts: [...facts, { text: other }] });
    await core.forget(call, { content: other, containerTag: "a" });
    opened.clock.advance(LIFETIME_MS);
    await sweep();
    await core.updateDocument(call, { id, forgetAfter: null });
    expect((await found()).memory).toEqual([FACT, own]);
    opened.clock.advance(LIFETIME_MS);
    expect((await found()).memory).toEqual([FACT]);
  });

  test("is journalled with each affected memory, and the addition can still be undone afterwards", async () => {
    const id = await add();
    await core.updateDocument(call, { id, forgetAfter: inLifetime() });
    const { entries } = await journal(id);
    expect(entries.map(({ action }) => action)).toEqual(
      expect.arrayContaining(["memory.expiry-changed", "document.updated"]),
    );
    const changed = entries.find(({ action }) => action === "memory.expiry-changed");
    await core.undoBatch(call, { batchId: changed?.batchId ?? "" });
    const added = entries.find(({ action }) => action === "memory.added");
    const undone = await core.undoBatch(call, { batchId: added?.batchId ?? "" });
    expect(JSON.stringify(undone)).not.toContain("changed since");
    expect((await found()).memory).toEqual([]);
  });
});

describe("a memory stated by several documents", () => {
  test("lasts as long as any of them", async () => {
    await add({ forgetAfter: inLifetime() });
    const lasting = await add({ content: `${FACT}. She also sings.` });
    opened.clock.advance(LIFETIME_MS);
    await sweep();
    expect(await found()).toEqual(told(lasting));
    await core.updateDocument(call, { id: lasting, forgetAfter: "2001-02-03" });
    expect(await found()).toEqual(NOTHING);
  });

  test("stays if its owner has given it a different expiry since", async () => {
    await add({ forgetAfter: inLifetime() });
    await core.updateMemory(call, { content: FACT, containerTag: "a", newContent: FACT, forgetAfter: null });
    opened.clock.advance(LIFETIME_MS);
    await sweep();
    expect(await found()).toEqual({ memory: [FACT], chunk: [] });
  });
});

describe("adding the same customId again", () => {
  const customId = "note-1";

  test("keeps the expiry if it names none, and otherwise uses the new one", async () => {
    const id = await add({ customId, forgetAfter: inLifetime() });
    await add({ customId, content: `${TEXT} The rehearsal begins at nine.` });
    const end = async () => (await core.getDocument(call, { id })).document.forgetAfter;
    expect(await end()).toBe(inLifetime());
    opened.clock.advance(LIFETIME_MS);
    await sweep();
    await add({ customId, content: "The stage door code is 0815 now." });
    expect(await found()).toEqual(NOTHING);
    expect((await found(FORGOTTEN)).chunk).toEqual([`${id}, forgotten`]);
    await add({ customId, forgetAfter: null });
    expect(await end()).toBeNull();
    expect(await found()).toEqual(told(id));
  });

  test("changes only the expiry if the text is the same", async () => {
    const id = await add({ customId });
    await add({ customId, forgetAfter: "2001-02-03" });
    expect(await found()).toEqual(NOTHING);
    await add({ customId, forgetAfter: null });
    expect(await found()).toEqual(told(id));
  });

  test("keeps a forgotten document forgotten with new text, unless it has a new expiry", async () => {
    const id = await add({ forgetAfter: "2001-02-03" });
    await sweep();
    await core.updateDocument(call, { id, content: "The stage door code is 0815 now." });
    await opened.settle();
    expect(await found()).toEqual(NOTHING);
    await core.updateDocument(call, { id, content: "The stage door code is 1234 now.", forgetAfter: null });
    await opened.settle();
    expect((await found({ searchMode: "documents" })).chunk).toEqual([id]);
  });
});

test("the expiry of a batch applies to each document that names none; null means no expiry", async () => {
  const documents = [{ content: "The cello is old." }, { content: "The cello is new.", forgetAfter: null }];
  const { items } = await core.addDocuments(call, { documents, containerTags: ["a"], forgetAfter: "2001-02-03" });
  await opened.settle();
  expect((await found()).chunk).toEqual([items[1]?.id]);
});

test("an expired document replaces nothing, and one that expires replaces a memory only until then", async () => {
  const { memories } = await core.createMemories(call, {
    containerTag: "a",
    memories: [{ content: "Mia lives in Ghent" }],
  });
  const facts = [{ text: "Mia lives in Porto" }];
  await add({ content: "Mia lives in Porto.", forgetAfter: inLifetime(), facts });
  const replacing = [{ text: "Mia lives in Rome", updates: memories[0]?.id ?? "" }];
  await add({ content: "Mia lives in Rome.", forgetAfter: "2001-02-03", facts: replacing });
  expect((await found({ q: "Where does Mia live?" })).memory).toEqual(["Mia lives in Porto"]);
  opened.clock.advance(LIFETIME_MS);
  await sweep();
  expect((await found({ q: "Where does Mia live?" })).memory).toEqual(["Mia lives in Ghent"]);
});

test("an expiry without an offset is in the time zone of the document's container", async () => {
  await core.updateContainer(call, { containerTag: "a", timezone: "Pacific/Auckland" });
  const id = await add({ forgetAfter: "2040-06-01T09:00:00" });
  expect((await core.getDocument(call, { id })).document.forgetAfter).toBe("2040-05-31T21:00:00.000Z");
});

test("nobody can expire memories of a container they may not see", async () => {
  const forgotten = inLifetime();
  await core.createMemories(call, { containerTag: "b", memories: [{ content: FACT }] });
  const stranger = opened.call(["a"]);
  const { id } = await core.addDocument(stranger, { content: TEXT, facts: [{ text: FACT }], forgetAfter: forgotten });
  await opened.settle();
  await core.updateDocument(stranger, { id, forgetAfter: "2001-02-03" });
  const theirs = await core.search(call, { q: FACT, containerTags: ["b"], searchMode: "memories" });
  expect(theirs.results.map(({ text }) => text)).toEqual([FACT]);
});
