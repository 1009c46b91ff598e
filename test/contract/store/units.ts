import { describe, expect, test } from "vitest";
import type { UnitScope } from "../../../src/core/ports.js";
import { kindOf, type Unit, unitOf, type VectorSpace } from "../../../src/core/types.js";
import { buildChunkDrafts, buildCondition, buildVector, only } from "../../support/builders.js";
import { type OpenStore, OTHER_ORGANIZATION, useStore, rising } from "./fixture.js";

export function unitsContract(open: OpenStore): void {
  const at = useStore(open);
  const scopeOf = async (tags: readonly string[], values: Partial<UnitScope> = {}): Promise<UnitScope> => ({
    containerIds: await Promise.all(tags.map(async (tag) => (await at.container(tag)).id)),
    kinds: ["chunk", "memory"],
    includeForgotten: false,
    ...values,
  });
  const find = async (scope: UnitScope, words: readonly string[], among?: readonly Unit[]): Promise<Unit[]> => {
    const { hits } = await at.store.units.searchText(scope, words, {
      limit: 100,
      ...(among && { among: new Set(among) }),
    });
    return hits.map((hit) => hit.unit);
  };
  const forget = async (memory: { id: string }, unit: Unit, containerId: number, forgotten = true): Promise<void> => {
    await at.store.memories.update(at.organization, memory.id, { isForgotten: forgotten });
    await at.store.units.setForgotten(unit, containerId, forgotten);
  };

  describe("text search", () => {
    test("finds any of the words, ignoring word forms, case and accents", async () => {
      const { unit } = await at.addIndexedMemory({ text: "Zoë was running a café" });
      const scope = await scopeOf(["a"]);
      for (const words of [["zoe"], ["ran", "runs"], ["cafe"], ["nothing", "café"]])
        expect(await find(scope, words)).toEqual([unit]);
      expect(await find(scope, ["caf"])).toEqual([]);
      expect(await find(scope, [])).toEqual([]);
    });

    test("never leaves the containers and kinds of the scope", async () => {
      const memory = await at.addIndexedMemory({ text: "zebra" });
      const elsewhere = await at.addIndexedMemory({ text: "zebra", containerTag: "b" });
      const chunk = await at.addIndexedDocument({ containerTags: ["a", "c"] }, "zebra");
      const both = [memory.unit, ...chunk.units].toSorted(rising);
      expect((await find(await scopeOf(["a"]), ["zebra"])).toSorted(rising)).toEqual(both);
      expect(await find(await scopeOf(["a"], { kinds: ["memory"] }), ["zebra"])).toEqual([memory.unit]);
      expect(await find(await scopeOf(["a"], { kinds: ["chunk"] }), ["zebra"])).toEqual(chunk.units);
      expect(await find(await scopeOf(["b"]), ["zebra"])).toEqual([elsewhere.unit]);
      expect(await find(await scopeOf(["c"]), ["zebra"])).toEqual(chunk.units);
      expect(await find(await scopeOf(["a", "b", "c"]), ["zebra"])).toHaveLength(3);
      expect(await find(await scopeOf([]), ["zebra"])).toEqual([]);
      expect(await find(await scopeOf(["d"]), ["zebra"])).toEqual([]);
    });

    test("treats words that look like a container or query syntax as words", async () => {
      const { unit, containerId } = await at.addIndexedMemory({ text: `m${containerIdOf()} "quoted" AND star* near` });
      await at.addIndexedMemory({ text: "plain", containerTag: "b" });
      const scope = await scopeOf(["a"]);
      for (const word of ["and", "near", "quoted"]) expect(await find(scope, [word])).toEqual([unit]);
      for (const word of ["star*", '"', '") OR scope : ("m2', "text:", "NOT", "(", "{scope}"])
        expect([[], [unit]]).toContainEqual(await find(scope, [word]));
      expect(await find(await scopeOf(["b"]), [`m${containerId}`])).toEqual([]);
      function containerIdOf(): number {
        return 1;
      }
    });

    test("weights a unit's own words more than those around it", async () => {
      const { document, containerIds } = await at.addIndexedDocument({});
      const chunks = await at.store.chunks.replace(at.organization, document.id, 1, [
        { id: "in-context", content: "something else", context: "giraffe", metadata: null },
        { id: "in-text", content: "giraffe", context: "something else", metadata: null },
      ]);
      for (const { seq, content, context } of chunks)
        await at.store.units.indexText({ unit: seq * 2, containerIds, text: content, context });
      const scope = await scopeOf(["a"]);
      expect(await find(scope, ["giraffe"])).toEqual([chunks[1], chunks[0]].map((chunk) => (chunk?.seq ?? 0) * 2));
    });

    test("returns the best first, up to the limit", async () => {
      const often = await at.addIndexedMemory({ text: "tiger tiger tiger lion" });
      for (let index = 0; index < 5; index++)
        await at.addIndexedMemory({ text: `tiger ${"filler ".repeat(9)}${index}` });
      const { hits } = await at.store.units.searchText(await scopeOf(["a"]), ["tiger", "lion"], { limit: 3 });
      expect(hits).toHaveLength(3);
      expect(hits[0]?.unit).toBe(often.unit);
      expect(hits.map((hit) => hit.score)).toEqual(hits.map((hit) => hit.score).sort((a, b) => b - a));
    });

    test("can be limited to given units", async () => {
      const units: Unit[] = [];
      for (let index = 0; index < 4; index++) units.push((await at.addIndexedMemory({ text: `tiger ${index}` })).unit);
      const scope = await scopeOf(["a"]);
      expect((await find(scope, ["tiger"], [units[1] ?? 0, units[3] ?? 0, 999_999])).toSorted(rising)).toEqual([
        units[1],
        units[3],
      ]);
      expect(await find(scope, ["tiger"], [])).toEqual([]);
    });

    test("writing a unit again replaces it; removing it leaves nothing", async () => {
      const { unit, containerId } = await at.addIndexedMemory({ text: "zebra" });
      const scope = await scopeOf(["a"]);
      await at.store.units.indexText({ unit, containerIds: [containerId], text: "giraffe", context: "" });
      expect(await find(scope, ["zebra"])).toEqual([]);
      expect(await find(scope, ["giraffe"])).toEqual([unit]);
      await at.store.units.unindex(unit);
      expect(await find(scope, ["giraffe"])).toEqual([]);
    });

    test("removed units are no longer found, and new ones are found immediately, in any containers", async () => {
      const { unit, containerId } = await at.addIndexedMemory({ text: "tiger" });
      const other = await at.addIndexedMemory({ text: "lion", containerTag: "b" });
      const tags = [["a"], ["b"], ["a", "b"], "all"] as const;
      const findIn = async () =>
        Promise.all(
          tags.map(async (some) => {
            const isAll = some === "all";
            const scope = await scopeOf(isAll ? ["a", "b"] : some, isAll ? { isEverywhere: true } : {});
            return (await find(scope, ["tiger"])).toSorted((one, two) => one - two);
          }),
        );
      expect(await findIn()).toEqual([[unit], [], [unit], [unit]]);
      const { unit: second } = await at.addIndexedMemory({ text: "tiger again", containerTag: "b" });
      expect(await findIn()).toEqual([[unit], [second], [unit, second], [unit, second]]);
      await at.store.units.rescope(unit, [other.containerId]);
      expect(await findIn()).toEqual([[], [unit, second], [unit, second], [unit, second]]);
      await at.store.transaction(async (repositories) => {
        await repositories.units.unindex(second);
        await repositories.units.rescope(unit, [containerId]);
      });
      expect(await findIn()).toEqual([[unit], [], [unit], [unit]]);
      const taken = at.store.transaction(async (repositories) => {
        await repositories.units.unindex(unit);
        throw new Error("taken back");
      });
      await expect(taken).rejects.toThrow("taken back");
      expect(await findIn()).toEqual([[unit], [], [unit], [unit]]);
      await at.store.units.setForgotten(unit, containerId, true);
      expect((await findIn()).slice(0, 3)).toEqual([[], [], []]);
      await at.store.units.setForgotten(unit, containerId, false);
      expect(await findIn()).toEqual([[unit], [], [unit], [unit]]);
    });

    test("counts the units of the scope that have each word", async () => {
      await at.addIndexedMemory({ text: "tiger and lion" });
      await at.addIndexedMemory({ text: "tiger alone" });
      await at.addIndexedMemory({ text: "tiger elsewhere", containerTag: "b" });
      const countIn = async (tags: readonly string[], words: readonly string[], mostMatches: number) =>
        (await at.store.units.searchText(await scopeOf(tags), words, { limit: 1, mostMatches })).counted;
      for (const mostMatches of [0, 1, 2, Infinity])
        expect(await countIn(["a"], ["tiger", "lion", "bear"], mostMatches)).toEqual({ total: 2, counts: [2, 1, 0] });
      expect(await countIn([], ["tiger"], 1)).toEqual({ total: 0, counts: [0] });
      await at.addIndexedMemory({ text: "tiger again" });
      expect(await countIn(["a"], ["tiger", "lion", "bear"], 1)).toEqual({ total: 3, counts: [3, 1, 0] });
    });

    test("accepts a scope of thousands of containers", async () => {
      const { unit } = await at.addIndexedMemory({ text: "needle" });
      const tags = Array.from({ length: 5_000 }, (_, index) => `t${index}`);
      const rows = await at.store.containers.ensure(at.organization, ["a", ...tags]);
      const scope = await scopeOf([], { containerIds: rows.map((row) => row.id) });
      expect(await find(scope, ["needle"])).toEqual([unit]);
      expect(await at.store.units.details(at.organization, scope, [unit])).toHaveLength(1);
    });

    test("finds and counts the same in a scope of thousands of containers as in those that have something", async () => {
      const tags = Array.from({ length: 5_000 }, (_, index) => `t${index}`);
      const rows = await at.store.containers.ensure(at.organization, tags);
      for (let index = 0; index < 30; index++)
        await at.addIndexedMemory({ text: `zebra number ${index}`, containerTag: `t${index * 150}` });
      await at.addIndexedDocument({ containerTags: ["t7", "t4999"] }, "a zebra and a giraffe");
      const { memory, unit, containerId } = await at.addIndexedMemory({ text: "forgotten zebra", containerTag: "t9" });
      await forget(memory, unit, containerId);
      await at.addIndexedMemory({ text: "zebra and giraffe elsewhere", containerTag: "elsewhere" });
      const few = await scopeOf(["t7", "t9", "t4999", ...Array.from({ length: 30 }, (_, index) => `t${index * 150}`)]);
      const containerIds = rows.map((row) => row.id);
      for (const [kinds, includeForgotten, mostMatches] of [
        [["chunk", "memory"], false, 3],
        [["memory"], true, Infinity],
      ] as const) {
        const search = (scope: UnitScope) =>
          at.store.units.searchText(scope, ["zebra", "giraffe", "lion"], { limit: 50, mostMatches });
        const wanted = { ...few, kinds, includeForgotten };
        expect(await search({ ...wanted, containerIds })).toEqual(await search(wanted));
      }
    });
  });

  describe("everywhere, with many containers", () => {
    test("finds the same as naming each container, whatever is forgotten, of another kind or removed", async () => {
      const tags = Array.from({ length: 60 }, (_, index) => `t${index}`);
      for (const tag of tags.slice(0, 5)) await at.addIndexedMemory({ text: `zebra in ${tag}`, containerTag: tag });
      await at.addIndexedDocument({ containerTags: ["t7", "t8"] }, "a zebra and a giraffe");
      const { memory, unit, containerId } = await at.addIndexedMemory({ text: "forgotten zebra", containerTag: "t9" });
      await forget(memory, unit, containerId);
      const rows = await at.store.containers.ensure(at.organization, tags);
      const named = await scopeOf([], { containerIds: rows.map((row) => row.id) });
      for (const kinds of [["chunk", "memory"], ["chunk"], ["memory"]] as const)
        for (const includeForgotten of [false, true]) {
          const scope = { ...named, kinds, includeForgotten };
          const shown = async (scope: UnitScope) => {
            const units = await find(scope, ["zebra", "giraffe"]);
            return (await at.store.units.details(at.organization, scope, units)).map(({ text }) => text).toSorted();
          };
          expect(await shown({ ...scope, isEverywhere: true })).toEqual(await shown(scope));
        }
    });
  });

  describe("forgotten memories", () => {
    test("are found only on request, with their vectors, and are restored whole", async () => {
      const space = await at.store.ensureSpace("s", 3);
      const { memory, unit, containerId } = await at.addIndexedMemory({ text: "zebra" });
      await at.store.units.addVector(unit, space, buildVector(space, 1));
      const plain = await scopeOf(["a"]);
      const all = await scopeOf(["a"], { includeForgotten: true });
      const detailsIn = async (scope: UnitScope) =>
        (await at.store.units.details(at.organization, scope, [unit])).map((detail) => detail.unit);
      const vectorsIn = async (scope: UnitScope) => [...(await at.store.units.forgottenVectors(scope, space)).units];

      expect([await find(plain, ["zebra"]), await find(all, ["zebra"])]).toEqual([[unit], [unit]]);
      await forget(memory, unit, containerId);
      expect([await find(plain, ["zebra"]), await find(all, ["zebra"])]).toEqual([[], [unit]]);
      expect([await detailsIn(plain), await detailsIn(all)]).toEqual([[], [unit]]);
      expect(await at.store.vectors.counts(space.id)).toEqual(new Map());
      expect(await vectorsIn(all)).toEqual([unit]);
      expect(await vectorsIn(await scopeOf(["b"], { includeForgotten: true }))).toEqual([]);

      await forget(memory, unit, containerId, false);
      expect([await find(plain, ["zebra"]), await detailsIn(plain)]).toEqual([[unit], [unit]]);
      expect(await at.store.vectors.counts(space.id)).toEqual(new Map([[containerId, 1]]));
      expect(await vectorsIn(all)).toEqual([]);
    });
  });

  describe("chunks of a forgotten document", () => {
    const texts = async (scope: UnitScope) => {
      const units = await find(scope, ["zebra", "giraffe"]);
      const details = await at.store.units.details(at.organization, scope, units);
      return details.map(({ text }) => text).toSorted();
    };

    test("are found only when forgotten units of their kind are requested, and are restored whole", async () => {
      const { document, units, containerIds } = await at.addIndexedDocument({}, "zebra one", "zebra two");
      const space = await at.store.ensureSpace("s", 3);
      for (const unit of units) await at.store.units.addVector(unit, space, buildVector(space, 1));
      const [plain, all] = [await scopeOf(["a"]), await scopeOf(["a"], { includeForgotten: true })];
      const vectorsIn = async (scope: UnitScope) =>
        [...(await at.store.units.forgottenVectors(scope, space)).units].toSorted(rising);
      const set = (forgotten: boolean, organization = at.organization) =>
        at.store.units.setDocumentForgotten(organization, document.id, forgotten);

      await set(true, OTHER_ORGANIZATION);
      expect(await texts(plain)).toEqual(["zebra one", "zebra two"]);
      for (let time = 0; time < 2; time += 1) await set(true);
      expect([await find(plain, ["zebra"]), await texts(all)]).toEqual([[], ["zebra one", "zebra two"]]);
      expect(await vectorsIn(all)).toEqual([...units].toSorted(rising));
      expect(await vectorsIn({ ...all, kinds: ["memory"] })).toEqual([]);
      expect(await find({ ...all, kinds: ["memory"] }, ["zebra"])).toEqual([]);
      expect(await at.store.vectors.counts(space.id)).toEqual(new Map());

      await set(false);
      expect(await texts(plain)).toEqual(["zebra one", "zebra two"]);
      expect(await vectorsIn(all)).toEqual([]);
      expect(await at.store.vectors.counts(space.id)).toEqual(new Map(containerIds.map((id) => [id, 2])));
    });

    test("stay forgotten when they get other text, vectors or containers", async () => {
      const { document, containerIds } = await at.addIndexedDocument({}, "zebra");
      await at.store.units.setDocumentForgotten(at.organization, document.id, true);
      const [chunk] = await at.store.chunks.replace(at.organization, document.id, 2, buildChunkDrafts("giraffe"));
      const unit = unitOf("chunk", chunk?.seq ?? 0);
      const space = await at.store.ensureSpace("s", 3);
      await at.store.units.indexText({ unit, containerIds, text: "giraffe", context: "" });
      await at.store.units.addVector(unit, space, buildVector(space, 1));
      const other = await at.container("b");
      await at.store.containers.relocate(at.organization, document.id, [other.id]);
      expect(await find(await scopeOf(["b"]), ["giraffe"])).toEqual([]);
      const all = await scopeOf(["b"], { includeForgotten: true });
      expect(await find(all, ["giraffe"])).toEqual([unit]);
      expect([...(await at.store.units.forgottenVectors(all, space)).units]).toEqual([unit]);
    });

    test("are excluded as soon as their document has expired, even if cached", async () => {
      const { document, units } = await at.addIndexedDocument({}, "zebra");
      const plain = await scopeOf(["a"]);
      for (let time = 0; time < 3; time += 1) expect(await texts(plain)).toEqual(["zebra"]);
      const forgetAfter = at.clock.from(1_000).toISOString();
      await at.store.documents.update(at.organization, document.id, { forgetAfter });
      const expired = () => at.store.documents.expired(at.organization, at.clock.now(), 10);
      expect([await texts(plain), await expired()]).toEqual([["zebra"], []]);
      at.clock.advance(1_000);
      expect([await texts(plain), await expired()]).toEqual([[], [document.id]]);
      expect(await find(plain, ["zebra"])).toEqual(units);
      await at.store.units.setDocumentForgotten(at.organization, document.id, true);
      expect([await find(plain, ["zebra"]), await expired()]).toEqual([[], []]);
    });
  });

  describe("units without a vector", () => {
    const space = (): Promise<VectorSpace> => at.store.ensureSpace("s", 3);

    test("are paged by ascending unit, with all that embedding needs", async () => {
      const chunk = await at.addIndexedDocument({ containerTags: ["a", "b"] }, "one", "two");
      const memory = await at.addIndexedMemory({ text: "three" });
      const expected = [...chunk.units, memory.unit].sort((a, b) => a - b);
      const found: Unit[] = [];
      for (let after = -1; ;) {
        const page = await at.store.units.withoutVector(await space(), after, 2);
        const last = page.at(-1);
        if (!last) break;
        expect(page.length).toBeLessThanOrEqual(2);
        for (const { unit, text, containerIds } of page) {
          expect(text).toBe(unit === memory.unit ? "three" : unit === chunk.units[0] ? "one" : "two");
          expect([...containerIds].toSorted(rising)).toEqual(
            kindOf(unit) === "memory" ? [memory.containerId] : chunk.containerIds,
          );
        }
        found.push(...page.map((entry) => entry.unit));
        after = last.unit;
      }
      expect(found).toEqual(expected);
    });

    test("exclude units with one in this space, and forgotten or superseded memories", async () => {
      const embedded = await at.addIndexedMemory();
      await at.store.units.addVector(embedded.unit, await space(), new Float32Array([1, 0, 0]));
      const forgotten = await at.addIndexedMemory();
      await forget(forgotten.memory, forgotten.unit, forgotten.containerId);
      const superseded = await at.addIndexedMemory();
      await at.store.memories.update(at.organization, superseded.memory.id, { isLatest: false });
      expect(await at.store.units.withoutVector(await space(), -1, 10)).toEqual([]);
      const other = await at.store.ensureSpace("other", 3);
      expect((await at.store.units.withoutVector(other, -1, 10)).map((entry) => entry.unit)).toEqual([embedded.unit]);
    });
  });

  describe("filtering before ranking", () => {
    test("works by metadata, path and document, within the scope", async () => {
      const one = await at.addIndexedDocument({ metadata: { team: "red" }, filepath: "/a/x.md" }, "one");
      const two = await at.addIndexedDocument({ metadata: { team: "blue" }, filepath: "/b/x.md" }, "two");
      const elsewhere = await at.addIndexedDocument({ metadata: { team: "red" }, containerTags: ["b"] }, "three");
      const memory = await at.addIndexedMemory();
      await at.store.memories.addSource(at.organization, memory.memory.id, two.document.id, null);
      const scope = await scopeOf(["a"]);
      const match = async (condition: Parameters<typeof at.store.units.matching>[2], within = scope) =>
        (await at.store.units.matching(at.organization, within, condition)).toSorted((a, b) => a - b);
      const red = only(buildCondition("team", "red"));
      expect(await match({ filters: red })).toEqual(one.units);
      expect(await match({ filters: only(buildCondition("team", "blue")) })).toEqual(
        [...two.units, memory.unit].toSorted(rising),
      );
      expect(await match({ filters: red }, await scopeOf(["b"]))).toEqual(elsewhere.units);
      expect(await match({ filters: red }, await scopeOf(["a", "b"]))).toEqual(
        [...one.units, ...elsewhere.units].toSorted(rising),
      );
      expect(await match({ filepath: "/a/" })).toEqual(one.units);
      expect(await match({ filepath: "/b/x.md" })).toEqual([...two.units, memory.unit].toSorted(rising));
      expect(await match({ documentIds: [two.document.id] })).toEqual([...two.units, memory.unit].toSorted(rising));
      expect(await match({ documentIds: [elsewhere.document.id] })).toEqual([]);
      expect(await match({ documentIds: [two.document.id], filters: red })).toEqual([]);
      expect(await match({ documentIds: [] })).toEqual([]);
      expect(await match({ documentIds: [one.document.id, two.document.id], filepath: "/b/" })).toEqual(
        [...two.units, memory.unit].toSorted(rising),
      );
      expect(await match({}, await scopeOf(["a"], { kinds: ["memory"] }))).toEqual([memory.unit]);
      expect(await at.store.units.matching(OTHER_ORGANIZATION, scope, {})).toEqual([]);
    });
  });

  describe("chunks by place", () => {
    const place = (documentId: string, position: number, revision = 1) => ({ documentId, revision, position });

    test("are found by document, revision and position, whatever is missing", async () => {
      const [one, two] = [await at.addIndexedDocument({}, "a", "b"), await at.addIndexedDocument({}, "c")];
      const texts = async (...places: ReturnType<typeof place>[]) =>
        (await at.store.chunks.at(at.organization, places)).map(({ content }) => content).toSorted(rising);
      const [first, second] = [one.document.id, two.document.id];
      expect(await texts(place(first, 1), place(second, 0), place(second, 1), place("nowhere", 0))).toEqual(["b", "c"]);
      expect(await texts(place(first, -1), place(first, 0, 2))).toEqual([]);
      expect(await texts()).toEqual([]);
      expect(await at.store.chunks.at(OTHER_ORGANIZATION, [place(first, 0)])).toEqual([]);
    });
  });

  describe("limiting to documents", () => {
    const chunksOf = async (tags: string[], condition: Parameters<typeof at.store.units.matching>[2]) =>
      (await at.store.units.matching(at.organization, await scopeOf(tags, { kinds: ["chunk"] }), condition)).toSorted(
        rising,
      );

    test("that are in every container of the scope, while a memory stays in its own", async () => {
      await at.addIndexedDocument({ containerTags: ["a"] }, "in a");
      const both = await at.addIndexedDocument({ containerTags: ["a", "b"] }, "in both");
      const all = await at.addIndexedDocument({ containerTags: ["c", "b", "a"] }, "in all");
      const memory = await at.addIndexedMemory({ containerTag: "b" });
      expect(await chunksOf(["a", "b"], { inEveryContainer: true })).toEqual([...both.units, ...all.units]);
      expect(await chunksOf(["a", "b", "c"], { inEveryContainer: true })).toEqual(all.units);
      const scope = await scopeOf(["a", "b"], { kinds: ["memory"] });
      expect(await at.store.units.matching(at.organization, scope, { inEveryContainer: true })).toEqual([memory.unit]);
    });

    test("other than some", async () => {
      const [one, two] = [await at.addIndexedDocument({}, "one", "more"), await at.addIndexedDocument({}, "two")];
      expect(await chunksOf(["a"], { exceptDocumentIds: [one.document.id] })).toEqual(two.units);
      expect(await chunksOf(["a"], { exceptDocumentIds: [] })).toEqual([...one.units, ...two.units]);
    });
  });

  describe("neighbours of chunks", () => {
    test("are a number of places before and after in the same document, each once", async () => {
      const { units } = await at.addIndexedDocument({}, "one", "two", "three", "four", "five", "six");
      const other = await at.addIndexedDocument({}, "uno", "due");
      const beside = async (of: readonly Unit[], distance: number) =>
        (await at.store.units.beside(of, distance)).toSorted(rising);
      expect(await beside(units.slice(0, 1), 2)).toEqual(units.slice(0, 3));
      expect(await beside(units.slice(3, 5), 1)).toEqual(units.slice(2, 6));
      expect(await beside(other.units.slice(1), 9)).toEqual(other.units);
      expect(await beside(units.slice(2, 3), 0)).toEqual(units.slice(2, 3));
    });

    test("do not exist for memories and removed units", async () => {
      const { document, units } = await at.addIndexedDocument({}, "one", "two");
      const memory = await at.addIndexedMemory();
      expect(await at.store.units.beside([memory.unit, 999_998, 999_999], 2)).toEqual([]);
      expect(await at.store.units.beside([], 2)).toEqual([]);
      await at.store.documents.remove(at.organization, document.id);
      expect(await at.store.units.beside(units, 2)).toEqual([]);
    });
  });

  describe("details", () => {
    test("include chunks and memories, with their sources in order", async () => {
      const { document, units } = await at.addIndexedDocument({}, "the text");
      const memory = await at.addIndexedMemory({ text: "a fact" });
      const later = await at.addDocument();
      await at.store.memories.addSource(at.organization, memory.memory.id, document.id, null);
      at.clock.advance(1);
      await at.store.memories.addSource(at.organization, memory.memory.id, later.id, null);
      const found = await at.store.units.details(at.organization, await scopeOf(["a"]), [...units, memory.unit]);
      const [chunkDetail, memoryDetail] = found.sort((a, b) => Number(b.chunk !== null) - Number(a.chunk !== null));
      expect(chunkDetail).toMatchObject({ unit: units[0], text: "the text", memory: null, documentIds: [document.id] });
      expect(memoryDetail).toMatchObject({
        unit: memory.unit,
        text: "a fact",
        chunk: null,
        containerId: memory.containerId,
        documentIds: [document.id, later.id],
      });
      expect(memoryDetail?.id).toBe(memory.memory.id);
      const whole = await at.store.units.load(at.organization, [...units, memory.unit]);
      expect(whole).toHaveLength(2);
      expect(whole.find(({ unit }) => unit === units[0])?.chunk).toMatchObject({ content: "the text" });
      const shown = whole.find(({ unit }) => unit === memory.unit)?.memory;
      expect(shown).toMatchObject({ id: memory.memory.id, sourceCount: 2 });
    });

    test("load whole units of this organisation only, and nothing of a removed one", async () => {
      const { document, units } = await at.addIndexedDocument({}, "the text");
      const memory = await at.addIndexedMemory({ text: "a fact" });
      const [chunk] = await at.store.chunks.ofDocument(at.organization, document.id, 1);
      const load = async (organization: string) =>
        (await at.store.units.load(organization, [...units, memory.unit, 999_998, 999_999])).toSorted(
          (a, b) => a.unit - b.unit,
        );
      expect(new Set(await load(at.organization))).toEqual(
        new Set([
          { unit: units[0], chunk, memory: null },
          { unit: memory.unit, chunk: null, memory: memory.memory },
        ]),
      );
      expect(await load(OTHER_ORGANIZATION)).toEqual([]);
      expect(await at.store.units.load(at.organization, [])).toEqual([]);
    });

    test("contain a chunk of several searched containers once", async () => {
      const { units } = await at.addIndexedDocument({ containerTags: ["a", "b"] }, "text");
      expect(await at.store.units.details(at.organization, await scopeOf(["a", "b"]), units)).toHaveLength(1);
    });

    test("never include another container or organisation, or superseded, expired or removed units", async () => {
      const chunk = await at.addIndexedDocument({}, "text");
      const memory = await at.addIndexedMemory();
      const superseded = await at.addIndexedMemory();
      const fleeting = await at.addIndexedMemory({ forgetAfter: at.clock.from(1_000).toISOString() });
      const units = [...chunk.units, memory.unit, superseded.unit, fleeting.unit, 999_998, 999_999];
      const seen = async (scope: UnitScope, organization = at.organization) =>
        (await at.store.units.details(organization, scope, units)).map((detail) => detail.unit).toSorted(rising);
      const scope = await scopeOf(["a"]);
      expect(await seen(await scopeOf(["b"]))).toEqual([]);
      expect(await seen(scope, OTHER_ORGANIZATION)).toEqual([]);
      expect(await seen(scope)).toHaveLength(4);
      await at.store.memories.update(at.organization, superseded.memory.id, { isLatest: false });
      at.clock.advance(1_000);
      expect(await seen(scope)).toEqual([...chunk.units, memory.unit].toSorted(rising));
      await at.store.documents.remove(at.organization, chunk.document.id);
      expect(await seen(scope)).toEqual([memory.unit]);
    });
  });
}
