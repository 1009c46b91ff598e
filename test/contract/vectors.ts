import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";

import type { VectorHit, VectorIndex, VectorQuery, VectorRecord } from "../../src/core/ports.js";
import { unitOf, type Unit, type VectorSpace } from "../../src/core/types.js";
import { MemoryVectorRecord } from "../support/vector-record.js";
import { nearestByHand, randomVector, seededRandom, vectorNear } from "../support/vectors.js";

/** What an adapter's test passes to the suite. */
export interface VectorIndexSubject {
  /** Opens an index over the record and waits until it can answer. */
  open(record: VectorRecord): Promise<VectorIndex>;
  /** The minimum share of the true nearest vectors that a search must find; 1 for exact search. */
  readonly recall: number;
  /** Number of vectors to search; 10,000 by default. */
  readonly many?: number;
  readonly before?: () => Promise<void>;
  readonly after?: () => Promise<void>;
}

const DIMENSIONS = 32;
let nextSpace = 1;

/** What every `VectorIndex` promises, whatever its backend. */
export function describeVectorIndex(name: string, subject: VectorIndexSubject): void {
  describe(`${name} fulfils the contract of a vector index`, () => {
    const record = new MemoryVectorRecord();
    const random = seededRandom(7);
    let index: VectorIndex;
    let space: VectorSpace;

    beforeAll(async () => {
      await subject.before?.();
      index = await subject.open(record);
    }, 180_000);

    afterAll(async () => {
      await index?.close();
      await subject.after?.();
    }, 30_000);

    beforeEach(() => {
      space = { id: nextSpace, fingerprint: `test ${nextSpace}`, dimensions: DIMENSIONS };
      nextSpace += 1;
      record.addSpace(space);
    });

    function fill(containerId: number, count: number, firstSeq = 1): Map<Unit, Float32Array> {
      const vectors = new Map<Unit, Float32Array>();
      for (let at = 0; at < count; at++) {
        const unit = unitOf(at % 2 === 0 ? "chunk" : "memory", firstSeq + at);
        vectors.set(unit, randomVector(DIMENSIONS, random));
        record.put(space, containerId, unit, vectors.get(unit)!);
      }
      return vectors;
    }

    function search(vector: Float32Array, change: Partial<VectorQuery> = {}): Promise<VectorHit[]> {
      return index.nearest({ space, containerIds: [1], kinds: ["chunk", "memory"], vector, limit: 10, ...change });
    }

    it("returns the nearest vectors in order, with their cosines", async () => {
      const vectors = fill(1, 300);
      const query = randomVector(DIMENSIONS, random);
      const expected = nearestByHand(vectors, query, 10);
      const hits = await search(query);
      expect(unitsOf(hits)).toEqual(unitsOf(expected));
      hits.forEach((hit, at) => expect(hit.cosine).toBeCloseTo(expected[at]!.cosine, 4));
    });

    it("finds a vector under itself with cosine 1", async () => {
      const vectors = fill(1, 50);
      const [unit, vector] = [...vectors][17]!;
      const [best] = await search(vector, { limit: 1 });
      expect(best?.unit).toBe(unit);
      expect(best?.cosine).toBeCloseTo(1, 5);
    });

    it("returns all vectors when there are fewer than the limit", async () => {
      const vectors = fill(1, 7);
      const hits = await search(randomVector(DIMENSIONS, random), { limit: 100 });
      expect(new Set(unitsOf(hits))).toEqual(new Set(vectors.keys()));
    });

    it("returns nothing for a space, a container or a limit without vectors", async () => {
      expect(await search(randomVector(DIMENSIONS, random))).toEqual([]);
      const vectors = fill(1, 5);
      const query = [...vectors.values()][0]!;
      expect(await search(query, { containerIds: [999] })).toEqual([]);
      expect(await search(query, { containerIds: [] })).toEqual([]);
      expect(await search(query, { kinds: [] })).toEqual([]);
      expect(await search(query, { limit: 0 })).toEqual([]);
      expect(await search(query, { among: new Set() })).toEqual([]);
    });

    it("never returns a unit of a container that was not asked for", async () => {
      const mine = fill(1, 40, 1);
      const query = randomVector(DIMENSIONS, random);
      for (let at = 0; at < 40; at++) {
        record.put(space, 2, unitOf("chunk", 1_000 + at), vectorNear(query, 0.1, random));
      }
      const hits = await search(query, { limit: 60 });
      expect(new Set(unitsOf(hits))).toEqual(new Set(mine.keys()));
    });

    it("searches several containers as one", async () => {
      const all = new Map([...fill(1, 60, 1), ...fill(2, 60, 100), ...fill(3, 60, 200)]);
      const query = randomVector(DIMENSIONS, random);
      const hits = await search(query, { containerIds: [1, 2, 3], limit: 20 });
      expect(unitsOf(hits)).toEqual(unitsOf(nearestByHand(all, query, 20)));
    });

    it("returns a unit in several containers once", async () => {
      const query = randomVector(DIMENSIONS, random);
      for (let at = 0; at < 30; at++) {
        const vector = vectorNear(query, 0.5, random);
        for (const containerId of [1, 2, 3]) record.put(space, containerId, unitOf("memory", at), vector);
      }
      const hits = await search(query, { containerIds: [1, 2, 3, 3], limit: 12 });
      expect(new Set(unitsOf(hits)).size).toBe(12);
    });

    it("keeps a unit findable in one container after it left another", async () => {
      const vector = randomVector(DIMENSIONS, random);
      const unit = unitOf("memory", 5);
      record.put(space, 1, unit, vector);
      record.put(space, 2, unit, vector);
      record.put(space, 1, unit, null);
      expect(await search(vector)).toEqual([]);
      expect(unitsOf(await search(vector, { containerIds: [1, 2] }))).toEqual([unit]);
    });

    it("returns only the requested kinds", async () => {
      const vectors = fill(1, 100);
      const query = randomVector(DIMENSIONS, random);
      for (const kind of ["chunk", "memory"] as const) {
        const parity = kind === "memory" ? 1 : 0;
        const wanted = new Map([...vectors].filter(([unit]) => unit % 2 === parity));
        expect(unitsOf(await search(query, { kinds: [kind] }))).toEqual(unitsOf(nearestByHand(wanted, query, 10)));
      }
    });

    it("loses no recall to a filter, however few units it leaves and however distant they are", async () => {
      const vectors = fill(1, 400);
      const query = randomVector(DIMENSIONS, random);
      const farthest = nearestByHand(vectors, query, 400).slice(-6);
      const among = new Set(unitsOf(farthest));
      expect(unitsOf(await search(query, { among }))).toEqual(unitsOf(farthest));
      const most = new Map(
        nearestByHand(vectors, query, 400)
          .slice(30)
          .map(({ unit }) => [unit, vectors.get(unit)!]),
      );
      const hits = await search(query, { among: new Set(most.keys()) });
      expect(unitsOf(hits)).toEqual(unitsOf(nearestByHand(most, query, 10)));
    });

    it("ignores units in a filter that are elsewhere or do not exist", async () => {
      const vectors = fill(1, 10);
      record.put(space, 2, unitOf("chunk", 900), randomVector(DIMENSIONS, random));
      const own = [...vectors.keys()][3]!;
      const among = new Set([own, unitOf("chunk", 900), unitOf("memory", 123_456)]);
      expect(unitsOf(await search(randomVector(DIMENSIONS, random), { among }))).toEqual([own]);
    });

    it("sees every write committed before the search, and none that was removed", async () => {
      fill(1, 30);
      for (let round = 0; round < 20; round++) {
        const unit = unitOf("memory", 10_000 + round);
        const vector = randomVector(DIMENSIONS, random);
        record.put(space, 1, unit, vector);
        expect((await search(vector, { limit: 1 }))[0]?.unit).toBe(unit);
        record.put(space, 1, unit, null);
        expect(unitsOf(await search(vector))).not.toContain(unit);
      }
    });

    it("scores the newest vector of a unit that was written again", async () => {
      fill(1, 30);
      const unit = unitOf("memory", 3);
      const [before, after] = [randomVector(DIMENSIONS, random), randomVector(DIMENSIONS, random)];
      record.put(space, 1, unit, before);
      expect((await search(before, { limit: 1 }))[0]?.cosine).toBeCloseTo(1, 5);
      record.put(space, 1, unit, after);
      expect((await search(after, { limit: 1 }))[0]).toMatchObject({ unit });
      expect((await search(before, { limit: 40 })).find((hit) => hit.unit === unit)?.cosine).toBeLessThan(0.99);
    });

    it("stays correct while vectors are written, replaced and deleted in any order", async () => {
      const vectors = new Map<Unit, Float32Array>();
      for (let round = 0; round < 12; round++) {
        for (let change = 0; change < 25; change++) {
          const unit = unitOf(random() < 0.5 ? "chunk" : "memory", Math.floor(random() * 60));
          const vector = random() < 0.35 ? null : randomVector(DIMENSIONS, random);
          record.put(space, 1, unit, vector);
          if (vector === null) vectors.delete(unit);
          else vectors.set(unit, vector);
        }
        const query = randomVector(DIMENSIONS, random);
        expect(unitsOf(await search(query))).toEqual(unitsOf(nearestByHand(vectors, query, 10)));
      }
    });

    it("answers concurrent searches, each with what was committed before it", async () => {
      fill(1, 50);
      const searches = Array.from({ length: 25 }, async (_, at) => {
        const unit = unitOf("memory", 20_000 + at);
        const vector = randomVector(DIMENSIONS, random);
        record.put(space, 1, unit, vector);
        return { unit, found: (await search(vector, { limit: 1 }))[0]?.unit };
      });
      for (const { unit, found } of await Promise.all(searches)) expect(found).toBe(unit);
    });

    it("continues after the record has dropped its change log", async () => {
      const vectors = fill(1, 40);
      await search(randomVector(DIMENSIONS, random));
      const late = unitOf("memory", 777);
      vectors.set(late, randomVector(DIMENSIONS, random));
      record.put(space, 1, late, vectors.get(late)!);
      record.truncateLog(space);
      await expect
        .poll(() => search(vectors.get(late)!, { limit: 1 }).catch((error: unknown) => [error]), { timeout: 30_000 })
        .toMatchObject([{ unit: late }]);
    });

    it("keeps spaces apart, even with different dimensions", async () => {
      const vectors = fill(1, 20);
      const other: VectorSpace = { id: nextSpace, fingerprint: `test ${nextSpace}`, dimensions: 8 };
      nextSpace += 1;
      record.addSpace(other);
      record.put(other, 1, unitOf("memory", 1), randomVector(8, random));
      expect(unitsOf(await search([...vectors.values()][4]!, { limit: 50 }))).toHaveLength(20);
      const hits = await search(randomVector(8, random), { space: other });
      expect(unitsOf(hits)).toEqual([unitOf("memory", 1)]);
    });

    const { many = 10_000 } = subject;
    it(`finds the nearest among ${many}`, async () => {
      const vectors = fill(1, many);
      await expect.poll(async () => (await index.status()).behind, { timeout: 60_000 }).toBe(0);
      let found = 0;
      for (let round = 0; round < 20; round++) {
        const query = randomVector(DIMENSIONS, random);
        const expected = new Set(unitsOf(nearestByHand(vectors, query, 10)));
        found += unitsOf(await search(query)).filter((unit) => expected.has(unit)).length;
      }
      expect(found / 200).toBeGreaterThanOrEqual(subject.recall);
    }, 90_000);

    it("refuses a vector of another size or with NaN, and a limit that is not a number", async () => {
      fill(1, 5);
      const vector = randomVector(DIMENSIONS, random);
      await expect(search(randomVector(8, random))).rejects.toMatchObject({ kind: "invalid" });
      await expect(search(new Float32Array())).rejects.toMatchObject({ kind: "invalid" });
      await expect(search(vector.map((value, at) => (at === 3 ? NaN : value)))).rejects.toMatchObject({
        kind: "invalid",
      });
      await expect(search(vector.map(() => Infinity))).rejects.toMatchObject({ kind: "invalid" });
      for (const limit of [-1, 1.5, NaN]) {
        await expect(search(vector, { limit })).rejects.toMatchObject({ kind: "invalid" });
      }
      expect(await search(vector)).toHaveLength(5);
    });

    it("accepts a vector of zeros, which is near nothing", async () => {
      fill(1, 5);
      const hits = await search(new Float32Array(DIMENSIONS));
      expect(hits).toHaveLength(5);
      for (const { cosine } of hits) expect(cosine).toBe(0);
    });

    it("finds no difference from the record when it verifies itself", async () => {
      const vectors = fill(1, 60);
      await search([...vectors.values()][0]!);
      const { collections } = await index.verify();
      expect(collections).not.toEqual([]);
      for (const collection of collections) {
        expect(collection).toMatchObject({ repaired: false, found: collection.expected });
        expect(collection.selfQueries.found).toBe(collection.selfQueries.asked);
      }
    });
  });
}

function unitsOf(hits: readonly VectorHit[]): Unit[] {
  return hits.map((hit) => hit.unit);
}
