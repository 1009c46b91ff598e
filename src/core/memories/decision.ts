import type { Memory } from "../types.js";
import type { Claim } from "./slots.js";

/** A memory that a new fact may be about, with when it was last said (ISO). */
export interface KnownFact {
  readonly memory: Pick<Memory, "id" | "text" | "forgetAfter">;
  readonly saidAt: string;
  /** A guess, or the word of a stranger: it neither raises doubt about what is trusted nor is it said in new words. */
  readonly isUnverified?: boolean | undefined;
  /** What its former versions said, newest first, as far as it matters: for a return. */
  readonly formerTexts?: readonly string[];
}

/** How a fact relates to those already known; repetitions have been ruled out before. */
export type Decision =
  | { readonly kind: "new" }
  /** It replaces these, and continues the first; some of them say something else now, by id. */
  | { readonly kind: "updates"; readonly ids: readonly string[]; readonly restated?: ReadonlyMap<string, string> }
  /** A newer statement has already replaced it, and what it replaces itself. */
  | { readonly kind: "outdated"; readonly by: string; readonly ids?: readonly string[] }
  /** It says the same and more, or says more about somebody whom the other introduced. */
  | { readonly kind: "extends"; readonly id: string };

/** A fact to be decided on. */
export interface NewFact {
  readonly text: string;
  /** The words that state it. */
  readonly quote?: string | undefined;
  /** What was said after these words takes them back. */
  readonly isTakenBack?: boolean | undefined;
  /** When it was said (ISO). */
  readonly saidAt: string;
  /** ISO dates of its events. */
  readonly eventDates?: readonly string[] | undefined;
  /** It is temporary: it does not replace anything lasting, except plans, which end with their day. */
  readonly isTemporary?: boolean | undefined;
  /** Ids of memories that the same text stated; it replaces them only if it says that something changed. */
  readonly statedTogether?: ReadonlySet<string> | undefined;
}

/** A change reported this many days later is still news, whatever was said in between. */
export const NEWS_DAYS = 180;

/**
 * Compares at the precision both share: a year is not before one of its days, nor a moment before the day it falls on where it
 * was written.
 */
export function isBefore(one: string, other: string): boolean {
  if (one.includes("T") && other.includes("T")) return Date.parse(one) < Date.parse(other);
  const length = Math.min(one.length, other.length);
  return one.slice(0, length) < other.slice(0, length);
}

/** Days from one ISO moment to another. */
export function daysBetween(one: string, other: string): number {
  return (Date.parse(other) - Date.parse(one)) / 86_400_000;
}

/** The decision to replace these, unless the fact is older or more temporary. */
export function replacing(
  fact: NewFact,
  claim: Pick<Claim, "kind" | "since">,
  replaced: readonly KnownFact[],
): Decision | null {
  const hidesWhatLasts = replaced.some(({ memory }) => memory.forgetAfter === null);
  if (fact.isTemporary === true && hidesWhatLasts && claim.kind !== "date") return null;
  const newest = newestOf(replaced);
  if (!newest) return null;
  if (isBefore(fact.saidAt, newest.saidAt)) return { kind: "outdated", by: newest.memory.id };
  if (!speaksOfNow(fact, claim, newest.saidAt)) return null;
  return { kind: "updates", ids: replaced.map(({ memory }) => memory.id) };
}

/** The one said last. */
export function newestOf([first, ...more]: readonly KnownFact[]): KnownFact | undefined {
  return first && more.reduce((latest, other) => (isBefore(latest.saidAt, other.saidAt) ? other : latest), first);
}

/** False for what begins in the future, and for what began long before the other was said. */
function speaksOfNow(
  { saidAt, eventDates }: NewFact,
  claim: Pick<Claim, "kind" | "since">,
  otherSaidAt: string,
): boolean {
  const since = claim.since ?? (claim.kind === "date" ? null : (eventDates?.toSorted().at(-1) ?? null));
  if (since === null) return true;
  if (isBefore(saidAt, since)) return false;
  return !isBefore(since, otherSaidAt) || daysBetween(since, saidAt) <= NEWS_DAYS;
}

/** What two rules find: each of them is certain of what it ends. */
export function together(one: Decision | null, other: Decision | null): Decision | null {
  if (one?.kind !== "updates" || other?.kind !== "updates") return one ?? other;
  return { kind: "updates", ids: [...new Set([...one.ids, ...other.ids])] };
}
