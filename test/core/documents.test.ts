import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Core, Call, DocumentReceipt } from "../../src/core/index.js";
import { createId } from "../../src/lib/ids.js";
import { iso } from "../../src/lib/time.js";
import { type ManualCore, openManualCore } from "../support/manual-core.js";

let opened: ManualCore;
let core: Core;
let call: Call;

beforeEach(async () => {
  opened = await openManualCore();
  core = opened.core;
  call = opened.call();
});
afterEach(() => opened.close());

const add = (input: Record<string, unknown>): Promise<DocumentReceipt> =>
  core.addDocument(call, { containerTags: ["a"], ...input });
const get = async (id: string) => (await core.getDocument(call, { id })).document;
const texts = async (q: string, more: Record<string, unknown> = {}) =>
  (await core.search(call, { q, containerTags: ["a"], threshold: 0, searchMode: "documents", ...more })).results.map(
    (result) => result.text,
  );

describe("adding a document", () => {
  test("returns a receipt, and the document can be read immediately", async () => {
    const receipt = await add({
      content: "Ada keeps bees.",
      metadata: { k: 1 },
      title: "Bees",
      documentDate: "2024-01-02",
    });
    expect(receipt).toEqual({
      id: receipt.id,
      status: "queued",
      dreamingStatus: "dreaming",
      containerTags: ["a"],
      facts: null,
      errorReason: null,
      factsLeftOut: 0,
    });
    expect(await get(receipt.id)).toMatchObject({
      content: "Ada keeps bees.",
      metadata: { k: 1 },
      title: "Bees",
      documentDate: "2024-01-02",
      revision: 1,
    });
  });

  test("processes it: searchable, with its facts remembered and listed on the receipt", async () => {
    const { id } = await add({ content: "Ada keeps bees on the roof of her house." });
    await opened.settle();
    const { document, memories } = await core.getDocument(call, { id });
    expect(document).toMatchObject({
      status: "done",
      dreamingStatus: "done",
      title: "Ada keeps bees on the roof of her house.",
    });
    expect(memories).toHaveLength(1);
    expect(document.receipt).toEqual([
      { id: memories[0]?.id, text: memories[0]?.text, outcome: "added", searchableAt: iso(opened.clock.now()) },
    ]);
    expect(await texts("bees")).toEqual(["Ada keeps bees on the roof of her house."]);
  });

  test("without a container uses the default one; a tag named twice counts once", async () => {
    expect((await core.addDocument(call, { content: "x y" })).containerTags).toEqual(["sm_project_default"]);
    expect((await core.addDocument(call, { content: "x y", containerTags: [] })).containerTags).toEqual([
      "sm_project_default",
    ]);
    expect((await add({ content: "x y", containerTags: ["b", "a", "b"] })).containerTags).toEqual(["b", "a"]);
  });

  test("with wait returns when processing is done or the time is up", async () => {
    const through = await add({ content: "Ada keeps bees on the roof.", wait: 20 });
    expect(through).toMatchObject({ status: "done", dreamingStatus: "done" });
    expect(through.facts).toHaveLength(1);
    const receipt = await add({ content: "Bo keeps sheep on the hill.", wait: 0 });
    expect(receipt.status).toBe("queued");
  });

  test("as superrag makes it searchable and remembers nothing from it", async () => {
    const { id } = await add({ content: "Ada keeps bees on the roof.", taskType: "superrag", wait: 20 });
    const { document, memories } = await core.getDocument(call, { id });
    expect(document).toMatchObject({ status: "done", dreamingStatus: "done", receipt: [] });
    expect(memories).toEqual([]);
  });

  test("with stated facts remembers exactly those; a fact may replace a memory", async () => {
    const first = await add({ content: "A note.", facts: [{ text: "Ada lives in Rome", isStatic: true }], wait: 20 });
    const [old] = first.facts ?? [];
    expect(old).toMatchObject({ text: "Ada lives in Rome", outcome: "added" });
    const second = await add({
      content: "Another.",
      facts: [{ text: "Ada lives in Oslo", updates: old?.id }],
      wait: 20,
    });
    expect(second.facts).toEqual([
      {
        id: expect.any(String) as string,
        text: "Ada lives in Oslo",
        outcome: "updated",
        replaced: old?.id,
        statedIn: [{ id: first.id, title: "A note.", source: null, isLeftOut: false }],
        searchableAt: iso(opened.clock.now()),
      },
    ]);
    const profile = await core.profile(call, { containerTag: "a" });
    expect([...(profile.static ?? []), ...(profile.dynamic ?? [])].map((memory) => memory.text)).toEqual([
      "Ada lives in Oslo",
    ]);
  });

  test("keeps both of two facts that replace the same memory", async () => {
    const first = await add({ content: "A note.", facts: [{ text: "Ada lives and works in Rome" }], wait: 20 });
    const updates = first.facts?.[0]?.id;
    const facts = [
      { text: "Ada lives in Oslo", updates },
      { text: "Ada works in Bonn", updates },
    ];
    const second = await add({ content: "Another.", facts, wait: 20 });
    expect(second.facts).toMatchObject([{ outcome: "updated", replaced: updates }, { outcome: "added" }]);
    const { dynamic } = await core.profile(call, { containerTag: "a" });
    expect(dynamic?.map((memory) => memory.text)).toEqual(["Ada works in Bonn", "Ada lives in Oslo"]);
  });

  test.each([
    ["that does not exist", "a", () => createId()],
    ["in another container", "b", (id: string) => id],
  ])("with a fact that replaces a memory %s is rejected, naming the field", async (_name, containerTag, idOf) => {
    const { memories } = await core.createMemories(call, {
      containerTag: "a",
      memories: [{ content: "Ada lives in Rome" }],
    });
    const before = await opened.rowCounts();
    const facts = [{ text: "fine" }, { text: "Ada lives in Oslo", updates: idOf(memories[0]?.id ?? "") }];
    await expect(
      core.addDocument(call, { content: "x y", containerTags: [containerTag], facts }),
    ).rejects.toMatchObject({
      kind: "invalid",
      issues: [{ path: ["facts", 1, "updates"] }],
    });
    expect(await opened.rowCounts()).toEqual(before);
  });
});

