import { describe, expect, test } from "vitest";
import { unitOf } from "../../../src/core/types.js";
import { buildVector, FIRST_VERSION, buildMemoryDraft } from "../../support/builders.js";
import { type OpenStore, OTHER_ORGANIZATION, rising, useStore } from "./fixture.js";

const MINUTE = 60_000;

export function containerDetailsContract(open: OpenStore): void {
  const at = useStore(open);
  const summaryOf = async (tag: string) => (await at.store.containers.list(at.organization, [tag]))[0];
  const inScope = (containerId: number, kinds: readonly ("chunk" | "memory")[] = ["chunk", "memory"]) => ({
    containerIds: [containerId],
    kinds,
    includeForgotten: false,
  });
  const search = async (containerId: number, word: string) =>
    (await at.store.units.searchText(inScope(containerId), [word], { limit: 10 })).hits.map(({ unit }) => unit);

  describe("details of a container", () => {
    test("are returned as they were written, with neutral values for the rest", async () => {
      const made = await at.store.containers.update(at.organization, "a", {});
      expect(await at.store.containers.get(at.organization, "a")).toEqual(made);
      expect(made).toEqual({
        id: made.id,
        uid: expect.stringMatching(/^\w{22}$/) as string,
        tag: "a",
        name: null,
        description: null,
        entityContext: null,
        entityContextBy: null,
        memoryFilesystemPaths: null,
        profileBuckets: [],
        visibility: "private",
        isExperimental: false,
        emoji: null,
        timeZone: null,
        createdAt: at.clock.now().toISOString(),
        updatedAt: at.clock.now().toISOString(),
      });
      const said = {
        name: "Ämter “A” 🐝",
        description: "bees, honey",
        entityContext: "She keeps bees.",
        entityContextBy: { name: "key:1", isOwner: false },
        memoryFilesystemPaths: ["/notes/", "/a.md"],
        profileBuckets: [{ key: "work", description: "" }],
        visibility: "public",
        isExperimental: true,
        emoji: "🐝",
        timeZone: "Pacific/Auckland",
      } as const;
      expect(await at.store.containers.update(at.organization, "a", said)).toEqual({ ...made, ...said });
    });

    test("a change leaves the rest alone, null clears a value, and the time of the change is recorded", async () => {
      const before = await at.store.containers.update(at.organization, "a", {
        name: "A",
        entityContext: "x",
        emoji: "🐝",
      });
      at.clock.advance(MINUTE);
      const after = await at.store.containers.update(at.organization, "a", { entityContext: null });
      expect(after).toEqual({ ...before, entityContext: null, updatedAt: at.clock.now().toISOString() });
    });

    test("belong to one organisation, and do not exist for an unknown tag", async () => {
      await at.store.containers.update(at.organization, "a", { name: "mine" });
      expect(await at.store.containers.get(OTHER_ORGANIZATION, "a")).toBeNull();
      expect(await at.store.containers.get(at.organization, "A")).toBeNull();
      await at.store.containers.update(OTHER_ORGANIZATION, "a", { name: "theirs" });
      expect(await at.store.containers.get(at.organization, "a")).toMatchObject({ name: "mine" });
    });
  });

  describe("the list", () => {
    test("counts documents, and memories that are latest and not forgotten", async () => {
      await at.addDocument({ containerTags: ["a"] });
      await at.addDocument({ containerTags: ["b", "a"] });
      const first = await at.addMemory({ containerTag: "a" });
      const forgotten = await at.addMemory({ containerTag: "a" });
      await at.addMemory({ containerTag: "a", isStatic: true });
      await at.store.memories.update(at.organization, forgotten.id, { isForgotten: true });
      await at.store.memories.update(at.organization, first.id, { isLatest: false });
      await at.store.memories.insert(at.organization, buildMemoryDraft(), {
        ...FIRST_VERSION,
        parentId: first.id,
        rootId: first.id,
        version: 2,
      });
      expect(await summaryOf("a")).toMatchObject({ tag: "a", documentCount: 2, memoryCount: 2 });
      expect(await summaryOf("b")).toMatchObject({ documentCount: 1, memoryCount: 0 });
    });

    test("includes the time of the last activity in a document or a memory", async () => {
      const start = at.clock.now().toISOString();
      const { id } = await at.addDocument({ containerTags: ["a"] });
      expect(await summaryOf("a")).toMatchObject({ lastActivityAt: start });
      at.clock.advance(MINUTE);
      await at.addMemory({ containerTag: "a", isStatic: true });
      at.clock.advance(MINUTE);
      const memory = await at.addMemory({ containerTag: "a" });
      expect(await summaryOf("a")).toMatchObject({ lastActivityAt: memory.createdAt });
      at.clock.advance(MINUTE);
      await at.store.documents.update(at.organization, id, { title: "new" });
      expect(await summaryOf("a")).toMatchObject({ lastActivityAt: at.clock.now().toISOString() });
      await at.store.containers.ensure(at.organization, ["empty"]);
      expect(await summaryOf("empty")).toMatchObject({ documentCount: 0, memoryCount: 0, lastActivityAt: null });
    });

    test("contains all containers of the organisation, or the requested ones", async () => {
      await at.store.containers.ensure(at.organization, ["a", "b", "c"]);
      await at.store.containers.ensure(OTHER_ORGANIZATION, ["d"]);
      const tags = async (asked: "all" | string[]) =>
        (await at.store.containers.list(at.organization, asked)).map(({ tag }) => tag).toSorted(rising);
      expect(await tags("all")).toEqual(["a", "b", "c"]);
      expect(await tags(["c", "d", "a"])).toEqual(["a", "c"]);
      expect(await tags([])).toEqual([]);
    });
  });

  describe("a removed container", () => {
    test("is no longer found by tag, and a new one with the same tag is empty and unrelated", async () => {
      const document = await at.addIndexedDocument({ containerTags: ["a"], content: "zebra" });
      const { memory } = await at.addIndexedMemory({ containerTag: "a", text: "The zebra is striped" });
      const before = await at.store.containers.update(at.organization, "a", { name: "old", entityContext: "old" });
      await at.store.containers.remove(at.organization, "a");

      expect(await at.store.containers.get(at.organization, "a")).toBeNull();
      expect(await at.store.containers.find(at.organization, "all")).toEqual([]);
      expect(await at.store.containers.list(at.organization, ["a"])).toEqual([]);
      expect(await at.store.containers.ofDocument(at.organization, document.document.id)).toEqual([]);
      expect(await at.store.documents.byId(at.organization, document.document.id)).toMatchObject({ containerTags: [] });
      expect(await at.store.memories.byText(at.organization, "a", memory.text)).toBeNull();

      const again = await at.container("a");
      expect(await at.store.containers.get(at.organization, "a")).toMatchObject({ name: null, entityContext: null });
      expect(again.id).not.toBe(before.id);
      expect(await search(again.id, "zebra")).toEqual([]);
      expect(await at.store.containers.findEvery(at.organization)).toEqual([
        { id: before.id, tag: "a", timeZone: null, isDeleted: true },
        { id: again.id, tag: "a", timeZone: null, isDeleted: false },
      ]);
      // Remaining records of its memories name the tag under which they were added.
      expect(await at.store.memories.byId(at.organization, memory.id)).toMatchObject({ containerTag: "a" });
    });

    test("can be removed again under the same tag; those of other organisations are left alone", async () => {
      for (let time = 0; time < 3; time++) {
        await at.container("a");
        await at.store.containers.remove(at.organization, "a");
      }
      await at.store.containers.remove(at.organization, "nowhere");
      await at.container("a");
      await at.store.containers.remove(OTHER_ORGANIZATION, "a");
      expect(await at.store.containers.find(at.organization, "all")).toHaveLength(1);
      expect(await at.store.containers.findEvery(at.organization)).toHaveLength(4);
    });

    test("leaves no trace once its tag is purged, even if the tag was created again", async () => {
      const { document } = await at.addIndexedDocument({ containerTags: ["doomed"], content: "doomedtext" });
      await at.addIndexedMemory({ containerTag: "doomed", text: "doomedfact" });
      await at.store.containers.remove(at.organization, "doomed");
      await at.addIndexedDocument({ containerTags: ["doomed"], content: "doomedsecond" });
      await at.store.containers.purge(at.organization, "doomed");
      const everything = await at.everything();
      for (const trace of ["doomed", document.id]) expect(everything).not.toContain(trace);
    });
  });

  describe("the contents of a container", () => {
    test("documents are listed by id, limited in number, and counted when they are in no other container", async () => {
      const { id: containerId } = await at.container("a");
      const ids = [];
      for (let number = 0; number < 3; number++) ids.push((await at.addDocument({ containerTags: ["a"] })).id);
      const shared = await at.addDocument({ containerTags: ["b", "a"] });
      const found = await at.store.containers.documentsIn(at.organization, containerId, 10);
      expect(found.toSorted(rising)).toEqual([...ids, shared.id].toSorted(rising));
      expect(await at.store.containers.documentsIn(at.organization, containerId, 2)).toEqual(found.slice(0, 2));
      expect(await at.store.containers.documentsIn(OTHER_ORGANIZATION, containerId, 10)).toEqual([]);
      expect(await at.store.containers.countOwnDocuments(at.organization, containerId)).toBe(3);
      expect(await at.store.containers.countOwnDocuments(OTHER_ORGANIZATION, containerId)).toBe(0);
    });

    test("memories are listed in the order of their rows: all, or the active ones", async () => {
      const { id: containerId } = await at.container("a");
      const [one, two, three] = [await at.addMemory(), await at.addMemory(), await at.addMemory()];
      await at.addMemory({ containerTag: "b" });
      await at.store.memories.update(at.organization, one.id, { isForgotten: true });
      await at.store.memories.update(at.organization, two.id, { isLatest: false });
      const ids = async (activeOnly: boolean, limit = 10) =>
        (await at.store.memories.inContainer(at.organization, containerId, { activeOnly, limit })).map(({ id }) => id);
      expect(await ids(false)).toEqual([one.id, two.id, three.id]);
      expect(await ids(false, 2)).toEqual([one.id, two.id]);
      expect(await ids(true)).toEqual([three.id]);
      const theirs = { activeOnly: false, limit: 10 };
      expect(await at.store.memories.inContainer(OTHER_ORGANIZATION, containerId, theirs)).toEqual([]);
    });
  });

  describe("moving", () => {
    test("a document is found in its new containers with its words and vectors, and in no other", async () => {
      const space = await at.store.ensureSpace("s", 3);
      const { document, units } = await at.addIndexedDocument({ containerTags: ["a", "b"] }, "zebra one", "zebra two");
      for (const unit of units) await at.store.units.addVector(unit, space, buildVector(space, 1));
      const [c, b] = await at.store.containers.ensure(at.organization, ["c", "b"]);
      await at.store.containers.relocate(at.organization, document.id, [c?.id ?? 0, b?.id ?? 0]);

      expect(await at.store.documents.byId(at.organization, document.id)).toEqual({
        ...document,
        containerTags: ["c", "b"],
      });
      const found = async (tag: string) => (await search((await at.container(tag)).id, "zebra")).toSorted(rising);
      expect(await found("a")).toEqual([]);
      expect(await found("b")).toEqual(units);
      expect(await found("c")).toEqual(units);
      expect(await at.store.vectors.counts(space.id)).toEqual(new Map([c, b].map((row) => [row?.id, 2])));
    });

    test("a vector computed before a move is stored where its unit is now", async () => {
      const space = await at.store.ensureSpace("s", 3);
      const { document, units } = await at.addIndexedDocument({ containerTags: ["a"] }, "zebra");
      const { memory, unit } = await at.addIndexedMemory({ containerTag: "a" });
      const { id: target } = await at.container("b");
      await at.store.containers.relocate(at.organization, document.id, [target]);
      await at.store.memories.move(at.organization, memory.id, target);
      for (const one of [...units, unit]) await at.store.units.addVector(one, space, buildVector(space, 1));
      expect(await at.store.vectors.counts(space.id)).toEqual(new Map([[target, 2]]));
    });

    test("a document of another organisation is not moved", async () => {
      const document = await at.addDocument({ containerTags: ["a"] });
      const { id } = await at.container("b");
      await at.store.containers.relocate(OTHER_ORGANIZATION, document.id, [id]);
      expect(await at.store.documents.byId(at.organization, document.id)).toEqual(document);
    });

    test("a memory belongs to its new container; one of another organisation is not moved", async () => {
      const memory = await at.addMemory({ containerTag: "a" });
      const { id } = await at.container("b");
      await at.store.memories.move(OTHER_ORGANIZATION, memory.id, id);
      expect(await at.store.memories.byId(at.organization, memory.id)).toEqual(memory);
      await at.store.memories.move(at.organization, memory.id, id);
      expect(await at.store.memories.byId(at.organization, memory.id)).toEqual({ ...memory, containerTag: "b" });
    });
  });

  test("purging memories of a container removes them from all tables and indexes, limited in number", async () => {
    const space = await at.store.ensureSpace("s", 3);
    const { id: containerId } = await at.container("a");
    const document = await at.addDocument({ containerTags: ["b"] });
    const memories = [];
    for (const text of ["doomed one", "doomed two", "doomed three"]) {
      const { memory, unit } = await at.addIndexedMemory({ containerTag: "a", text });
      await at.store.memories.addSource(at.organization, memory.id, document.id, null);
      await at.store.units.addVector(unit, space, buildVector(space, 1));
      memories.push(memory);
    }
    const kept = await at.addIndexedMemory({ containerTag: "b", text: "doomed not" });
    await at.store.memories.relate(at.organization, kept.memory.id, memories[0]?.id ?? "", "extends");

    expect(await at.store.memories.purge(OTHER_ORGANIZATION, containerId, 10)).toBe(0);
    expect(await at.store.memories.purge(at.organization, containerId, 2)).toBe(2);
    expect(await at.store.memories.purge(at.organization, containerId, 2)).toBe(1);
    expect(await at.store.memories.purge(at.organization, containerId, 2)).toBe(0);

    const everything = await at.everything();
    for (const { id } of memories) expect(everything).not.toContain(id);
    expect(await search(containerId, "doomed")).toEqual([]);
    expect(await at.store.vectors.counts(space.id)).toEqual(new Map());
    expect(await search(kept.containerId, "doomed")).toEqual([unitOf("memory", kept.memory.seq)]);
  });
}

