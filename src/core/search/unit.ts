export type UnitKind = "chunk" | "memory";

/**
 * A unit is what search finds: a chunk or a memory, as one integer that is both its row id in the text index and the key of its
 * vector. Even numbers are chunks, odd numbers memories.
 */
export type Unit = number;

/** A set of units. */
export interface UnitSet extends Iterable<Unit> {
  readonly size: number;
  has(unit: Unit): boolean;
}

export function unitOf(kind: UnitKind, seq: number): Unit {
  return seq * 2 + (kind === "memory" ? 1 : 0);
}

export function kindOf(unit: Unit): UnitKind {
  return unit % 2 === 1 ? "memory" : "chunk";
}

export function seqOf(unit: Unit): number {
  return Math.floor(unit / 2);
}
