import { describe, expect, test } from "vitest";
import type { DocumentQuery } from "../../../src/core/ports.js";
import type { DocumentStatus } from "../../../src/core/types.js";
import { createId } from "../../../src/lib/ids.js";
import {
  buildChunkDrafts,
  buildRevision,
  buildCondition,
  buildDocumentDraft,
  buildDocumentQuery,
  only,
} from "../../support/builders.js";
import { type OpenStore, OTHER_ORGANIZATION, rising, useStore } from "./fixture.js";

export function documentsContract(open: OpenStore): void {
  const at = useStore(open);
  const list = async (values: Partial<DocumentQuery> = {}) =>
    at.store.documents.list(at.organization, buildDocumentQuery(values));
  const listed = async (values: Partial<DocumentQuery> = {}) =>
    (await list(values)).documents.map((document) => document.customId);

  describe("storing a document", () => {
    test("it is returned as it was written, whatever it contains", async () => {
      const draft = buildDocumentDraft({
        customId: "notes/2024-05 — Übersicht",
        containerTags: ["work", "home:2", "a.b-c_d"],
        content: 'Ünï 漢字 🐝\r\n\t"quotes" \\ \u200b end',
        title: "A 'title'",
        status: "done",
        dreamingStatus: "done",
        taskType: "superrag",
        dreaming: "instant",
        metadata: { team: "red", count: 3, ratio: 0.1, ok: false, tags: ["x", "y"], empty: [], "a.b-c": "d" },
        source: "slack",
        filepath: "/notes/ü.md",
        documentDate: "2024-05-01",
        origin: "connector",
        facts: [{ text: "Ada keeps bees", isStatic: true, updates: createId() }],
        rememberAsIs: true,
      });
      const inserted = await at.store.documents.insert(at.organization, draft);
      const found = await at.store.documents.byId(at.organization, draft.id);
      expect(found).toEqual({
        ...draft,
        organizationId: at.organization,
        rememberedRevision: 0,
        factsLeftOut: 0,
        revision: 1,
        summary: null,
        errorReason: null,
        receipt: null,
        createdAt: "2024-05-06T07:08:09.000Z",
        updatedAt: "2024-05-06T07:08:09.000Z",
      });
      expect(found).toEqual(inserted);
    });

    test("a text of many megabytes is stored whole", async () => {
      const content = "0123456789abcde\n".repeat(400_000);
      const { id } = await at.addDocument({ content });
      const found = await at.store.documents.byId(at.organization, id);
      expect(found?.content === content).toBe(true);
    });

    test("it is found by its exact customId, only in its organisation", async () => {
      const { id } = await at.addDocument({ customId: "Report" });
      expect((await at.store.documents.byCustomId(at.organization, "Report", "all"))?.id).toBe(id);
      expect(await at.store.documents.byCustomId(at.organization, "report", "all")).toBeNull();
      expect(await at.store.documents.byCustomId(OTHER_ORGANIZATION, "Report", "all")).toBeNull();
      expect(await at.store.documents.byId(OTHER_ORGANIZATION, id)).toBeNull();
      expect(await at.store.documents.headsByIds(OTHER_ORGANIZATION, [id])).toEqual([]);
    });

    test("a customId is looked up in containers; if several have it, the last changed document is found", async () => {
      const inA = await at.addDocument({ customId: "x", containerTags: ["a"] });
      at.clock.advance(1_000);
      const inB = await at.addDocument({ customId: "x", containerTags: ["b", "c"] });
      const find = async (tags: "all" | readonly string[]) =>
        (await at.store.documents.byCustomId(at.organization, "x", tags))?.id;
      expect(await find(["a"])).toBe(inA.id);
      expect(await find(["c"])).toBe(inB.id);
      expect(await find(["d"])).toBeUndefined();
      expect(await find([])).toBeUndefined();
      expect([await find("all"), await find(["a", "b"])]).toEqual([inB.id, inB.id]);
      at.clock.advance(1_000);
      await at.store.documents.update(at.organization, inA.id, { title: "changed" });
      expect([await find("all"), await find(["a", "b"])]).toEqual([inA.id, inA.id]);
      const heads = async (tags: "all" | readonly string[]) =>
        (await at.store.documents.headsByCustomIds(at.organization, ["x"], tags)).map((head) => head.id);
      expect(await heads("all")).toEqual([inB.id, inA.id]);
      expect(await heads(["c"])).toEqual([inB.id]);
    });

    test("heads exclude the text", async () => {
      const { id } = await at.addDocument({ title: "T", metadata: { k: "v" } });
      const [head] = await at.store.documents.headsByIds(at.organization, [id, createId()]);
      expect(head).toMatchObject({ id, title: "T", metadata: { k: "v" }, containerTags: ["a"] });
      expect(head).not.toHaveProperty("content");
    });
  });

  describe("changing a document", () => {
    test("only named fields change, and the time of change advances", async () => {
      const before = await at.addDocument({ metadata: { k: "v" }, title: "old", containerTags: ["a", "b"] });
      at.clock.advance(1_000);
      const change = {
        content: "new",
        revision: 2,
        title: "new",
        summary: "short",
        status: "failed",
        errorReason: "why",
        receipt: [{ id: "m", text: "t", outcome: "added" }],
        containerTags: ["b", "c"],
      } as const;
      await at.store.documents.update(at.organization, before.id, change);
      const after = await at.store.documents.byId(at.organization, before.id);
      expect(after).toEqual({ ...before, ...change, updatedAt: "2024-05-06T07:08:10.000Z" });
    });

    test("null clears a value", async () => {
      const { id } = await at.addDocument({ title: "t", metadata: { k: "v" }, filepath: "/x", facts: [{ text: "f" }] });
      const change = { title: null, metadata: null, filepath: null, facts: null };
      await at.store.documents.update(at.organization, id, change);
      expect(await at.store.documents.byId(at.organization, id)).toMatchObject(change);
    });

    test("another organisation can neither change nor remove it", async () => {
      const before = await at.addDocument();
      await at.store.documents.update(OTHER_ORGANIZATION, before.id, {
        title: "stolen",
        status: "done",
        dreamingStatus: "done",
        containerTags: ["theirs"],
      });
      await at.store.documents.remove(OTHER_ORGANIZATION, before.id);
      expect(await at.store.documents.byId(at.organization, before.id)).toEqual(before);
      expect(await at.store.documents.countWaiting(at.organization, "all")).toBe(1);
    });

    test("older texts are stored once per revision, until the document is removed", async () => {
      const { id } = await at.addDocument({ content: "first wording" });
      await at.store.documents.keepRevision(at.organization, id, buildRevision({ content: "first wording" }));
      await at.store.documents.keepRevision(at.organization, id, buildRevision({ content: "something else" }));
      await at.store.documents.update(at.organization, id, { content: "second wording", revision: 2 });
      expect(await at.everything()).toContain("first wording");
      expect(await at.everything()).not.toContain("something else");
      await at.store.documents.remove(at.organization, id);
      expect(await at.everything()).not.toContain("wording");
    });

    test("the text of any revision can be read, although a text that is only continued is stored once", async () => {
      const { documents } = at.store;
      const { id } = await at.addDocument({ content: "a" });
      const texts = ["a", "a💡", "a💡b", "other", "other text", "other text"];
      for (const [index, content] of texts.slice(1).entries()) {
        const before = texts[index] ?? "";
        const isPrefixOfNext = content.startsWith(before);
        await documents.keepRevision(
          at.organization,
          id,
          buildRevision({ revision: index + 1, content: before, isPrefixOfNext }),
        );
        await documents.update(at.organization, id, { content, revision: index + 2 });
      }
      const read = (revision: number) => documents.revisionText(at.organization, id, revision);
      expect(await Promise.all(texts.map((_, index) => read(index + 1)))).toEqual(texts);
      expect([await read(0), await read(7)]).toEqual([null, null]);
      expect(await documents.revisionText(OTHER_ORGANIZATION, id, 1)).toBeNull();
      expect(await documents.revisionText(OTHER_ORGANIZATION, id, 6)).toBeNull();
      expect((await at.everything()).match(/other text/g)).toHaveLength(1);
    });

    test("what is still to be remembered of older texts is returned until it is settled", async () => {
      const { documents } = at.store;
      const { id } = await at.addDocument();
      const pending = { facts: [{ text: "Ada lives in Rome", isStatic: true }], rememberAsIs: true };
      await documents.keepRevision(at.organization, id, buildRevision({ revision: 1 }));
      await documents.keepRevision(at.organization, id, buildRevision({ revision: 2, pending }));
      await documents.keepRevision(
        at.organization,
        id,
        buildRevision({ revision: 3, pending: { facts: null, rememberAsIs: false } }),
      );
      expect(await documents.pendingRevisions(at.organization, id)).toEqual([
        { revision: 2, ...pending },
        { revision: 3, facts: null, rememberAsIs: false },
      ]);
      expect(await documents.pendingRevisions(OTHER_ORGANIZATION, id)).toEqual([]);
      await documents.settleRevisions(at.organization, id, 2);
      expect(await documents.pendingRevisions(at.organization, id)).toMatchObject([{ revision: 3 }]);
    });

    test("removing it removes its chunks, index entries, vectors and links, and nothing of others", async () => {
      const gone = await at.addIndexedDocument({ content: "zebra crossing" }, "zebra", "crossing");
      const kept = await at.addIndexedDocument({ content: "zebra stripes" });
      const { memory } = await at.addIndexedMemory();
      const space = await at.store.ensureSpace("s", 3);
      for (const unit of [...gone.units, ...kept.units])
        await at.store.units.addVector(unit, space, new Float32Array([1, 0, 0]));
      for (const { document } of [gone, kept])
        await at.store.memories.addSource(at.organization, memory.id, document.id, null);

      await at.store.documents.remove(at.organization, gone.document.id);

      expect(await at.everything()).not.toContain(gone.document.id);
      expect(await at.store.chunks.ofDocument(at.organization, gone.document.id, 1)).toEqual([]);
      expect(await at.store.vectors.counts(space.id)).toEqual(new Map([[kept.containerIds[0], 1]]));
      const sources = await at.store.memories.sources(at.organization, [memory.id]);
      expect(sources.map((source) => source.documentId)).toEqual([kept.document.id]);
      const scope = { containerIds: kept.containerIds, kinds: ["chunk"] as const, includeForgotten: false };
      const { hits } = await at.store.units.searchText(scope, ["zebra"], { limit: 10 });
      expect(hits.map((hit) => hit.unit)).toEqual(kept.units);
    });
  });

  describe("listing", () => {
    /** Three documents, a second apart, named by customId; `first` was changed last. */
    const addThree = async (): Promise<void> => {
      await at.addDocument({ customId: "first", containerTags: ["a"], metadata: { n: 1 }, source: "slack" });
      at.clock.advance(1_000);
      await at.addDocument({
        customId: "second",
        containerTags: ["a", "b"],
        metadata: { n: 2 },
        filepath: "/docs/x.md",
      });
      at.clock.advance(1_000);
      await at.addDocument({ customId: "third", containerTags: ["b"], metadata: { n: 3 }, filepath: "/docs" });
      at.clock.advance(1_000);
      const first = await at.store.documents.byCustomId(at.organization, "first", "all");
      await at.store.documents.update(at.organization, first?.id ?? "", { status: "done" });
    };

    test("sorts by creation or change, both ways", async () => {
      await addThree();
      expect(await listed()).toEqual(["third", "second", "first"]);
      expect(await listed({ order: "asc" })).toEqual(["first", "second", "third"]);
      expect(await listed({ sort: "updatedAt" })).toEqual(["first", "third", "second"]);
      expect(await listed({ sort: "updatedAt", order: "asc" })).toEqual(["second", "third", "first"]);
    });

    test.each<[string, Partial<DocumentQuery>, string[]]>([
      ["any of some containers", { containerTags: ["a"] }, ["second", "first"]],
      ["any of several containers", { containerTags: ["a", "b"] }, ["third", "second", "first"]],
      ["all of several containers", { containerTags: ["a", "b"], operator: "all" }, ["second"]],
      ["all, one named twice", { containerTags: ["b", "b"], operator: "all" }, ["third", "second"]],
      ["a container that does not exist", { containerTags: ["nowhere"] }, []],
      ["all, one does not exist", { containerTags: ["a", "nowhere"], operator: "all" }, []],
      ["no container at all", { containerTags: [] }, []],
      ["a state", { statuses: ["done"] }, ["first"]],
      ["several states", { statuses: ["done", "queued"] }, ["third", "second", "first"]],
      ["no state at all", { statuses: [] }, []],
      ["a source", { source: "slack" }, ["first"]],
      ["a source in other case", { source: "Slack" }, []],
      ["an exact path", { filepath: "/docs" }, ["third"]],
      ["a path prefix", { filepath: "/docs/" }, ["second"]],
      [
        "metadata",
        { filters: only(buildCondition("n", "2", { type: "numeric", operator: ">=" })) },
        ["third", "second"],
      ],
      ["everything at once", { containerTags: ["a"], statuses: ["queued"], filepath: "/docs/" }, ["second"]],
    ])("narrows to %s", async (_name, query, expected) => {
      await addThree();
      const { documents, total } = await list(query);
      expect(documents.map((document) => document.customId)).toEqual(expected);
      expect(total).toBe(expected.length);
    });

    test.each(["/📁/", "/übung/", "/a%b/", "/a_b/", "/A/"])(
      "a path prefix is matched literally: %s",
      async (folder) => {
        await at.addDocument({ customId: "in", filepath: `${folder}note.md` });
        await at.addDocument({ customId: "out", filepath: "/aXb/note.md" });
        await at.addDocument({ customId: "folder", filepath: folder.slice(0, -1) });
        expect(await listed({ filepath: folder })).toEqual(["in"]);
      },
    );

    test("pages follow each other without gaps or repeats, even with equal times", async () => {
      for (let index = 0; index < 25; index++) await at.addDocument({ customId: `d${index}` });
      const pages = await Promise.all([0, 10, 20, 30].map((offset) => list({ offset, limit: 10 })));
      expect(pages.map((page) => [page.documents.length, page.total])).toEqual([
        [10, 25],
        [10, 25],
        [5, 25],
        [0, 25],
      ]);
      expect(new Set(pages.flatMap((page) => page.documents.map((document) => document.id))).size).toBe(25);
    });

    test("returns the text only on request", async () => {
      await at.addDocument({ content: "the text" });
      expect((await list()).documents[0]).not.toHaveProperty("content");
      expect((await list({ includeContent: true })).documents[0]?.content).toBe("the text");
    });

    test("returns nothing of another organisation", async () => {
      await addThree();
      expect(await at.store.documents.list(OTHER_ORGANIZATION, buildDocumentQuery())).toEqual({
        documents: [],
        total: 0,
      });
    });
  });

  describe("counting waiting documents", () => {
    test.each<[DocumentStatus, "dreaming" | "done", number]>([
      ["queued", "dreaming", 1],
      ["embedding", "done", 1],
      ["done", "dreaming", 1],
      ["done", "done", 0],
      ["failed", "dreaming", 0],
      ["failed", "done", 0],
    ])("%s with %s, on insertion or after a change: %i", async (status, dreamingStatus, expected) => {
      await at.addDocument({ status, dreamingStatus });
      const { id } = await at.addDocument();
      await at.store.documents.update(at.organization, id, { status, dreamingStatus });
      expect(await at.store.documents.countWaiting(at.organization, "all")).toBe(expected * 2);
      const unsearchable = status === "done" ? 0 : expected * 2;
      expect(await at.store.documents.countUnsearchable(at.organization, "all")).toBe(unsearchable);
    });

    test("counts a document once, in the requested containers, in its organisation", async () => {
      await at.addDocument({ containerTags: ["a", "b"] });
      await at.addDocument({ containerTags: ["b"] });
      const count = (tags: "all" | string[]) => at.store.documents.countWaiting(at.organization, tags);
      expect(await Promise.all([count("all"), count(["a"]), count(["b"]), count(["a", "b"]), count([])])).toEqual([
        2, 1, 2, 2, 0,
      ]);
      expect(await at.store.documents.countWaiting(OTHER_ORGANIZATION, "all")).toBe(0);
    });
  });

  describe("chunks", () => {
    test("are returned in order with all their details", async () => {
      const { id } = await at.addDocument();
      const drafts = buildChunkDrafts("one", "two", "three").map((draft, index) => ({
        ...draft,
        context: `around ${index}`,
        metadata: { speakers: ["Ada"], date: "2024-01-02", headings: ["A", "B"], part: { number: 1, of: 2 } },
      }));
      const written = await at.store.chunks.replace(at.organization, id, 1, drafts);
      const found = await at.store.chunks.ofDocument(at.organization, id, 1);
      expect(found).toEqual(written);
      expect(found).toMatchObject(
        drafts.map((draft, position) => ({ ...draft, position, documentId: id, revision: 1 })),
      );
    });

    test("more than a thousand are written in order", async () => {
      const { id } = await at.addDocument();
      const texts = Array.from({ length: 1_234 }, (_, index) => `text ${index}`);
      const written = await at.store.chunks.replace(at.organization, id, 1, buildChunkDrafts(...texts));
      expect(written.map((chunk) => chunk.content)).toEqual(texts);
      expect(new Set(written.map((chunk) => chunk.seq)).size).toBe(texts.length);
    });

    test("are appended and removed in parts, and a replacement finds them", async () => {
      const document = await at.addDocument();
      const drafts = buildChunkDrafts("ant", "bee", "cow");
      const of = [at.organization, document.id] as const;
      await at.store.chunks.replace(...of, 1, drafts.slice(0, 1));
      const wanted = drafts.map((draft) => ({ ...draft, id: `${draft.id}2` }));
      const before = await at.store.chunks.difference(...of, wanted.slice(1));
      expect(before.added).toEqual(wanted.slice(1));
      expect(before.dropped).toHaveLength(1);
      expect(await at.store.chunks.difference(OTHER_ORGANIZATION, document.id, wanted)).toEqual({
        added: [],
        dropped: [],
      });
      expect(await at.store.chunks.append(OTHER_ORGANIZATION, document.id, 1, wanted.slice(1))).toEqual([]);
      const written = await at.store.chunks.append(...of, 1, wanted.slice(1));
      expect(written.map(({ content, position }) => [content, position])).toEqual([
        ["bee", 1],
        ["cow", 2],
      ]);
      await at.store.chunks.drop(OTHER_ORGANIZATION, document.id, before.dropped);
      expect(await at.store.chunks.ofDocument(...of, 1)).toHaveLength(3);
      await at.store.chunks.drop(...of, before.dropped);
      const replaced = await at.store.chunks.replace(...of, 1, wanted.slice(1).toReversed());
      expect(replaced.map(({ id, position }) => [id, position])).toEqual([
        [wanted[2]?.id, 0],
        [wanted[1]?.id, 1],
      ]);
    });

    test("are replaced, with their index entries, when a revision is written again", async () => {
      const { document, units, containerIds } = await at.addIndexedDocument({}, "zebra");
      const space = await at.store.ensureSpace("s", 3);
      await at.store.units.addVector(units[0] ?? 0, space, new Float32Array([1, 0, 0]));
      const [chunk] = await at.store.chunks.replace(at.organization, document.id, 1, buildChunkDrafts("giraffe"));
      expect(await at.store.chunks.ofDocument(at.organization, document.id, 1)).toEqual([chunk]);
      const scope = { containerIds, kinds: ["chunk"] as const, includeForgotten: false };
      expect((await at.store.units.searchText(scope, ["zebra"], { limit: 10 })).hits).toEqual([]);
      expect(await at.store.vectors.counts(space.id)).toEqual(new Map());
    });

    test("an empty text leaves no chunks", async () => {
      const { document } = await at.addIndexedDocument({}, "one");
      expect(await at.store.chunks.replace(at.organization, document.id, 1, [])).toEqual([]);
      expect(await at.store.chunks.ofDocument(at.organization, document.id, 1)).toEqual([]);
    });

    test("that are unchanged stay as they are, whatever comes between them", async () => {
      const { document, units, containerIds } = await at.addIndexedDocument({}, "zebra", "lion", "zebra", "ape");
      const { id } = document;
      const space = await at.store.ensureSpace("s", 3);
      for (const unit of units) await at.store.units.addVector(unit, space, new Float32Array([1, 0, 0]));
      const before = await at.store.chunks.ofDocument(at.organization, id, 1);
      const rowOf = (index: number) => [before[index]?.seq, before[index]?.id];
      const after = await at.store.chunks.replace(
        at.organization,
        id,
        2,
        buildChunkDrafts("ape", "zebra", "gnu", "zebra", "zebra"),
      );
      expect(after.map(({ content, position, revision }) => [content, position, revision])).toEqual([
        ["ape", 0, 2],
        ["zebra", 1, 2],
        ["gnu", 2, 2],
        ["zebra", 3, 2],
        ["zebra", 4, 2],
      ]);
      const kept = [0, 1, 3].map((index) => [after[index]?.seq, after[index]?.id]);
      expect(kept).toEqual([rowOf(3), rowOf(0), rowOf(2)]);
      expect(await at.store.chunks.ofDocument(at.organization, id, 1)).toEqual([]);
      expect(await at.store.vectors.counts(space.id)).toEqual(new Map([[containerIds[0], 3]]));
      const scope = { containerIds, kinds: ["chunk"] as const, includeForgotten: false };
      const found = async (word: string) =>
        (await at.store.units.searchText(scope, [word], { limit: 10 })).hits.map((hit) => hit.unit).toSorted(rising);
      expect([await found("zebra"), await found("lion"), await found("ape")]).toEqual([
        [units[0], units[2]],
        [],
        [units[3]],
      ]);
      const missing = await at.store.chunks.withoutVector(at.organization, id, 2, space);
      expect(missing.map((chunk) => chunk.position)).toEqual([2, 4]);
      expect(await at.store.chunks.withoutVector(at.organization, id, 2, null)).toEqual(after);
    });

    test("with another context or other metadata are different chunks", async () => {
      const { id } = await at.addDocument();
      const draft = { ...buildChunkDrafts("one")[0]!, context: "around", metadata: { date: "2024-01-02" } };
      const [first] = await at.store.chunks.replace(at.organization, id, 1, [draft]);
      const [second] = await at.store.chunks.replace(at.organization, id, 1, [{ ...draft, id: "b", context: "" }]);
      const [third] = await at.store.chunks.replace(at.organization, id, 1, [
        { ...draft, id: "c", context: "", metadata: null },
      ]);
      expect([first?.id, second?.id, third?.id]).toEqual([draft.id, "b", "c"]);
    });

    test("are not found for another organisation", async () => {
      const { document } = await at.addIndexedDocument({}, "one");
      expect(await at.store.chunks.ofDocument(OTHER_ORGANIZATION, document.id, 1)).toEqual([]);
      expect(await at.store.chunks.withoutVector(OTHER_ORGANIZATION, document.id, 1, null)).toEqual([]);
      expect(await at.store.chunks.replace(OTHER_ORGANIZATION, document.id, 2, buildChunkDrafts("x"))).toEqual([]);
      expect(await at.store.chunks.ofDocument(at.organization, document.id, 1)).toHaveLength(1);
    });
  });
}