describe("the same operation id", () => {
  test("creates one document, and the second call gets the response of the first", async () => {
    const again = { ...call, operationId: "op-1" };
    const one = await core.addDocument(again, { content: "Ada keeps bees.", containerTags: ["a"] });
    const two = await core.addDocument(again, { content: "Ada keeps bees.", containerTags: ["a"] });
    expect(two).toEqual(one);
    expect((await core.listDocuments(call, {})).total).toBe(1);
  });

  test("in many simultaneous calls does the work once", async () => {
    const again = { ...call, operationId: "op-2" };
    const receipts = await Promise.all(
      Array.from({ length: 10 }, () => core.addDocument(again, { content: "Ada keeps bees.", containerTags: ["a"] })),
    );
    expect(new Set(receipts.map((receipt) => receipt.id)).size).toBe(1);
    expect((await core.listDocuments(call, {})).total).toBe(1);
  });

  test("of another caller or another use case is a different operation", async () => {
    const theirs = { actor: opened.call(["a"]).actor, operationId: "op-3" };
    const mine = { ...call, operationId: "op-3" };
    const one = await core.addDocument(mine, { content: "Ada keeps bees.", containerTags: ["a"] });
    const two = await core.addDocument(theirs, { content: "Bo keeps sheep.", containerTags: ["a"] });
    expect(two.id).not.toBe(one.id);
    expect(await core.deleteDocument(mine, { id: one.id })).toEqual({ id: one.id, kind: "document", statedIn: [] });
    expect(await core.deleteDocument(mine, { id: one.id })).toEqual({ id: one.id, kind: "document", statedIn: [] });
    expect((await core.listDocuments(call, {})).total).toBe(1);
  });

  test("of a failed call tries again", async () => {
    const again = { ...call, operationId: "op-4" };
    await expect(core.deleteDocument(again, { id: "nothing" })).rejects.toMatchObject({ kind: "not_found" });
    await add({ content: "x y", customId: "nothing" });
    await expect(core.deleteDocument(again, { id: "nothing" })).resolves.toMatchObject({});
  });
});

