import { expect } from "vitest";

import type { VectorIndex } from "../../src/core/ports.js";
import { type Unit, unitOf, type VectorSpace } from "../../src/core/types.js";
import { MemoryVectorRecord } from "./vector-record.js";
import { nearestByHand, randomVector, seededRandom } from "./vectors.js";

const DIMENSIONS = 24;
/** Tolerance for a cosine of 8-bit numbers, or for two of them. */
const PRECISION = 5e-5;

/** A record with one space, and its true contents. */
export class VectorFixture {
  readonly record = new MemoryVectorRecord();
  readonly space: VectorSpace = { id: 1, fingerprint: "test", dimensions: DIMENSIONS };
  readonly vectors = new Map<Unit, Float32Array>();
  readonly #random = seededRandom(41);

  constructor() {
    this.record.addSpace(this.space);
  }

  anyVector(): Float32Array {
    return randomVector(DIMENSIONS, this.#random);
  }

  /** Adds this many vectors to container 1. @returns their units */
  add(count: number): Unit[] {
    return Array.from({ length: count }, () => {
      const unit = unitOf(this.#random() < 0.5 ? "chunk" : "memory", 1 + this.vectors.size * 3);
      const vector = this.anyVector();
      this.vectors.set(unit, vector);
      this.record.put(this.space, 1, unit, vector);
      return unit;
    });
  }

  remove(unit: Unit): void {
    this.vectors.delete(unit);
    this.record.put(this.space, 1, unit, null);
  }

  /** Searches once and fails unless the result is correct. Units with practically equal distances may swap places. */
  async expectRightAnswer(index: VectorIndex): Promise<void> {
    const vector = this.anyVector();
    const query = { space: this.space, containerIds: [1], kinds: ["chunk", "memory"] as const, vector, limit: 8 };
    const hits = await index.nearest(query);
    const all = new Map(nearestByHand(this.vectors, vector, this.vectors.size).map((hit) => [hit.unit, hit.cosine]));
    const expected = [...all.values()].slice(0, 8);
    const found = hits.map(({ unit }) => all.get(unit) ?? Number.NaN);
    expect(new Set(hits.map(({ unit }) => unit)).size).toBe(expected.length);
    expect(found).toHaveLength(expected.length);
    for (const [place, cosine] of found.entries())
      expect(Math.abs(cosine - expected[place]!), `place ${place}`).toBeLessThan(PRECISION);
  }
}
