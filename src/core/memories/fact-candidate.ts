import type { MemoryKind } from "../types.js";

/** A date that was worked out from the words of a text and the day on which they were said. */
export interface CompletedDate {
  /** The words: `1 February`, `on Friday`, `yesterday`. */
  readonly said: string;
  /** What they were taken for, as ISO 8601: a day, month or year, or a first and last one with a slash between. */
  readonly date: string;
  /** What the words leave out. */
  readonly parts: readonly ("day" | "month" | "year")[];
}

/** A date without its year, where nothing decides between two. */
export interface OpenDate {
  readonly said: string;
  /** ISO days (YYYY-MM-DD) or months (YYYY-MM) that it could be, the earlier first. */
  readonly dates: readonly string[];
}

/** How far the dates of a fact were said. */
export interface SaidDates {
  /** Which of its dates the source does not say in full. */
  readonly completedDates?: readonly CompletedDate[];
  /** Dates that nothing completes, which stay in the words of the source. */
  readonly openDates?: readonly OpenDate[];
}

/** What an extractor proposes: not a memory until it has been resolved against the ones that exist. */
export interface FactCandidate extends SaidDates {
  /** Atomic, self-contained, third person. */
  readonly text: string;
  readonly kind: MemoryKind;
  readonly isStatic: boolean;
  /** ISO date-time after which the fact no longer holds. */
  readonly forgetAfter?: string;
  /** ISO dates (YYYY-MM-DD) of the event that the fact speaks of. */
  readonly eventDates?: readonly string[];
  /** The words of the source that state it, verbatim. */
  readonly quote?: string;
  /** Where the quote stands in the newest text of the document; absent when it is not there. */
  readonly quoteAt?: { readonly start: number; readonly end: number };
  /** True when nothing in the source says it in these words: weighed down and reviewed. */
  readonly isInference?: boolean;
  /** Role or name of who said it in a conversation; decides how far it is trusted. `User` is the owner's own word. */
  readonly speaker?: string;
  /** Id of the memory that the candidate replaces, when the caller said so. */
  readonly updates?: string;
  /** How it relates to memories, when a language model or an agent that was shown them said so; else rules decide. */
  readonly relation?: StatedRelation;
  /** Names of the people, places and things that it is about. */
  readonly entities?: readonly string[];
  /** Keys of the profile buckets that it belongs to. */
  readonly buckets?: readonly string[];
  /** Marks of the definitions that the buckets were chosen from (`definitionMark`); without them rules decide. */
  readonly bucketsFrom?: readonly string[];
}

/** How a fact is said to relate to memories that its author was shown, by their ids. Checked before it is believed. */
export type StatedRelation =
  | { readonly kind: "new" }
  | { readonly kind: "duplicate" | "extends"; readonly id: string }
  /** It takes the place of all of them. */
  | { readonly kind: "updates"; readonly ids: readonly string[] }
  /** It follows from all of them together, and from facts of the same batch, by their places in it (from 0). */
  | { readonly kind: "derives"; readonly ids: readonly string[]; readonly facts?: readonly number[] };
