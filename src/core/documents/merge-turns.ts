import type { Turn } from "../types.js";
import { alignEntries } from "./align-turns.js";
import { editHistory, isOneEdited, sharedExchange } from "./edit-history.js";

/**
 * A conversation after more of it was sent, as a whole or in part. The longest overlap of its end with the start of what came
 * is kept once. Nothing changes when it begins or ends with everything that came, or contains it in one piece of at least two
 * turns; what came replaces it when that contains all of it. If what came is the same history with edited turns, these replace
 * the old versions; an omitted turn stays. A common exchange at the beginning is kept once. A conversation of one turn is
 * replaced by what begins with nearly the same turn and continues. Takes nearly linear time.
 */
export function mergeTurns(kept: readonly Turn[], came: readonly Turn[]): readonly Turn[] {
  const keptKeys = kept.map(keyOf);
  const cameKeys = came.map(keyOf);
  const { overlap, isWithin } = match(cameKeys, keptKeys);
  const isStart = cameKeys.every((key, index) => key === keptKeys[index]);
  if (isStart || (isWithin && came.length > 1)) return kept;
  if (match(keptKeys, cameKeys).isWithin && kept.length > 0) return came;
  if (isOneEdited(kept, came)) return came;
  const matches = alignEntries(keptKeys, cameKeys);
  const known = Math.max(overlap, sharedExchange(came, matches));
  return editHistory(kept, came, matches) ?? [...kept, ...came.slice(known)];
}

function keyOf({ speaker, text, pictures = [] }: Turn): string {
  return JSON.stringify([speaker, text, ...pictures]);
}

/**
 * How much of the start of one list another ends with, and whether it contains the whole list in one piece. Reads each entry
 * once (Knuth–Morris–Pratt algorithm).
 */
function match(list: readonly string[], other: readonly string[]): { overlap: number; isWithin: boolean } {
  const borders = bordersOf(list);
  let length = 0;
  let isWithin = list.length === 0;
  for (const entry of other) {
    while (length > 0 && (length === list.length || list[length] !== entry)) length = borders[length - 1] ?? 0;
    if (list[length] === entry) length += 1;
    if (length === list.length) isWithin = true;
  }
  return { overlap: length, isWithin };
}

/** For each prefix of a list, the longest shorter prefix that it also ends with. */
function bordersOf(list: readonly string[]): number[] {
  const borders = list.length > 0 ? [0] : [];
  let length = 0;
  for (const entry of list.slice(1)) {
    while (length > 0 && list[length] !== entry) length = borders[length - 1] ?? 0;
    if (list[length] === entry) length += 1;
    borders.push(length);
  }
  return borders;
}
