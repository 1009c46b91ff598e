import { setImmediate as nextTurn } from "node:timers/promises";

import { describe, expect, it } from "vitest";

import { createExactVectors } from "../../src/adapters/vectors/exact.js";
import { TopHits } from "../../src/adapters/vectors/top-hits.js";
import type { Unit, VectorSpace } from "../../src/core/types.js";
import { describeVectorIndex } from "../contract/vectors.js";
import { MemoryVectorRecord } from "../support/vector-record.js";
import { nearestByHand, randomVector, seededRandom } from "../support/vectors.js";

describeVectorIndex("Exact search", { open: async (record) => createExactVectors(record), recall: 1 });

describeVectorIndex("Exact search that may keep nothing in memory", {
  open: async (record) => createExactVectors(record, { megabytes: 0 }),
  recall: 1,
});

/** Counts how often whole containers are read, and how many at the same time. */
class CountingRecord extends MemoryVectorRecord {
  readonly loaded: number[] = [];
  readonly #loading = new Set<number>();
  /** How many containers were being read at the same time. */
  mostLoading = 0;

  override async page(space: VectorSpace, containerId: number, afterUnit: Unit, limit: number) {
    if (afterUnit === -1) this.loaded.push(containerId);
    this.#loading.add(containerId);
    this.mostLoading = Math.max(this.mostLoading, this.#loading.size);
    // Other searches run between two pages, as with a database over the network.
    await nextTurn();
    const page = await super.page(space, containerId, afterUnit, limit);
    if (page.length < limit) this.#loading.delete(containerId);
    return page;
  }
}

describe("the memory of exact search", () => {
  const space: VectorSpace = { id: 1, fingerprint: "test", dimensions: 256 };
  const random = seededRandom(3);

  function recordWith(containers: number, vectors: number): CountingRecord {
    const record = new CountingRecord();
    record.addSpace(space);
    for (let container = 1; container <= containers; container++) {
      for (let at = 0; at < vectors; at++) record.put(space, container, container * 10_000 + at, anyVector());
    }
    return record;
  }

  function anyVector(): Float32Array {
    return randomVector(space.dimensions, random);
  }

  function search(index: ReturnType<typeof createExactVectors>, containerIds: number[], vector = anyVector()) {
    return index.nearest({ space, containerIds, kinds: ["chunk", "memory"], vector, limit: 5 });
  }

  it("loads a container once and follows its changes from then on", async () => {
    const record = recordWith(1, 50);
    const index = createExactVectors(record);
    for (let round = 0; round < 5; round++) {
      const vector = anyVector();
      record.put(space, 1, 90_000 + round, vector);
      expect((await search(index, [1], vector))[0]?.unit).toBe(90_000 + round);
    }
    expect(record.loaded).toEqual([1]);
  });

  it("evicts the least recently used containers, and loads them again when needed", async () => {
    const record = recordWith(4, 500);
    const index = createExactVectors(record, { megabytes: 0.7 });
    for (const container of [1, 2, 3, 2, 1]) await search(index, [container]);
    expect(record.loaded).toEqual([1, 2, 3, 1]);
  });

  it("reads no more containers at the same time than fit into memory, and answers every search", async () => {
    const record = recordWith(8, 500);
    // Two of them fit.
    const index = createExactVectors(record, { megabytes: 0.6 });
    const answers = await Promise.all(
      Array.from({ length: 24 }, async (_, caller) => {
        const container = 1 + (caller % 8);
        const vector = anyVector();
        record.put(space, container, 500_000 + caller, vector);
        const [best] = await search(index, [container], vector);
        return best?.unit;
      }),
    );
    expect(answers).toEqual(Array.from({ length: 24 }, (_, caller) => 500_000 + caller));
    expect(record.mostLoading).toBe(2);
  });

  it("reads containers that fit into memory at the same time", async () => {
    const record = recordWith(4, 500);
    const index = createExactVectors(record);
    await Promise.all([1, 2, 3, 4].map((container) => search(index, [container])));
    expect(record.mostLoading).toBe(4);
    expect(record.loaded).toHaveLength(4);
  });

  it("answers a search of another container while one that takes all memory is searched all the time", async () => {
    const record = recordWith(2, 700);
    const index = createExactVectors(record, { megabytes: 0.4 });
    let answered = false;
    const busy = Array.from({ length: 4 }, async () => {
      while (!answered) await search(index, [1]);
    });
    expect(await search(index, [2])).toHaveLength(5);
    answered = true;
    await Promise.all(busy);
    expect(record.mostLoading).toBe(1);
  });

  it("lets small containers be searched while large ones wait for memory", async () => {
    const record = recordWith(4, 500);
    for (let unit = 0; unit < 20; unit++) record.put(space, 9, 900_000 + unit, anyVector());
    // One large container fits, and the small one beside it.
    const index = createExactVectors(record, { megabytes: 0.3 });
    await search(index, [9]);
    const finished: number[] = [];
    const finish = async (container: number): Promise<void> => {
      await search(index, [container]);
      finished.push(container);
    };
    await Promise.all([finish(1), finish(2), finish(3), finish(4), finish(9)]);
    expect(finished).toEqual([9, 1, 2, 3, 4]);
    // It stayed in memory.
    expect(record.loaded).toEqual([9, 1, 2, 3, 4]);
  });

  it("reads small containers before large ones that wait, but not for ever", async () => {
    const record = recordWith(3, 500);
    const small = Array.from({ length: 60 }, (_, at) => 100 + at);
    for (const container of small)
      for (let unit = 0; unit < 20; unit++) record.put(space, container, container * 10_000 + unit, anyVector());
    const index = createExactVectors(record, { megabytes: 0.3 });
    await Promise.all([1, 2, ...small, 3].map((container) => search(index, [container])));
    const read = new Set(record.loaded);
    expect([...read]).toHaveLength(63);
    const before = record.loaded.indexOf(2);
    expect(before).toBeGreaterThan(1);
    expect(before).toBeLessThan(60);
  });

  it("passes the memory of a container that could not be read to the next search", async () => {
    const record = recordWith(3, 500);
    const index = createExactVectors(record, { megabytes: 0.3 });
    const vector = new Float32Array(8).fill(0.1);
    record.put(space, 1, 99_999, vector);
    const searches = [1, 2, 3].map((container) => search(index, [container]));
    await expect(searches[0]).rejects.toMatchObject({ kind: "corrupt" });
    expect(await searches[1]).toHaveLength(5);
    expect(await searches[2]).toHaveLength(5);
    expect(record.mostLoading).toBe(1);
  });

  it("searches more containers than fit into memory", async () => {
    const record = recordWith(6, 300);
    const index = createExactVectors(record, { megabytes: 0.4 });
    const all = new Map<number, Float32Array>();
    for (let container = 1; container <= 6; container++) {
      for (const { unit, vector } of await record.page(space, container, -1, 1_000)) all.set(unit, vector!);
    }
    const query = anyVector();
    const units = (await search(index, [1, 2, 3, 4, 5, 6], query)).map((hit) => hit.unit);
    expect(units).toEqual(nearestByHand(all, query, 5).map((hit) => hit.unit));
  });

  it("notices a matrix that differs from the record, drops it, and is correct again", async () => {
    const record = recordWith(1, 40);
    const index = createExactVectors(record);
    await search(index, [1]);
    const vector = anyVector();
    record.putWithoutLog(space, 1, 55_555, vector);
    expect((await search(index, [1], vector))[0]?.unit).not.toBe(55_555);
    const { collections } = await index.verify();
    expect(collections).toMatchObject([{ expected: 41, found: 40, repaired: true }]);
    expect((await search(index, [1], vector))[0]?.unit).toBe(55_555);
  });

  it("reports vectors in the record whose size differs from their space", async () => {
    const record = recordWith(1, 3);
    const index = createExactVectors(record);
    await search(index, [1]);
    record.put(space, 1, 77, new Float32Array(8).fill(0.1));
    await expect(search(index, [1])).rejects.toMatchObject({ kind: "corrupt" });
  });

  it("fails with the record's error, and works again when the record does", async () => {
    const record = recordWith(1, 10);
    const index = createExactVectors(record);
    record.failWith(new Error("disk I/O error"));
    await expect(search(index, [1])).rejects.toThrow("disk I/O error");
    record.failWith(null);
    expect(await search(index, [1])).toHaveLength(5);
  });
});

describe("the best hits", () => {
  it("are the same for any order of offers, each unit once with its better cosine", () => {
    const random = seededRandom(11);
    for (let round = 0; round < 200; round++) {
      const offers = Array.from({ length: 80 }, () => ({
        unit: Math.floor(random() * 30),
        cosine: Math.floor(random() * 20) / 20,
      }));
      const limit = 1 + Math.floor(random() * 12);
      const best = new Map<number, number>();
      for (const { unit, cosine } of offers) best.set(unit, Math.max(cosine, best.get(unit) ?? -1));
      const expected = [...best]
        .map(([unit, cosine]) => ({ unit, cosine }))
        .sort((left, right) => right.cosine - left.cosine || left.unit - right.unit);
      const top = new TopHits(limit);
      for (const { unit, cosine } of offers) if (cosine >= top.floor) top.offer(unit, cosine);
      expect(top.sorted()).toEqual(expected.slice(0, limit));
    }
  });
});
