import type { Unit } from "../../core/types.js";

/** Changes that are remembered; whoever looks up less often than that begins anew. */
const MOST_CHANGES = 20_000;

/** The units that were changed, one after the other. */
export class ChangedUnits {
  #units: Unit[] = [];
  /** Changes that are remembered no more. */
  #dropped = 0;

  /** How many changes there were so far. */
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

  /** What was changed after the first `count` changes; null when that is no longer known. */
  since(count: number): ReadonlySet<Unit> | null {
    return count < this.#dropped ? null : new Set(this.#units.slice(count - this.#dropped));
  }
}
