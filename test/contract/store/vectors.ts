import { describe, expect, test } from "vitest";
import type { Unit, VectorSpace } from "../../../src/core/types.js";
import { buildVector } from "../../support/builders.js";
import { type OpenStore, useStore, rising } from "./fixture.js";

export function vectorsContract(open: OpenStore): void {
  const at = useStore(open);
  const newSpace = (name = "s", dimensions = 3): Promise<VectorSpace> => at.store.ensureSpace(name, dimensions);
  const addUnit = async (space: VectorSpace, vector: Float32Array, containerTag = "a") => {
    const added = await at.addIndexedMemory({ containerTag });
    await at.store.units.addVector(added.unit, space, vector);
    return added;
  };
  const changes = async (space: VectorSpace, after = 0, options: { containerId?: number; limit?: number } = {}) =>
    (await at.store.vectors.changesSince(space, after, { limit: 100, ...options })).changes;
  const held = async (space: VectorSpace, containerId: number) =>
    new Map((await at.store.vectors.page(space, containerId, -1, 1_000)).map(({ unit, vector }) => [unit, vector]));

  describe("spaces", () => {
    test("a space is created once and found again", async () => {
      expect(await at.store.findSpace("s")).toBeNull();
      const [one, two] = await Promise.all([newSpace(), newSpace()]);
      expect(one).toEqual(two);
      expect(one).toMatchObject({ fingerprint: "s", dimensions: 3 });
      expect(await at.store.findSpace("s")).toEqual(one);
      expect((await newSpace("other")).id).not.toBe(one.id);
      expect((await at.store.vectors.spaces()).map((space) => space.fingerprint).toSorted(rising)).toEqual([
        "other",
        "s",
      ]);
    });

    test("another size is a conflict that names the setting to change", async () => {
      await newSpace();
      await expect(newSpace("s", 4)).rejects.toMatchObject({
        kind: "conflict",
        message: expect.stringMatching(/of 4 numbers.* have 3.*RECOLLECT_EMBEDDING_DIMENSIONS to 3/) as string,
      });
      expect(await newSpace()).toMatchObject({ dimensions: 3 });
    });

    test("the embedder that the environment asked for at the last start is remembered", async () => {
      expect(await at.store.embeddings.lastAsked()).toBeNull();
      await at.store.embeddings.noteAsked({ kind: "static", model: "words" });
      await at.store.embeddings.noteAsked({ kind: "builtin" });
      expect(await at.store.embeddings.lastAsked()).toEqual({ kind: "builtin" });
    });

    test("an abandoned space makes room for one with the same fingerprint, and is told apart", async () => {
      const old = await newSpace("s", 3);
      expect(await at.store.embeddings.abandon("unknown")).toBeNull();
      expect(await at.store.embeddings.abandon("s")).toBe(old.id);
      expect(await at.store.findSpace("s")).toBeNull();
      const fresh = await newSpace("s", 5);
      expect(fresh.id).not.toBe(old.id);
      expect(await at.store.embeddings.abandoned()).toEqual([old.id]);
    });
  });

  describe("the calibration of a space", () => {
    test("is stored with that space alone, and replaced as a whole", async () => {
      const one = await newSpace("one");
      const other = await newSpace("other");
      expect(await at.store.spaceCalibration(one.id)).toBeNull();
      await at.store.setSpaceCalibration(one.id, '{"a":1}');
      await at.store.setSpaceCalibration(one.id, '{"b":"ä"}');
      expect(await at.store.spaceCalibration(one.id)).toBe('{"b":"ä"}');
      expect(await at.store.spaceCalibration(other.id)).toBeNull();
    });

    test("an unknown space has none and accepts none", async () => {
      await at.store.setSpaceCalibration(4711, "{}");
      expect(await at.store.spaceCalibration(4711)).toBeNull();
    });

    test("a sample has vectors of that container and space, each once, and none that cannot be found", async () => {
      const space = await newSpace();
      const other = await newSpace("other");
      const mine: Float32Array[] = [];
      for (let index = 0; index < 6; index++) {
        const vector = buildVector(space, 1, index, 0);
        mine.push(vector);
        const { unit } = await addUnit(space, vector);
        await at.store.units.addVector(unit, other, buildVector(other, 0, 0, 1));
      }
      const { containerId } = await addUnit(space, buildVector(space, 0, 1, 1), "b");
      expect(await at.store.sampleVectors(space, containerId, 5)).toEqual([buildVector(space, 0, 1, 1)]);
      const { containerId: full } = await addUnit(space, mine[0] ?? new Float32Array(3), "a");
      const sample = await at.store.sampleVectors(space, full, 60);
      expect(sample.length).toBeGreaterThan(1);
      expect(sample.length).toBeLessThanOrEqual(7);
      for (const vector of sample) expect(mine).toContainEqual(vector);
      expect(await at.store.sampleVectors(space, 4711, 5)).toEqual([]);
      expect(await at.store.sampleVectors(space, full, 0)).toEqual([]);
    });
  });

  describe("storing vectors", () => {
    test("a container's vectors are returned bit by bit", async () => {
      const space = await newSpace("s", 5);
      const vectors = [
        new Float32Array([0.1, -0.2, 1e-38, 3.4e38, -0]),
        new Float32Array([1 / 3, Math.PI, 0, 1, -1]),
      ] as const;
      const one = await addUnit(space, vectors[0]);
      const two = await addUnit(space, vectors[1]);
      expect(await held(space, one.containerId)).toEqual(
        new Map([
          [one.unit, vectors[0]],
          [two.unit, vectors[1]],
        ]),
      );
    });

    test("a vector that is a view into a larger one is stored alone", async () => {
      const space = await newSpace();
      const { containerId } = await addUnit(space, new Float32Array([9, 9, 1, 2, 3, 9]).subarray(2, 5));
      expect([...(await held(space, containerId)).values()]).toEqual([new Float32Array([1, 2, 3])]);
    });

    test("spaces and containers are kept apart", async () => {
      const [space, other] = [await newSpace(), await newSpace("other", 2)];
      const one = await addUnit(space, buildVector(space, 1));
      const two = await addUnit(space, buildVector(space, 1), "b");
      await at.store.units.addVector(one.unit, other, buildVector(other, 1));
      expect(await at.store.vectors.counts(space.id)).toEqual(
        new Map([
          [one.containerId, 1],
          [two.containerId, 1],
        ]),
      );
      expect(await at.store.vectors.counts(other.id)).toEqual(new Map([[one.containerId, 1]]));
      expect([...(await held(space, two.containerId)).keys()]).toEqual([two.unit]);
      expect(await held(other, two.containerId)).toEqual(new Map());
      const picked = await at.store.vectors.pick(space, [one.containerId], [one.unit, two.unit]);
      expect(picked.units).toEqual([one.unit]);
    });

    test("pick returns each unit once, whichever containers it is in", async () => {
      const space = await newSpace();
      const { units, containerIds } = await at.addIndexedDocument({ containerTags: ["a", "b"] }, "one", "two");
      for (const unit of units) await at.store.units.addVector(unit, space, buildVector(space, unit));
      const picked = await at.store.vectors.pick(space, containerIds, [...units, 12_345]);
      expect([...picked.units].toSorted(rising)).toEqual(units);
      expect(picked.matrix).toHaveLength(6);
      expect((await at.store.vectors.pick(space, containerIds, [])).units).toEqual([]);
      expect((await at.store.vectors.pick(space, [], units)).units).toEqual([]);
    });

    test("pages cover all of a container by ascending unit", async () => {
      const space = await newSpace();
      const added: Unit[] = [];
      for (let index = 0; index < 7; index++) added.push((await addUnit(space, buildVector(space, index + 1))).unit);
      const { id } = await at.container("a");
      const seen: Unit[] = [];
      for (let after = -1; ;) {
        const page = await at.store.vectors.page(space, id, after, 3);
        const last = page.at(-1);
        if (!last) break;
        for (const change of page) expect(change.vector).toHaveLength(3);
        seen.push(...page.map((change) => change.unit));
        after = last.unit;
      }
      expect(seen).toEqual(added);
    });

    test("visits cover the same pages, with the vectors as they were written", async () => {
      const space = await newSpace();
      for (let index = 0; index < 7; index++) await addUnit(space, buildVector(space, index + 1, 1 / (index + 3)));
      const { id } = await at.container("a");
      const pages = await at.store.vectors.page(space, id, -1, 100);
      const seen: [Unit, Float32Array | null][] = [];
      for (let afterUnit = -1, size = 3; size === 3;) {
        const page = { containerId: id, afterUnit, limit: 3 };
        const units = await at.store.vectors.visit(space, page, (unit, vector) => seen.push([unit, vector.slice()]));
        expect(units).toEqual(seen.slice(seen.length - units.length).map(([unit]) => unit));
        size = units.length;
        afterUnit = units.at(-1) ?? afterUnit;
      }
      expect(seen).toEqual(pages.map(({ unit, vector }) => [unit, vector]));
      expect(seen).toHaveLength(7);
    });

    test("a second vector of a unit replaces the first", async () => {
      const space = await newSpace();
      const { unit, containerId } = await addUnit(space, buildVector(space, 1));
      await at.store.units.addVector(unit, space, buildVector(space, 0, 1));
      expect(await held(space, containerId)).toEqual(new Map([[unit, new Float32Array([0, 1, 0])]]));
    });

    test("a unit removed, superseded or forgotten meanwhile gets no vector that search would find", async () => {
      const space = await newSpace();
      const chunk = await at.addIndexedDocument({}, "text");
      await at.store.documents.remove(at.organization, chunk.document.id);
      const superseded = await at.addIndexedMemory();
      await at.store.memories.update(at.organization, superseded.memory.id, { isLatest: false });
      await at.store.units.unindex(superseded.unit);
      const forgotten = await at.addIndexedMemory();
      await at.store.memories.update(at.organization, forgotten.memory.id, { isForgotten: true });
      await at.store.units.setForgotten(forgotten.unit, forgotten.containerId, true);

      const { containerId } = superseded;
      for (const unit of [...chunk.units, superseded.unit, forgotten.unit, 999_999])
        await at.store.units.addVector(unit, space, buildVector(space, 1));

      expect(await at.store.vectors.counts(space.id)).toEqual(new Map());
      expect(await held(space, containerId)).toEqual(new Map());
      const scope = { containerIds: [containerId], kinds: ["memory"] as const, includeForgotten: true };
      expect((await at.store.units.forgottenVectors(scope, space)).units).toEqual([forgotten.unit]);
    });
  });

  describe("a dropped space", () => {
    test("takes its vectors, log, followers and placements with it, and nothing of another", async () => {
      const [space, other] = [await newSpace(), await newSpace("other", 2)];
      const { vectors, units } = at.store;
      const added: Unit[] = [];
      for (let index = 0; index < 300; index++) {
        const { unit } = await addUnit(space, buildVector(space, 1));
        added.push(unit);
      }
      await units.addVector(added[0]!, other, buildVector(other, 1));
      const { id } = await at.container("a");
      for (const one of [space, other]) {
        await vectors.setPosition("someone", one.id, 1);
        await vectors.setPlacement(one.id, id, "somewhere");
      }
      await vectors.dropSpace(space.id);
      await vectors.dropSpace(space.id);
      expect((await vectors.spaces()).map((one) => one.id)).toEqual([other.id]);
      expect(await vectors.counts(space.id)).toEqual(new Map());
      expect(await vectors.head(space.id)).toBe(0);
      expect(await vectors.progress("someone", space.id)).toEqual({ position: 0, layout: null });
      expect(await vectors.placements(space.id)).toEqual(new Map());
      expect([...(await held(other, id)).keys()]).toEqual([added[0]]);
      expect(await vectors.progress("someone", other.id)).toEqual({ position: 1, layout: null });
      expect(await vectors.placements(other.id)).toEqual(new Map([[id, "somewhere"]]));
    });

    test("may be unknown", async () => {
      await expect(at.store.vectors.dropSpace(4_711)).resolves.toBeUndefined();
    });

    test("a placement is set, changed and removed", async () => {
      const { vectors } = at.store;
      const space = await newSpace();
      for (const collection of ["one", "two"]) await vectors.setPlacement(space.id, 7, collection);
      await vectors.setPlacement(space.id, 8, "three");
      expect(await vectors.placements(space.id)).toEqual(
        new Map([
          [7, "two"],
          [8, "three"],
        ]),
      );
      await vectors.removePlacement(space.id, 7);
      await vectors.removePlacement(space.id, 7);
      expect(await vectors.placements(space.id)).toEqual(new Map([[8, "three"]]));
    });
  });

  describe("the change log", () => {
    test("follows every change in order: added, replaced, forgotten, removed", async () => {
      const space = await newSpace();
      expect(await at.store.vectors.head(space.id)).toBe(0);
      const one = await addUnit(space, buildVector(space, 1));
      const two = await addUnit(space, buildVector(space, 0, 1), "b");
      const afterTwo = await at.store.vectors.head(space.id);
      expect(await changes(space)).toMatchObject([
        { unit: one.unit, containerId: one.containerId, vector: buildVector(space, 1) },
        { unit: two.unit, containerId: two.containerId, vector: buildVector(space, 0, 1), seq: afterTwo },
      ]);

      await at.store.units.addVector(one.unit, space, buildVector(space, 0, 0, 1));
      await at.store.units.setForgotten(two.unit, two.containerId, true);
      expect(await changes(space, afterTwo)).toMatchObject([
        { unit: one.unit, vector: buildVector(space, 0, 0, 1) },
        { unit: two.unit, vector: null },
      ]);
      expect(await changes(space, afterTwo, { containerId: two.containerId })).toMatchObject([{ unit: two.unit }]);

      const before = await at.store.vectors.head(space.id);
      await at.store.units.setForgotten(two.unit, two.containerId, false);
      await at.store.units.unindex(one.unit);
      expect(await changes(space, before)).toMatchObject([
        { unit: two.unit, vector: buildVector(space, 0, 1) },
        { unit: one.unit, vector: null },
      ]);
      const head = await at.store.vectors.head(space.id);
      expect(await changes(space, head)).toEqual([]);
      expect((await changes(space)).map((change) => change.seq)).toEqual([1, 2, 3, 4, 5, 6]);
    });

    test("is read in pages", async () => {
      const space = await newSpace();
      for (let index = 0; index < 5; index++) await addUnit(space, buildVector(space, 1));
      const first = await changes(space, 0, { limit: 3 });
      const rest = await changes(space, first.at(-1)?.seq, { limit: 3 });
      expect([first.length, rest.length]).toEqual([3, 2]);
    });

    test("has a separate head for each space", async () => {
      const [space, other] = [await newSpace(), await newSpace("other")];
      await addUnit(space, buildVector(space, 1));
      const head = await at.store.vectors.head(space.id);
      await addUnit(other, buildVector(other, 1));
      expect(await at.store.vectors.head(space.id)).toBe(head);
      expect(await changes(other)).toHaveLength(1);
    });

    test("does not contain a change that was rolled back", async () => {
      const space = await newSpace();
      const { unit } = await at.addIndexedMemory();
      await at.store
        .transaction(async (repositories) => {
          await repositories.units.addVector(unit, space, buildVector(space, 1));
          throw new Error("no");
        })
        .catch(() => undefined);
      expect(await at.store.vectors.head(space.id)).toBe(0);
      expect(await at.store.vectors.counts(space.id)).toEqual(new Map());
    });

    test("is trimmed of what every follower has passed; a follower behind that must reload", async () => {
      const space = await newSpace();
      for (let index = 0; index < 10; index++) await addUnit(space, buildVector(space, 1));
      const head = await at.store.vectors.head(space.id);
      await at.store.vectors.setPosition("slow", space.id, 4);
      await at.store.vectors.setPosition("fast", space.id, 9);
      expect(await at.store.vectors.trim(space.id, 2)).toBe(4);
      expect(await at.store.vectors.trim(space.id, 2)).toBe(0);
      const since = (seq: number) => at.store.vectors.changesSince(space, seq, { limit: 100 });
      expect(await since(3)).toEqual({ changes: [], truncated: true });
      expect((await since(4)).truncated).toBe(false);
      expect((await since(4)).changes).toHaveLength(6);
      await at.store.vectors.setPosition("slow", space.id, 10);
      expect(await at.store.vectors.trim(space.id, 2)).toBe(4);
      expect(await at.store.vectors.head(space.id)).toBe(head);
      await at.store.vectors.setPosition("fast", space.id, 10);
      expect(await at.store.vectors.trim(space.id, 0)).toBe(2);
      expect(await at.store.vectors.head(space.id)).toBe(head);
      expect(await since(head)).toEqual({ changes: [], truncated: false });
      await addUnit(space, buildVector(space, 1));
      expect((await since(head)).changes).toHaveLength(1);
    });
  });

  describe("followers", () => {
    test("positions and placements are stored by space", async () => {
      const [space, other] = [await newSpace(), await newSpace("other")];
      const { vectors } = at.store;
      expect(await vectors.progress("chroma", space.id)).toEqual({ position: 0, layout: null });
      await vectors.setPosition("chroma", space.id, 7);
      await vectors.setPosition("chroma", space.id, 8);
      expect(await vectors.progress("chroma", space.id)).toEqual({ position: 8, layout: null });
      expect(await vectors.progress("chroma", other.id)).toEqual({ position: 0, layout: null });
      await vectors.setPlacement(space.id, 1, "one");
      await vectors.setPlacement(space.id, 1, "two");
      expect(await vectors.placements(space.id)).toEqual(new Map([[1, "two"]]));
      expect(await vectors.placements(other.id)).toEqual(new Map());
    });

    test("a layout is replaced only by a caller who knows the previous one", async () => {
      const [space, other] = [await newSpace(), await newSpace("other")];
      const { vectors } = at.store;
      const replace = (known: string | null, next: string) =>
        vectors.replaceLayout("chroma", space.id, { known, next });
      expect(await replace("another", "first")).toBe(false);
      expect(await vectors.progress("chroma", space.id)).toEqual({ position: 0, layout: null });
      expect(await replace(null, "first")).toBe(true);
      expect(await replace(null, "second")).toBe(false);
      expect(await replace("another", "second")).toBe(false);
      expect(await vectors.progress("chroma", space.id)).toEqual({ position: 0, layout: "first" });
      await vectors.setPosition("chroma", space.id, 5);
      expect(await replace("first", "second")).toBe(true);
      expect(await vectors.progress("chroma", space.id)).toEqual({ position: 5, layout: "second" });
      expect(await vectors.progress("chroma", other.id)).toEqual({ position: 0, layout: null });
      await vectors.setPosition("chroma", other.id, 1);
      const layout = { known: null, next: "other" };
      expect(await vectors.replaceLayout("chroma", other.id, layout)).toBe(true);
    });
  });
}