export function settingsContract(open: OpenStore): void {
  const at = useStore(open);

  test("are returned as they were written, separately for each client", async () => {
    expect(await at.store.settings.read(at.organization, "")).toBeNull();
    const value = { filterPrompt: "Only “bees” 🐝", includeItems: [{ folders: ["a"] }, 1, null], chunkSize: 512 };
    await at.store.settings.write(at.organization, "", value);
    await at.store.settings.write(at.organization, "opencode", { filterPrompt: null });
    expect(await at.store.settings.read(at.organization, "")).toEqual(value);
    expect(await at.store.settings.read(at.organization, "opencode")).toEqual({ filterPrompt: null });
    expect(await at.store.settings.read(at.organization, "cursor")).toBeNull();
    expect(await at.store.settings.read(OTHER_ORGANIZATION, "")).toBeNull();
  });

  test("are replaced as a whole by the next write", async () => {
    await at.store.settings.write(at.organization, "", { chunkSize: 1, filterPrompt: "x" });
    await at.store.settings.write(at.organization, "", { chunkSize: 2 });
    expect(await at.store.settings.read(at.organization, "")).toEqual({ chunkSize: 2 });
  });

  test("are cleared for all clients of the organisation together", async () => {
    for (const client of ["", "opencode"]) await at.store.settings.write(at.organization, client, { chunkSize: 1 });
    await at.store.settings.write(OTHER_ORGANIZATION, "", { chunkSize: 1 });
    expect(await at.store.settings.clear(at.organization)).toBe(2);
    expect(await at.store.settings.clear(at.organization)).toBe(0);
    expect(await at.store.settings.read(at.organization, "opencode")).toBeNull();
    expect(await at.store.settings.read(OTHER_ORGANIZATION, "")).toEqual({ chunkSize: 1 });
  });
}

