import { describe, expect, test } from "vitest";
import { createId } from "../../../src/lib/ids.js";
import { DOCUMENT_CATEGORIES, type DocumentCategory } from "../../../src/core/types.js";
import type { MemoryQuery } from "../../../src/core/ports.js";
import { buildCondition, buildDocumentQuery, only } from "../../support/builders.js";
import { type OpenStore, OTHER_ORGANIZATION, rising, useStore } from "./fixture.js";

export function memoryPagesContract(open: OpenStore): void {
  const at = useStore(open);
  const list = async (values: Partial<MemoryQuery> = {}, organization = at.organization) => {
    const { memories, total } = await at.store.memories.list(organization, {
      containerTags: ["a"],
      sort: "createdAt",
      order: "desc",
      offset: 0,
      limit: 100,
      ...values,
    });
    return { texts: memories.map(({ text }) => text), total };
  };
  const forget = (id: string) => at.store.memories.update(at.organization, id, { isForgotten: true });

  describe("a page of memories", () => {
    test("is sorted newest or oldest first, with the total number", async () => {
      for (const text of ["one", "two", "three"]) {
        await at.addMemory({ text });
        at.clock.advance(1_000);
      }
      expect(await list()).toEqual({ texts: ["three", "two", "one"], total: 3 });
      expect(await list({ order: "asc" })).toEqual({ texts: ["one", "two", "three"], total: 3 });
      expect(await list({ limit: 1, offset: 1 })).toEqual({ texts: ["two"], total: 3 });
      expect(await list({ offset: 3 })).toEqual({ texts: [], total: 3 });
    });

    test("is sorted by the last change; equal times in the order of creation", async () => {
      const first = await at.addMemory({ text: "one" });
      await at.addMemory({ text: "two" });
      await at.addMemory({ text: "three" });
      expect(await list()).toEqual({ texts: ["three", "two", "one"], total: 3 });
      at.clock.advance(1_000);
      await at.store.memories.update(at.organization, first.id, { strength: 2 });
      expect((await list({ sort: "updatedAt" })).texts).toEqual(["one", "three", "two"]);
      expect((await list({ sort: "updatedAt", order: "asc" })).texts).toEqual(["two", "three", "one"]);
    });

    test("contains only active ones, in the named containers, that match the filter", async () => {
      await at.addMemory({ text: "red", metadata: { team: "red" } });
      await at.addMemory({ text: "blue", metadata: { team: "blue" } });
      await at.addMemory({ text: "elsewhere", containerTag: "b" });
      await forget((await at.addMemory({ text: "forgotten" })).id);
      await at.addMemory({ text: "over", forgetAfter: at.clock.from(0).toISOString() });
      const old = await at.addMemory({ text: "old" });
      await at.store.memories.update(at.organization, old.id, { isLatest: false });
      expect((await list()).texts).toEqual(["blue", "red"]);
      expect((await list({ containerTags: ["a", "b", "nowhere"] })).texts).toEqual(["elsewhere", "blue", "red"]);
      expect(await list({ filters: only(buildCondition("team", "red")) })).toEqual({ texts: ["red"], total: 1 });
      expect(await list({ containerTags: [] })).toEqual({ texts: [], total: 0 });
      expect(await list({}, OTHER_ORGANIZATION)).toEqual({ texts: [], total: 0 });
    });

    test("contains the container id known to clients", async () => {
      await at.addMemory();
      const container = await at.store.containers.get(at.organization, "a");
      const { memories } = await at.store.memories.list(at.organization, {
        containerTags: ["a"],
        sort: "createdAt",
        order: "desc",
        offset: 0,
        limit: 1,
      });
      expect(memories[0]?.containerUid).toBe(container?.uid);
    });

    test("contains none of a deleted container, even if there is a new one of its name", async () => {
      await at.addMemory({ text: "before" });
      await at.store.containers.remove(at.organization, "a");
      expect(await list()).toEqual({ texts: [], total: 0 });
      await at.addMemory({ text: "after" });
      expect(await list()).toEqual({ texts: ["after"], total: 1 });
    });
  });

  describe("guesses", () => {
    const inferred = async (organization = at.organization, tag = "a", limit = 10) =>
      (await at.store.memories.inferred(organization, tag, limit)).map(({ memory, parentCount }) => [
        memory.text,
        parentCount,
      ]);

    test("are listed best supported first, then newest, up to the limit", async () => {
      const guess = (text: string) => at.addMemory({ text, isInference: true });
      const [weak, strong, none] = [await guess("weak"), await guess("strong"), await guess("none")];
      const stated = await at.addMemory({ text: "stated" });
      await at.store.memories.relate(at.organization, weak.id, stated.id, "derives");
      for (const parent of [stated, weak])
        await at.store.memories.relate(at.organization, strong.id, parent.id, "derives");
      await at.store.memories.relate(at.organization, none.id, stated.id, "extends");
      expect(await inferred()).toEqual([
        ["strong", 2],
        ["weak", 1],
        ["none", 0],
      ]);
      expect(await inferred(at.organization, "a", 1)).toEqual([["strong", 2]]);
      expect(await inferred(at.organization, "b")).toEqual([]);
      expect(await inferred(OTHER_ORGANIZATION)).toEqual([]);
    });

    test("become stated by a change, and guesses again by another", async () => {
      const { id } = await at.addMemory({ text: "guess", isInference: true });
      await at.store.memories.update(at.organization, id, { isInference: false });
      expect(await inferred()).toEqual([]);
      await at.store.memories.update(at.organization, id, { isInference: true });
      expect(await inferred()).toEqual([["guess", 0]]);
    });
  });

  describe("statements of documents", () => {
    test("include their document and time, also superseded and forgotten ones, oldest first", async () => {
      const [one, two] = [await at.addDocument(), await at.addDocument()];
      const old = await at.addMemory({ text: "old" });
      await at.store.memories.update(at.organization, old.id, { isLatest: false });
      const gone = await at.addMemory({ text: "gone" });
      await forget(gone.id);
      const link = (memory: { id: string }, document: { id: string }) =>
        at.store.memories.addSource(at.organization, memory.id, document.id, null);
      await link(old, one);
      at.clock.advance(1_000);
      await link(gone, one);
      await link(gone, two);
      const found = await at.store.memories.ofDocuments(at.organization, [one.id, two.id, createId()]);
      expect(found.map(({ documentId, addedAt, memory }) => [documentId, addedAt, memory.text])).toEqual([
        [one.id, "2024-05-06T07:08:09.000Z", "old"],
        ...[one.id, two.id].toSorted().map((id) => [id, "2024-05-06T07:08:10.000Z", "gone"]),
      ]);
      const container = await at.store.containers.get(at.organization, "a");
      expect(found.map(({ memory }) => memory.containerUid)).toEqual(Array(3).fill(container?.uid));
      expect(await at.store.memories.ofDocuments(OTHER_ORGANIZATION, [one.id])).toEqual([]);
      expect(await at.store.memories.ofDocuments(at.organization, [])).toEqual([]);
    });
  });

  describe("outlines of documents", () => {
    test("contain the beginning and the size of the text and of its chunks", async () => {
      const { document } = await at.addIndexedDocument(
        { content: "Ada keeps bees.\n\n 漢字 on the roof " },
        "Ada keeps bees.",
        "漢字 on the roof",
      );
      const plain = await at.addDocument({ content: "Ada" });
      const outlines = await at.store.documents.outlines(at.organization, [document.id, plain.id, createId()], 9);
      expect(outlines.toSorted((one, other) => other.words - one.words)).toEqual([
        { id: document.id, excerpt: "Ada keeps", characters: 33, words: 7, chunks: 2, chunkCharacters: 29 },
        { id: plain.id, excerpt: "Ada", characters: 3, words: 1, chunks: 0, chunkCharacters: 0 },
      ]);
      expect(await at.store.documents.outlines(OTHER_ORGANIZATION, [document.id], 9)).toEqual([]);
    });

    test("heads are read by customIds", async () => {
      const { id } = await at.addDocument({ customId: "mine" });
      await at.addDocument();
      const ids = async (organization: string) =>
        (await at.store.documents.headsByCustomIds(organization, ["mine", "yours"], "all")).map((head) => head.id);
      expect(await ids(at.organization)).toEqual([id]);
      expect(await ids(OTHER_ORGANIZATION)).toEqual([]);
    });
  });

  describe("categories of documents", () => {
    const CASES: [DocumentCategory, Parameters<typeof at.addDocument>[0]][] = [
      ["webpage", { type: "webpage", url: "https://example.com" }],
      ["tweet", { type: "tweet" }],
      ["google_drive", { type: "google_doc" }],
      ["google_drive", { type: "google_slide" }],
      ["google_drive", { type: "google_sheet" }],
      ["notion", { type: "notion_doc" }],
      ["onedrive", { type: "onedrive" }],
      ["files", { type: "pdf" }],
      ["files", { type: "text", url: "/files/abc" }],
      ["mcp", { source: "supermemory-MCP" }],
      ["mcp", { source: "mcp", url: "/files/abc" }],
      ["notes", {}],
      ["notes", { type: "github_markdown", url: "https://example.com/files/x" }],
    ];

    test.each(CASES)("%s: %j", async (category, values) => {
      const { id } = await at.addDocument(values);
      expect(await at.store.documents.countCategories(at.organization, "all")).toEqual([{ category, count: 1 }]);
      const ids = async (...categories: DocumentCategory[]) => {
        const { documents } = await at.store.documents.list(at.organization, buildDocumentQuery({ categories }));
        return documents.map((document) => document.id);
      };
      expect(await ids(category)).toEqual([id]);
      expect(await ids(...DOCUMENT_CATEGORIES.filter((other) => other !== category))).toEqual([]);
    });

    test("are sorted by count, within containers, each document once", async () => {
      await at.addDocument({ containerTags: ["a", "b"] });
      await at.addDocument({ containerTags: ["b"] });
      await at.addDocument({ containerTags: ["a"], type: "pdf", source: "shelf" });
      const count = (tags: "all" | string[], organization = at.organization) =>
        at.store.documents.countCategories(organization, tags);
      expect(await count("all")).toEqual([
        { category: "notes", count: 2 },
        { category: "files", count: 1 },
      ]);
      expect(await count(["b"])).toEqual([{ category: "notes", count: 2 }]);
      expect(await count(["a", "b"])).toEqual(await count("all"));
      expect(await count([])).toEqual([]);
      expect(await count("all", OTHER_ORGANIZATION)).toEqual([]);
    });

    test("lists documents of any of several sources", async () => {
      for (const source of ["one", "two", "three", null]) await at.addDocument({ source });
      const query = buildDocumentQuery({ sources: ["one", "three", "four"] });
      const { documents } = await at.store.documents.list(at.organization, query);
      expect(documents.map(({ source }) => source).toSorted(rising)).toEqual(["one", "three"]);
    });
  });
}
