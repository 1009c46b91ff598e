import type { VectorHit } from "../../core/ports.js";
import type { Unit } from "../../core/types.js";

/**
 * The best hits so far, at most `limit`, each unit once. A heap with the worst kept hit on top, so that only a better hit costs a
 * scan anything.
 */
export class TopHits {
  readonly #limit: number;
  readonly #units: Unit[] = [];
  readonly #cosines: number[] = [];
  readonly #kept = new Set<Unit>();

  /** @param limit at least 1 */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** A lower cosine can no longer enter; lets the inner loop skip the call. */
  get floor(): number {
    return this.#units.length < this.#limit ? -Infinity : this.#cosines[0]!;
  }

  /** Keeps the hit if it is among the best; if a unit is offered twice, its better cosine counts. */
  offer(unit: Unit, cosine: number): void {
    if (this.#kept.has(unit)) {
      this.#improve(unit, cosine);
    } else if (this.#units.length < this.#limit) {
      this.#kept.add(unit);
      this.#units.push(unit);
      this.#cosines.push(cosine);
      this.#rise(this.#units.length - 1);
    } else if (this.#isWorse(this.#cosines[0]!, this.#units[0]!, cosine, unit)) {
      this.#kept.delete(this.#units[0]!);
      this.#kept.add(unit);
      this.#place(0, unit, cosine);
      this.#sink(0);
    }
  }

  /** Best first; equal cosines by ascending unit, so that the order never depends on where a vector is stored. */
  sorted(): VectorHit[] {
    return this.#units
      .map((unit, at) => ({ unit, cosine: Math.min(1, Math.max(-1, this.#cosines[at]!)) }))
      .sort((left, right) => right.cosine - left.cosine || left.unit - right.unit);
  }

  #improve(unit: Unit, cosine: number): void {
    const at = this.#units.indexOf(unit);
    if (cosine <= this.#cosines[at]!) return;
    this.#cosines[at] = cosine;
    this.#sink(at);
  }

  #isWorse(cosine: number, unit: Unit, thanCosine: number, thanUnit: Unit): boolean {
    return cosine === thanCosine ? unit > thanUnit : cosine < thanCosine;
  }

  #isWorseAt(left: number, right: number): boolean {
    return this.#isWorse(this.#cosines[left]!, this.#units[left]!, this.#cosines[right]!, this.#units[right]!);
  }

  #place(at: number, unit: Unit, cosine: number): void {
    this.#units[at] = unit;
    this.#cosines[at] = cosine;
  }

  #swap(left: number, right: number): void {
    const unit = this.#units[left]!;
    const cosine = this.#cosines[left]!;
    this.#place(left, this.#units[right]!, this.#cosines[right]!);
    this.#place(right, unit, cosine);
  }

  #rise(at: number): void {
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!this.#isWorseAt(at, parent)) return;
      this.#swap(at, parent);
      at = parent;
    }
  }

  #sink(at: number): void {
    for (;;) {
      const left = 2 * at + 1;
      if (left >= this.#units.length) return;
      const right = left + 1;
      const worse = right < this.#units.length && this.#isWorseAt(right, left) ? right : left;
      if (!this.#isWorseAt(worse, at)) return;
      this.#swap(worse, at);
      at = worse;
    }
  }
}