describe("adding a customId again", () => {
  const first = { content: "Ada keeps bees on the roof.", customId: "note" };

  test("with the same text does no work and returns the current state", async () => {
    const { id } = await add({ ...first, wait: 20 });
    const before = await opened.rowCounts();
    const again = await add(first);
    expect(again).toMatchObject({ id, status: "done", dreamingStatus: "done" });
    expect(await get(id)).toMatchObject({ revision: 1 });
    expect(await opened.rowCounts()).toEqual(before);
  });

  test("with different text replaces it: one document with the new text, and the old text is no longer found", async () => {
    const { id } = await add({ ...first, wait: 20 });
    const again = await add({ ...first, content: "Bo herds sheep on the hill." });
    expect(again).toMatchObject({ id, status: "queued", facts: null });
    expect(await get(id)).toMatchObject({ revision: 2, content: "Bo herds sheep on the hill." });
    await opened.settle();
    expect(await texts("sheep bees")).toEqual(["Bo herds sheep on the hill."]);
    expect((await core.listDocuments(call, {})).total).toBe(1);
    expect(await opened.everything()).toContain("Ada keeps bees on the roof.");
  });

  test("with different text derives a new title, unless the title was set explicitly", async () => {
    const derived = await add({ ...first, wait: 20 });
    const chosen = await add({ ...first, customId: "other", title: "My title", wait: 20 });
    await add({ ...first, content: "Bo herds sheep on the hill.", wait: 20 });
    await add({ content: "Bo herds sheep on the hill.", customId: "other", wait: 20 });
    expect((await get(derived.id)).title).toBe("Bo herds sheep on the hill.");
    expect((await get(chosen.id)).title).toBe("My title");
  });

  test("while it is being processed ends with the newest text only", async () => {
    const receipts = await Promise.all(
      Array.from({ length: 8 }, (_, index) => add({ customId: "note", content: `Ada keeps ${index + 2} goats now.` })),
    );
    expect(new Set(receipts.map((receipt) => receipt.id)).size).toBe(1);
    await opened.settle();
    const document = await get(receipts[0]?.id ?? "");
    expect(document).toMatchObject({ status: "done", dreamingStatus: "done", revision: 8 });
    expect(await texts("goats")).toEqual([document.content]);
    expect(await opened.store.jobs.counts()).toMatchObject({ waiting: 0, dead: 0 });
  });

  test("with only other metadata, title or path changes just those", async () => {
    const { id } = await add({ ...first, metadata: { a: 1, b: 2 }, wait: 20 });
    const again = await add({ ...first, metadata: { b: 3, sm_source: "slack" } });
    expect(again.status).toBe("done");
    expect(await get(id)).toMatchObject({ metadata: { a: 1, b: 3 }, source: "slack", revision: 1 });
    await add({ ...first, title: "New title" });
    await add({ ...first, filepath: "/new/path.md" });
    expect(await get(id)).toMatchObject({
      title: "New title",
      filepath: "/new/path.md",
      metadata: { a: 1, b: 3 },
      revision: 1,
      status: "done",
    });
  });

  test("cannot extend its metadata beyond the limit step by step", async () => {
    await opened.close();
    opened = await openManualCore({ limits: { maxMetadataBytes: 100 } });
    ({ core } = opened);
    call = opened.call();
    const { id } = await add({ ...first, metadata: { one: "x".repeat(60) } });
    await expect(add({ ...first, metadata: { two: "y".repeat(60) } })).rejects.toMatchObject({
      kind: "too_large",
      message: expect.stringMatching(/^metadata: .*100.*RECOLLECT_MAX_METADATA_BYTES/) as string,
    });
    expect((await get(id)).metadata).toEqual({ one: "x".repeat(60) });
  });

  test("in another container creates a separate document, and leaves the first unchanged", async () => {
    const { id } = await add({ ...first, wait: 20 });
    const other = await add({ ...first, content: "Bo owns two goats.", containerTags: ["b"], wait: 20 });
    expect(other.id).not.toBe(id);
    expect(await get(id)).toMatchObject({ containerTags: ["a"], content: first.content, revision: 1 });
    expect(await texts("bees goats")).toEqual([first.content]);
    expect(await texts("bees goats", { containerTags: ["b"] })).toEqual(["Bo owns two goats."]);
    expect((await core.profile(call, { containerTag: "a" })).dynamic).toHaveLength(1);
    expect(await add(first)).toMatchObject({ id, status: "done" });
    expect(await add({ ...first, content: "Bo owns two goats.", containerTags: ["b"] })).toMatchObject({
      id: other.id,
      status: "done",
    });
  });

  test("in one of its containers updates it, and it is then only in the containers named last", async () => {
    const { id } = await add({ ...first, containerTags: ["a", "b"], wait: 20 });
    expect(await add({ ...first, containerTags: ["b"], wait: 20 })).toMatchObject({ id, containerTags: ["b"] });
    expect(await texts("bees")).toEqual([]);
    expect(await add({ ...first, containerTags: ["b", "c"], wait: 20 })).toMatchObject({
      id,
      containerTags: ["b", "c"],
    });
    expect(await texts("bees", { containerTags: ["c"] })).toEqual([first.content]);
    const usual = await add({ ...first, containerTags: undefined });
    expect(usual).toMatchObject({ containerTags: ["sm_project_default"] });
    expect(usual.id).not.toBe(id);
  });

  test("with facts remembers them, even if the text is the same", async () => {
    const { id } = await add({ ...first, wait: 20 });
    const again = await add({ ...first, facts: [{ text: "Ada sells honey" }], wait: 20 });
    expect(again.facts).toMatchObject([{ text: "Ada sells honey", outcome: "added" }]);
    expect(await get(id)).toMatchObject({ revision: 2 });
  });

  test("with the same text and the same facts does no work", async () => {
    const facts = [{ text: "Ada sells honey", isStatic: true }];
    await add({ ...first, facts, wait: 20 });
    const before = await opened.rowCounts();
    expect(await add({ ...first, facts })).toMatchObject({ status: "done", facts: [{ outcome: "added" }] });
    expect(await opened.rowCounts()).toEqual(before);
  });

  test("after its document was deleted creates a new document", async () => {
    const { id } = await add({ ...first, wait: 20 });
    await core.deleteDocument(call, { id });
    const again = await add({ ...first, wait: 20 });
    expect(again.id).not.toBe(id);
    expect(again.status).toBe("done");
  });
});

