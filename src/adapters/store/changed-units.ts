import type { Unit } from "../../core/types.js";

/** How many changes are remembered; a cache that asks less often than that starts afresh. */
const MOST_CHANGES = 20_000;

/** The units that changed, in order. */
export class ChangedUnits {
  #units: Unit[] = [];
  /** How many changes have been dropped. */
  #dropped = 0;

  /** How many changes there have been so far. */
  get count(): number {
    return this.#dropped + this.#units.length;
  }

  note(units: readonly Unit[]): void {
    for (const unit of units) this.#units.push(unit);
    if (this.#units.length <= MOST_CHANGES) return;
    const dropped = this.#units.length - MOST_CHANGES / 2;
    this.#units = this.#units.slice(dropped);
    this.#dropped += dropped;
  }

  /** Notes that anything may have changed. */
  noteAll(): void {
    this.#dropped = this.count + 1;
    this.#units = [];
  }

  /** What changed after the first `count` changes; null when that is no longer known. */
  since(count: number): ReadonlySet<Unit> | null {
    return count < this.#dropped ? null : new Set(this.#units.slice(count - this.#dropped));
  }
}
