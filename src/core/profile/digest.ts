import { dropAtEnd } from "../../lib/drop-at-end.js";
import { truncate } from "../../lib/truncate.js";
import type { ProfileSummary } from "../ports.js";
import type { Memory } from "../types.js";
import { singleSpaced } from "../../lib/single-spaced.js";

/** Entries of a bucket shown individually. */
export const RECENT = 12;
const LONGEST_SUMMARY = 400;
/** Room for the count of what did not fit, in characters. */
const TAIL = 16;

/** What a profile shows of one bucket. */
export interface BucketContent {
  /** The newest facts, at most 12, newest first. */
  readonly recent: readonly Memory[];
  /**
   * The older ones summed up in one line: at most 400 characters where rules do it, which add to what a language model made of
   * them before; null when there are none.
   */
  readonly summary: string | null;
}

/**
 * Keeps the newest facts of a bucket as they are and sums up the older ones in one line (contract 5.1).
 * @param summary what a language model made of some of the older ones, if that still holds
 */
export function digestBucket(newestFirst: readonly Memory[], summary?: ProfileSummary): BucketContent {
  const older = newestFirst.slice(RECENT);
  const recent = newestFirst.slice(0, RECENT);
  if (!summary || summary.lines.length === 0 || older.length === 0) return { recent, summary: summariseFacts(older) };
  const covered = new Set(summary.covers);
  const rest = summariseFacts(older.filter(({ id }) => !covered.has(id)));
  return { recent, summary: [...summary.lines.map(({ text }) => text), ...(rest === null ? [] : [rest])].join(" ") };
}

/**
 * Facts in one line, most often stated first, then newest; facts with the same beginning are joined ("Ines likes tea; figs.
 * Ines lives in Faro."), and what does not fit is counted.
 * @returns null for no facts
 */
export function summariseFacts(newestFirst: readonly Pick<Memory, "text" | "strength">[]): string | null {
  const facts = newestFirst
    .toSorted((one, other) => other.strength - one.strength)
    .map(({ text }) => dropAtEnd(singleSpaced(text), /[.;,]/))
    .filter((text) => text !== "");
  if (facts.length === 0) return null;
  const groups = new Map<string, string>();
  let length = 0;
  let left = 0;
  for (const fact of facts) {
    const opening = openingOf(fact);
    const said = groups.get(opening);
    const added = said === undefined ? `${fact}. ` : `; ${fact.slice(opening.length).trim()}`;
    if (length + added.length > LONGEST_SUMMARY - TAIL) left += 1;
    else {
      groups.set(opening, said === undefined ? fact : said + added);
      length += added.length;
    }
  }
  const line = [...groups.values()].map((group) => `${group}.`).join(" ");
  const whole = line === "" ? truncate(facts[0] ?? "", LONGEST_SUMMARY - TAIL) : line;
  const missing = line === "" ? facts.length - 1 : left;
  return missing > 0 ? `${whole} (${missing} more)` : whole;
}

/** The first two words, which are subject and verb in most facts; the whole text if it has no third. */
function openingOf(fact: string): string {
  return /^\S+ \S+(?= \S)/.exec(fact)?.[0] ?? fact;
}