export function mergesContract(open: OpenStore): void {
  const at = useStore(open);
  const begin = (id: string) => at.store.merges.insert(at.organization, { id, sourceTags: ["a", "b"], targetTag: "c" });

  test("are queued at first, and then updated", async () => {
    const merge = await begin("one");
    expect(merge).toEqual({
      id: "one",
      sourceTags: ["a", "b"],
      targetTag: "c",
      status: "queued",
      progress: null,
      lastError: null,
      createdAt: at.clock.now().toISOString(),
      updatedAt: at.clock.now().toISOString(),
    });
    at.clock.advance(MINUTE);
    const progress = { phase: "copying_vectors", copiedRows: 7, completedSourceTags: ["a"] } as const;
    await at.store.merges.update(at.organization, "one", { status: "copying_vectors", progress });
    await at.store.merges.update(at.organization, "one", { lastError: "why" });
    expect(await at.store.merges.byId(at.organization, "one")).toEqual({
      ...merge,
      status: "copying_vectors",
      progress,
      lastError: "why",
      updatedAt: at.clock.now().toISOString(),
    });
  });

  test("are open until completed or failed, oldest first", async () => {
    for (const id of ["z", "y", "x", "w"]) {
      await begin(id);
      at.clock.advance(MINUTE);
    }
    await at.store.merges.update(at.organization, "y", { status: "completed" });
    await at.store.merges.update(at.organization, "x", { status: "failed" });
    expect((await at.store.merges.open(at.organization)).map(({ id }) => id)).toEqual(["z", "w"]);
  });

  test("belong to one organisation", async () => {
    await begin("one");
    expect(await at.store.merges.byId(OTHER_ORGANIZATION, "one")).toBeNull();
    expect(await at.store.merges.open(OTHER_ORGANIZATION)).toEqual([]);
    await at.store.merges.update(OTHER_ORGANIZATION, "one", { status: "failed" });
    expect(await at.store.merges.byId(at.organization, "one")).toMatchObject({ status: "queued" });
  });
}
