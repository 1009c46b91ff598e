import type { Unit } from "../../core/types.js";
import { COARSE_DEVIATION } from "./quantise.js";

/** A coarse cosine is taken to be off by no more than so many standard deviations. */
const DEVIATIONS = 4;
/** More candidates than this would take longer than they are worth: they are all but equal. */
const MOST_SPARE = 200;

/** How far a coarse cosine may be off, for a vector of scale 1. */
export const COARSE_MARGIN = DEVIATIONS * COARSE_DEVIATION;

/**
 * The rows of one matrix that may be among the best, as far as coarse cosines tell: those that reach, when their error
 * is added, what the best are sure of when theirs is taken away.
 */
export class Candidates {
  readonly #limit: number;
  readonly #floor: number;
  /** What the best rows have for sure; a heap with the lowest on top. */
  readonly #sure: Float64Array;
  #count = 0;
  readonly #rows: number[] = [];
  readonly #cosines: number[] = [];
  readonly #reaches: number[] = [];

  /** @param floor what is below does not count anyway; -Infinity to begin with */
  constructor(limit: number, floor: number) {
    this.#limit = limit;
    this.#floor = floor;
    this.#sure = new Float64Array(limit);
  }

  /** A row that does not reach this is none of the best. */
  get floor(): number {
    return this.#count < this.#limit ? this.#floor : Math.max(this.#floor, this.#sure[0]!);
  }

  /** @param scale of the row, see `quantise` */
  add(row: number, cosine: number, scale: number): void {
    const margin = scale * COARSE_MARGIN;
    this.#rows.push(row);
    this.#cosines.push(cosine);
    this.#reaches.push(cosine + margin);
    this.#raise(cosine - margin);
  }

  /**
   * The rows that are left when all were seen, in no order.
   * @param units of all rows; of equal rows, too many to take all, those with the lowest units are taken
   */
  best(units: ArrayLike<Unit>): number[] {
    const { floor } = this;
    const places: number[] = [];
    for (let at = 0; at < this.#rows.length; at++) if (this.#reaches[at]! >= floor) places.push(at);
    const most = this.#limit * 2 + MOST_SPARE;
    if (places.length > most) {
      const unitAt = (at: number): Unit => units[this.#rows[at]!]!;
      places.sort((left, right) => this.#cosines[right]! - this.#cosines[left]! || unitAt(left) - unitAt(right));
    }
    return places.slice(0, most).map((at) => this.#rows[at]!);
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

  /** Puts a value in the place of the lowest one. */
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
