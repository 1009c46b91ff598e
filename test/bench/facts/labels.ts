import type { FactSource } from "../../../src/core/ports.js";
import type { FactCandidate } from "../../../src/core/types.js";

/** A fact that a text states. */
export interface LabelledFact {
  /** Word prefixes that must all occur in one candidate, in any order; `a|b` means either. */
  readonly words: string;
  /** Omitted where people may disagree. */
  readonly static?: boolean;
  /** True when it ends after a day that the text names. */
  readonly temporary?: boolean;
  /** The words of the earlier fact that it supersedes. */
  readonly replaces?: string;
}

/** A text or conversation with the statements it contains and those it does not. */
export interface LabelledItem {
  readonly id: string;
  /** 1 or omitted: the first series, split in half; later series are for `tune` only and were written to widen it. */
  readonly series?: number;
  readonly form: "chat" | "note" | "email" | "minutes" | "journal" | "dialogue";
  readonly category: string;
  readonly text?: string;
  readonly turns?: readonly (readonly [speaker: string, text: string])[];
  readonly expected: readonly LabelledFact[];
  /** Words of facts that may or may not be found. */
  readonly optional: readonly string[];
  /** Words that must not be found: talk, questions, guesses, orders, other people's statements. */
  readonly never: readonly string[];
}

export interface LabelledSet {
  readonly saidOn: string;
  readonly held: readonly LabelledItem[];
  readonly tune: readonly LabelledItem[];
}

export interface JudgedItem {
  readonly item: LabelledItem;
  readonly found: ReadonlyMap<LabelledFact, FactCandidate>;
  readonly wrong: readonly { readonly text: string; readonly isForbidden: boolean }[];
  readonly missed: readonly LabelledFact[];
}

/** Shares are between 0 and 1, or null if there was nothing to judge. */
interface Summary {
  readonly expected: number;
  readonly right: number;
  readonly wrong: number;
  readonly forbidden: number;
  readonly precision: number | null;
  readonly recall: number | null;
  readonly staticAccuracy: number | null;
  readonly expiryAccuracy: number | null;
  readonly updates: number | null;
}

/** The exports of `score.mjs`, which runs without a build step and so has no types. */
export interface Scoring {
  readonly matches: (words: string, text: string) => boolean;
  readonly sourceOf: (item: LabelledItem, saidOn: string) => FactSource;
  readonly judgeItem: (item: LabelledItem, candidates: readonly FactCandidate[]) => JudgedItem;
  readonly summarise: (judged: readonly JudgedItem[]) => Summary;
}