describe("reading documents", () => {
  test("works by id or customId; an id takes precedence over an equal customId", async () => {
    const one = await add({ content: "one text" });
    const two = await add({ content: "two texts", customId: one.id });
    expect((await get(one.id)).content).toBe("one text");
    await core.deleteDocument(call, { id: one.id });
    expect((await get(one.id)).id).toBe(two.id);
  });

  test.each(["nothing", createId(), "a/b c", "ü"])("returns not found for an unknown id: %s", async (id) => {
    const message = `Document not found: ${id}`;
    await expect(core.getDocument(call, { id })).rejects.toMatchObject({ kind: "not_found", message });
    await expect(core.deleteDocument(call, { id })).rejects.toMatchObject({ kind: "not_found", message });
    await expect(core.fetch(call, { id })).rejects.toMatchObject({ kind: "not_found", message });
  });

  test("lists them in pages, and nothing beyond the last page", async () => {
    for (let number = 0; number < 5; number++) {
      await add({ content: `text ${number}`, customId: `d${number}` });
      opened.clock.advance(1);
    }
    const page = async (input: Record<string, unknown>) => {
      const answer = await core.listDocuments(call, input);
      return [answer.documents.map((document) => document.customId), answer.total];
    };
    expect(await page({ limit: 2 })).toEqual([["d4", "d3"], 5]);
    expect(await page({ limit: 2, page: 3 })).toEqual([["d0"], 5]);
    expect(await page({ limit: 2, page: 4 })).toEqual([[], 5]);
    expect(await page({ limit: 1_100, page: 1_000_000_000 })).toEqual([[], 5]);
    expect(await page({ statuses: ["failed"] })).toEqual([[], 0]);
  });

  test("fetches a document with its memories, a memory with its sources, and the newest version for an old one", async () => {
    const { id, facts } = await add({ content: "A note.", facts: [{ text: "Ada lives in Rome" }], wait: 20 });
    const memoryId = facts?.[0]?.id ?? "";
    expect(await core.fetch(call, { id })).toMatchObject({
      document: { id },
      memory: null,
      memories: [{ id: memoryId }],
    });
    expect(await core.fetch(call, { id: memoryId })).toMatchObject({ memory: { id: memoryId }, sources: [id] });
    const next = await add({ content: "Moved.", facts: [{ text: "Ada lives in Oslo", updates: memoryId }], wait: 20 });
    const newest = next.facts?.[0]?.id;
    expect(await core.fetch(call, { id: memoryId })).toMatchObject({
      memory: { isLatest: false },
      memories: [{ id: newest }],
    });
    await core.forget(call, { ids: [memoryId] });
    expect((await core.fetch(call, { id: memoryId })).memories).toEqual([]);
  });
});

describe("deleting a document", () => {
  test("removes it everywhere; a fact also stated by another document stays", async () => {
    const one = await add({
      content: "Note one.",
      facts: [{ text: "Ada keeps bees" }, { text: "Ada has a roof" }],
      wait: 20,
    });
    const two = await add({ content: "Note two.", facts: [{ text: "Ada keeps bees" }], wait: 20 });
    await core.deleteDocument(call, { id: one.id });
    expect(await texts("note")).toEqual(["Note two."]);
    const { dynamic } = await core.profile(call, { containerTag: "a" });
    expect(dynamic?.map((memory) => [memory.text, memory.sourceCount])).toEqual([["Ada keeps bees", 1]]);
    await core.deleteDocument(call, { id: two.id });
    expect((await core.profile(call, { containerTag: "a" })).dynamic).toEqual([]);
    await expect(core.deleteDocument(call, { id: two.id })).rejects.toMatchObject({ kind: "not_found" });
  });

  test("in any state leaves no work behind", async () => {
    const receipts = await Promise.all(
      Array.from({ length: 12 }, (_, index) => add({ content: `Ada keeps ${index + 2} bees. `.repeat(40) })),
    );
    await Promise.all(receipts.map(({ id }) => core.deleteDocument(call, { id })));
    await opened.settle();
    const rows = await opened.rowCounts();
    for (const table of [
      "documents",
      "chunks",
      "vectors",
      "jobs",
      "text_index_docsize",
      "document_containers",
      "memory_sources",
    ])
      expect([table, rows[table]]).toEqual([table, 0]);
  });
});
