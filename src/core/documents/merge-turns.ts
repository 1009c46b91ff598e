import type { Turn } from "../types.js";
import { alignEntries } from "./align-turns.js";
import { editHistory, isOneEdited, sharedExchange } from "./edit-history.js";

/**
 * A conversation after more of it was sent, as a whole or in part: the longest overlap of its end with the start of what
 * came is there once. Nothing changes when it begins or ends with all that came, or has two turns and more of it in one
 * piece; what came takes its place when that has all of it. Where what came is the same history with turns in it that were
 * edited, these take the place of what they were; a turn that is left out stays. An exchange that both begin with is there
 * once. A conversation of one turn gives way to what begins with nearly the same one and goes on. Takes nearly linear time.
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
 * How much of the start of a list another one ends with, and whether it has all of the list in one piece. Reads each
 * entry once (the algorithm of Knuth, Morris and Pratt).
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

/** For each start of a list, the longest shorter start that it also ends with. */
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
