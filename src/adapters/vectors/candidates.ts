import type { Unit } from "../../core/types.js";
import { COARSE_DEVIATION } from "./quantise.js";
import { TopHits } from "./top-hits.js";

/** A coarse cosine is assumed to be off by at most this many standard deviations. */
const DEVIATIONS = 4;
/** Scoring more extra candidates than this costs more than it gains: they are nearly equal. */
const MOST_SPARE = 200;

/** Maximum error of a coarse cosine, for a vector of scale 1. */
export const COARSE_MARGIN = DEVIATIONS * COARSE_DEVIATION;

/**
 * The rows of one matrix that may be among the best, judging by coarse cosines: those whose upper bound reaches the lower bound
 * of the best rows.
 */
export class Candidates {
  readonly #limit: number;
  readonly #floor: number;
  /** Lower bounds of the best rows, as a min-heap. */
  readonly #sure: Float64Array;
  #count = 0;
  readonly #rows: number[] = [];
  readonly #cosines: number[] = [];
  readonly #reaches: number[] = [];

  /** @param floor cosines below it never count; -Infinity for none */
  constructor(limit: number, floor: number) {
    this.#limit = limit;
    this.#floor = floor;
    this.#sure = new Float64Array(limit);
  }

  /** A row whose upper bound is below this is not among the best. */
  get floor(): number {
    return this.#count < this.#limit ? this.#floor : Math.max(this.#floor, this.#sure[0]!);
  }

  /** @param scale scale of the row, see `quantise` */
  add(row: number, cosine: number, scale: number): void {
    const margin = scale * COARSE_MARGIN;
    this.#rows.push(row);
    this.#cosines.push(cosine);
    this.#reaches.push(cosine + margin);
    this.#raise(cosine - margin);
  }

  /**
   * The units of the remaining candidates once every row has been seen, in no particular order.
   * @param unitOf the unit of a row; where too many rows tie, those with the lowest units are kept
   */
  best(unitOf: (row: number) => Unit): Unit[] {
    const { floor } = this;
    const top = new TopHits(this.#limit * 2 + MOST_SPARE);
    for (let at = 0; at < this.#rows.length; at++)
      if (this.#reaches[at]! >= floor) top.offer(unitOf(this.#rows[at]!), this.#cosines[at]!);
    return top.sorted().map(({ unit }) => unit);
  }

  #raise(value: number): void {
    const sure = this.#sure;
    if (this.#count < this.#limit) {
      let at = this.#count++;
      for (; at > 0 && sure[(at - 1) >> 1]! > value; at = (at - 1) >> 1) sure[at] = sure[(at - 1) >> 1]!;
      sure[at] = value;
    } else if (value > sure[0]!) {
      this.#sink(value);
    }
  }

  /** Replaces the lowest value. */
  #sink(value: number): void {
    const sure = this.#sure;
    for (let at = 0; ;) {
      let below = 2 * at + 1;
      if (below + 1 < this.#limit && sure[below + 1]! < sure[below]!) below += 1;
      if (below >= this.#limit || sure[below]! >= value) {
        sure[at] = value;
        return;
      }
      sure[at] = sure[below]!;
      at = below;
    }
  }
}
