import { describe, expect, test } from "vitest";
import { createId } from "../../../src/lib/ids.js";
import { buildCondition, buildMemoryDraft, FIRST_VERSION, only } from "../../support/builders.js";
import { type OpenStore, OTHER_ORGANIZATION, useStore, rising } from "./fixture.js";

export function memoriesContract(open: OpenStore): void {
  const at = useStore(open);
  const addVersion = async (text: string, of: { id: string; rootId: string | null; version: number }) => {
    await at.store.memories.update(at.organization, of.id, { isLatest: false });
    return at.store.memories.insert(at.organization, buildMemoryDraft({ text }), {
      parentId: of.id,
      rootId: of.rootId ?? of.id,
      version: of.version + 1,
    });
  };
  const active = async (options: Partial<Parameters<typeof at.store.memories.active>[2]> = {}, tag = "a") => {
    const found = await at.store.memories.active(at.organization, tag, { limit: 100, ...options });
    return found.map((memory) => memory.text);
  };

  describe("storing a memory", () => {
    test("it is returned as it was written", async () => {
      const draft = buildMemoryDraft({
        text: "Ada keeps “bees” 🐝 — 漢字",
        kind: "preference",
        isStatic: true,
        isInference: true,
        forgetAfter: "2030-01-01T00:00:00.000Z",
        forgetReason: "a season",
        origin: "agent",
        metadata: { team: "red", temporalContext: { eventDate: ["2024-01-01"] } },
      });
      const inserted = await at.addMemory(draft);
      const { seq, ...found } = (await at.store.memories.byId(at.organization, draft.id)) ?? { seq: 0 };
      expect(seq).toBeGreaterThan(0);
      expect(found).toEqual({
        ...draft,
        ownForgetAfter: draft.forgetAfter,
        version: 1,
        isLatest: true,
        parentId: null,
        rootId: null,
        isForgotten: false,
        sourceCount: 0,
        strength: 1,
        createdAt: "2024-05-06T07:08:09.000Z",
        updatedAt: "2024-05-06T07:08:09.000Z",
      });
      expect({ ...found, seq }).toEqual(inserted);
    });

    test("several are read by their ids; unknown ones and those of another organisation are left out", async () => {
      const [one, two] = [await at.addMemory(), await at.addMemory()];
      const found = await at.store.memories.byIds(at.organization, [two.id, createId(), one.id]);
      expect(found.map((memory) => memory.id).toSorted(rising)).toEqual([one.id, two.id].toSorted(rising));
      expect(await at.store.memories.byIds(OTHER_ORGANIZATION, [one.id])).toEqual([]);
      expect(await at.store.memories.byId(OTHER_ORGANIZATION, one.id)).toBeNull();
    });

    test("it cannot be added to an unknown container, nor to one of another organisation", async () => {
      await expect(
        at.store.memories.insert(at.organization, buildMemoryDraft({ containerTag: "nowhere" }), FIRST_VERSION),
      ).rejects.toThrow();
      await at.container("a");
      await expect(at.store.memories.insert(OTHER_ORGANIZATION, buildMemoryDraft(), FIRST_VERSION)).rejects.toThrow();
    });

    test("only named fields change", async () => {
      const before = await at.addMemory({ metadata: { k: "v" } });
      at.clock.advance(5);
      const change = {
        isForgotten: true,
        forgetReason: "asked",
        forgetAfter: "2031-01-01T00:00:00.000Z",
        isStatic: true,
        strength: 4,
        metadata: null,
      } as const;
      await at.store.memories.update(at.organization, before.id, change);
      expect(await at.store.memories.byId(at.organization, before.id)).toEqual({
        ...before,
        ...change,
        ownForgetAfter: change.forgetAfter,
        updatedAt: "2024-05-06T07:08:09.005Z",
      });
      const ends = { forgetAfter: "2030-01-01T00:00:00.000Z", ownForgetAfter: null };
      await at.store.memories.update(at.organization, before.id, ends);
      expect(await at.store.memories.byId(at.organization, before.id)).toMatchObject(ends);
      await at.store.memories.update(OTHER_ORGANIZATION, before.id, { strength: 9 });
      expect((await at.store.memories.byId(at.organization, before.id))?.strength).toBe(4);
    });
  });

  describe("versions", () => {
    test("the newest is found from the first; none is overwritten", async () => {
      const first = await at.addMemory({ text: "lives in Rome" });
      const second = await addVersion("lives in Bonn", first);
      const third = await addVersion("lives in Oslo", second);
      expect(third).toMatchObject({ parentId: second.id, rootId: first.id, version: 3, isLatest: true });
      expect((await at.store.memories.latestOf(at.organization, first.id))?.id).toBe(third.id);
      expect(await at.store.memories.latestOf(OTHER_ORGANIZATION, first.id)).toBeNull();
      expect(await at.store.memories.latestOf(at.organization, createId())).toBeNull();
      expect((await at.store.memories.byId(at.organization, first.id))?.text).toBe("lives in Rome");
      expect(await active()).toEqual(["lives in Oslo"]);
    });

    test("a single version is its own newest", async () => {
      const { id } = await at.addMemory();
      expect((await at.store.memories.latestOf(at.organization, id))?.id).toBe(id);
    });

    test("an older version may have the same text as the newest", async () => {
      const first = await at.addMemory({ text: "lives in Rome" });
      const second = await addVersion("lives in Bonn", first);
      const third = await addVersion("lives in Rome", second);
      expect((await at.store.memories.byText(at.organization, "a", "lives in Rome"))?.id).toBe(third.id);
    });
  });

  describe("finding by text", () => {
    test.each([
      ["case", "ADA KEEPS BEES, 3 OF THEM"],
      ["white space", "  Ada\tkeeps   bees,\n3 of them "],
      ["the closing stop", "Ada keeps bees, 3 of them."],
      ["quotation marks", "Ada keeps “bees”, 3 of them"],
      ["full-width forms", "Ada keeps bees, ３ of them"],
    ])("%s does not matter", async (_what, text) => {
      const { id } = await at.addMemory({ text: "Ada keeps bees, 3 of them" });
      expect((await at.store.memories.byText(at.organization, "a", text))?.id).toBe(id);
    });

    test.each(["Ada keeps bees, 4 of them", "Ada never keeps bees, 3 of them", "Ada keeps bees", "Ada keeps bees, 3%"])(
      "%s is a different text",
      async (text) => {
        await at.addMemory({ text: "Ada keeps bees, 3 of them" });
        expect(await at.store.memories.byText(at.organization, "a", text)).toBeNull();
      },
    );

    test("only among active memories of the container", async () => {
      const forgotten = await at.addMemory({ text: "tea" });
      await at.store.memories.update(at.organization, forgotten.id, { isForgotten: true });
      await addVersion("juice", await at.addMemory({ text: "coffee" }));
      await at.addMemory({ text: "milk", containerTag: "b" });
      for (const text of ["tea", "coffee", "milk"])
        expect(await at.store.memories.byText(at.organization, "a", text)).toBeNull();
      expect(await at.store.memories.byText(OTHER_ORGANIZATION, "a", "juice")).toBeNull();
    });

    test("the same text cannot be active twice in a container", async () => {
      await at.addMemory({ text: "Tea" });
      await expect(at.addMemory({ text: "tea." })).rejects.toThrow(/unique/i);
      await at.addMemory({ text: "tea", containerTag: "b" });
    });

    test("by exact text: the active one first, forgotten ones newest first, no superseded ones", async () => {
      const ids: string[] = [];
      for (let index = 0; index < 3; index++) {
        const { id } = await at.addMemory({ text: "Ada likes tea" });
        await at.store.memories.update(at.organization, id, { isForgotten: true });
        ids.unshift(id);
      }
      const superseded = await at.addMemory({ text: "Ada likes tea" });
      await addVersion("Ada likes coffee", superseded);
      const { id } = await at.addMemory({ text: "Ada likes tea" });
      const found = await at.store.memories.byExactText(at.organization, "a", "Ada likes tea");
      expect(found.map((memory) => memory.id)).toEqual([id, ...ids]);
      expect(await at.store.memories.byExactText(at.organization, "a", "ada likes tea")).toEqual([]);
      expect(await at.store.memories.byExactText(at.organization, "b", "Ada likes tea")).toEqual([]);
      expect(await at.store.memories.byExactText(OTHER_ORGANIZATION, "a", "Ada likes tea")).toEqual([]);
    });
  });

  describe("sources", () => {
    test("a document counts once, and no longer when it is removed", async () => {
      const memory = await at.addMemory();
      const one = await at.addDocument();
      const two = await at.addDocument();
      const add = (documentId: string) => {
        at.clock.advance(1);
        return at.store.memories.addSource(at.organization, memory.id, documentId, "quote");
      };
      expect([await add(one.id), await add(two.id), await add(one.id)]).toEqual([true, true, false]);
      const count = async () => (await at.store.memories.byId(at.organization, memory.id))?.sourceCount;
      expect(await count()).toBe(2);
      expect(await at.store.memories.sources(at.organization, [memory.id, createId()])).toEqual([
        { memoryId: memory.id, documentId: one.id },
        { memoryId: memory.id, documentId: two.id },
      ]);
      expect(await at.store.memories.ofDocument(at.organization, one.id)).toMatchObject([{ id: memory.id }]);
      await at.store.documents.remove(at.organization, one.id);
      expect(await count()).toBe(1);
      expect(await at.store.memories.ofDocument(at.organization, one.id)).toEqual([]);
    });

    test("are not returned to another organisation", async () => {
      const memory = await at.addMemory();
      const { id } = await at.addDocument();
      await at.store.memories.addSource(at.organization, memory.id, id, null);
      expect(await at.store.memories.sources(OTHER_ORGANIZATION, [memory.id])).toEqual([]);
      expect(await at.store.memories.ofDocument(OTHER_ORGANIZATION, id)).toEqual([]);
    });
  });

  describe("active memories", () => {
    test("are listed newest first, up to the limit, by kind of fact and by filter", async () => {
      await at.addMemory({ text: "one", metadata: { n: 1 } });
      const second = await at.addMemory({ text: "two", isStatic: true, metadata: { n: 2 } });
      const third = await at.addMemory({ text: "three", metadata: { n: 3 } });
      await at.addMemory({ text: "elsewhere", containerTag: "b" });
      expect(await active()).toEqual(["three", "two", "one"]);
      expect(await active({ limit: 2 })).toEqual(["three", "two"]);
      expect(await active({ isStatic: true })).toEqual(["two"]);
      expect(await active({ isStatic: false })).toEqual(["three", "one"]);
      const filters = only(buildCondition("n", "2", { type: "numeric", operator: "<=" }));
      expect(await active({ filters })).toEqual(["two", "one"]);
      expect(await active({ afterSeq: second.seq })).toEqual(["three"]);
      expect(await active({ afterSeq: second.seq - 1 })).toEqual(["three", "two"]);
      expect(await active({ afterSeq: third.seq })).toEqual([]);
      expect(await active({}, "nowhere")).toEqual([]);
      expect(await at.store.memories.active(OTHER_ORGANIZATION, "a", { limit: 9 })).toEqual([]);
    });

    test("exclude forgotten, superseded and expired ones", async () => {
      const forgotten = await at.addMemory({ text: "forgotten" });
      await at.store.memories.update(at.organization, forgotten.id, { isForgotten: true });
      await addVersion("newer", await at.addMemory({ text: "older" }));
      await at.addMemory({ text: "for a minute", forgetAfter: at.clock.from(60_000).toISOString() });
      expect(await active()).toEqual(["for a minute", "newer"]);
      at.clock.advance(60_000);
      expect(await active()).toEqual(["newer"]);
    });

    test("expired ones are listed until they are forgotten, from the exact moment on", async () => {
      const { id } = await at.addMemory({ forgetAfter: at.clock.from(1_000).toISOString() });
      await at.addMemory();
      const expired = async (ms: number) =>
        (await at.store.memories.expired(at.organization, at.clock.from(ms), 10)).map((memory) => memory.id);
      expect([await expired(999), await expired(1_000)]).toEqual([[], [id]]);
      expect(await at.store.memories.expired(OTHER_ORGANIZATION, at.clock.from(1_000), 10)).toEqual([]);
      await at.store.memories.update(at.organization, id, { isForgotten: true });
      expect(await expired(1_000)).toEqual([]);
    });
  });
}
