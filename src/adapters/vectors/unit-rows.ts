import type { Unit } from "../../core/types.js";

const LEAST_SLOTS = 16;
const MOST_FILLED = 3 / 4;
/** Spreads units that follow each other (Knuth, The Art of Computer Programming 3, 6.4). */
const SPREAD = 0x9e3779b1;

/**
 * Units in rows without holes, and the row of each: a `Map` of a hundred thousand would take four times the memory, and keep
 * the garbage collector busy.
 */
export class UnitRows {
  #units = new Float64Array(LEAST_SLOTS);
  /** By hash: a row plus 1, or 0 for a free slot; taken slots follow each other. */
  #slots = new Int32Array(LEAST_SLOTS);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Units by row; another array after it grew, with room behind the last one. */
  get units(): Float64Array {
    return this.#units;
  }

  /** The row of a unit, or -1. */
  find(unit: Unit): number {
    return this.#slots[this.#slotOf(unit)]! - 1;
  }

  /** Adds a unit that is not there. @returns its row, the last one */
  append(unit: Unit): number {
    if (this.#size === this.#units.length) this.#growUnits();
    if (this.#size >= this.#slots.length * MOST_FILLED) this.#growSlots();
    const row = this.#size++;
    this.#units[row] = unit;
    this.#slots[this.#slotOf(unit)] = row + 1;
    return row;
  }

  /** Takes out the unit of a row. The one of the last row takes its place. */
  remove(row: number): void {
    this.#free(this.#slotOf(this.#units[row]!));
    const last = --this.#size;
    if (row === last) return;
    const moved = this.#units[last]!;
    this.#slots[this.#slotOf(moved)] = row + 1;
    this.#units[row] = moved;
  }

  clear(): void {
    this.#size = 0;
    this.#slots = new Int32Array(LEAST_SLOTS);
    this.#units = new Float64Array(LEAST_SLOTS);
  }

  /** Where the unit is, or would be. */
  #slotOf(unit: Unit): number {
    const mask = this.#slots.length - 1;
    for (let slot = this.#homeOf(unit); ; slot = (slot + 1) & mask) {
      const row = this.#slots[slot]! - 1;
      if (row < 0 || this.#units[row] === unit) return slot;
    }
  }

  #homeOf(unit: Unit): number {
    return (Math.imul(unit, SPREAD) >>> 8) & (this.#slots.length - 1);
  }

  /** What was put behind the slot because that was taken moves up, so that it is still found. */
  #free(slot: number): void {
    const mask = this.#slots.length - 1;
    let gap = slot;
    for (let next = (gap + 1) & mask; this.#slots[next] !== 0; next = (next + 1) & mask) {
      const home = this.#homeOf(this.#units[this.#slots[next]! - 1]!);
      // From its home to where it is lies the gap.
      if (((next - home) & mask) < ((next - gap) & mask)) continue;
      this.#slots[gap] = this.#slots[next]!;
      gap = next;
    }
    this.#slots[gap] = 0;
  }

  #growUnits(): void {
    const units = new Float64Array(Math.ceil(this.#units.length * 1.5));
    units.set(this.#units);
    this.#units = units;
  }

  #growSlots(): void {
    this.#slots = new Int32Array(this.#slots.length * 2);
    for (let row = 0; row < this.#size; row++) this.#slots[this.#slotOf(this.#units[row]!)] = row + 1;
  }
}
