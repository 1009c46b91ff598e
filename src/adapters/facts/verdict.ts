import type { MemoryKind } from "../../core/types.js";

/** What kind of fact a clause states. */
export interface Verdict {
  readonly kind: MemoryKind;
  readonly isStatic: boolean;
  /** Only worth keeping when the clause is dated. */
  readonly needsDate?: boolean;
  /** Expires after the day it speaks of, unless that day is already past. */
  readonly isTemporary?: boolean;
}

/** Holds for now: an age, a tool in use, a plan. */
export const FACT: Verdict = { kind: "fact", isStatic: false };
/** Holds permanently: a name, a job, a family, an allergy. */
export const TRAIT: Verdict = { kind: "fact", isStatic: true };
export const LIKING: Verdict = { kind: "preference", isStatic: true };
export const EPISODE: Verdict = { kind: "episode", isStatic: false };
/** Something that happened, which is mere talk without a date. */
export const DATED_EPISODE: Verdict = { ...EPISODE, needsDate: true };
export const PLAN: Verdict = { ...FACT, needsDate: true };
export const APPOINTMENT: Verdict = { ...EPISODE, needsDate: true, isTemporary: true };
/** A passing state such as a vacation. */
export const STAY: Verdict = { ...FACT, needsDate: true, isTemporary: true };
