import type { Memory } from "../types.js";

const DAY = 86_400_000;
/** After this many days an episode that was stated once has faded by half; each repetition adds as many. */
const HALF_LIFE = 90;
/** Number of repetitions that make a settled habit. */
const SETTLED = 8;

type Weighed = Pick<Memory, "kind" | "strength" | "createdAt" | "metadata"> & { readonly isStatic?: boolean };

/**
 * How far an episode has faded, from 0 for a new one to 1: by age, more slowly when it was stated more than once, never when it
 * is lasting or still to come. 0 for facts and preferences. Used only for ranking: nothing is deleted because of it.
 */
export function fadingOf(memory: Weighed, now: Date): number {
  if (memory.kind !== "episode" || memory.isStatic) return 0;
  const since = Math.max(Date.parse(memory.createdAt), lastEvent(memory.metadata));
  const days = Math.max(0, now.getTime() - since) / DAY;
  return 1 - 2 ** (-days / (HALF_LIFE * Math.max(1, memory.strength)));
}

/** How settled a preference is, from 0 when stated once to 1 from the eighth time on; 0 for facts and episodes. */
export function habitOf({ kind, strength }: Pick<Memory, "kind" | "strength">): number {
  if (kind !== "preference") return 0;
  return Math.min(1, Math.log2(Math.max(1, strength)) / Math.log2(SETTLED));
}

/** The time of the last event that a memory is about (`temporalContext`, contract 4.1); the distant past for none. */
function lastEvent(metadata: Memory["metadata"]): number {
  const context = metadata?.["temporalContext"];
  const dates = typeof context === "object" && context !== null && "eventDate" in context ? context.eventDate : null;
  const times = (Array.isArray(dates) ? dates : []).map((date) => (typeof date === "string" ? Date.parse(date) : NaN));
  return Math.max(-Infinity, ...times.filter((time) => !Number.isNaN(time)));
}
