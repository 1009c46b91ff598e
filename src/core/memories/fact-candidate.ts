import type { MemoryKind } from "../types.js";

/** A date inferred from the words of a text and the day they were said. */
export interface CompletedDate {
  /** The words: `1 February`, `on Friday`, `yesterday`. */
  readonly said: string;
  /** How they were interpreted, as ISO 8601: a day, month or year, or a first and last one separated by a slash. */
  readonly date: string;
  /** What the words omit. */
  readonly parts: readonly ("day" | "month" | "year")[];
}

/** A date without a year, where two years are equally possible. */
export interface OpenDate {
  readonly said: string;
  /** ISO days (YYYY-MM-DD) or months (YYYY-MM) it could be, earlier first. */
  readonly dates: readonly string[];
}

/** How completely the dates of a fact were stated. */
export interface SaidDates {
  /** Dates that the source does not state in full. */
  readonly completedDates?: readonly CompletedDate[];
  /** Dates that could not be completed and stay in the words of the source. */
  readonly openDates?: readonly OpenDate[];
}

/** What an extractor proposes: not a memory until it has been resolved against existing ones. */
export interface FactCandidate extends SaidDates {
  /** Atomic, self-contained, third person. */
  readonly text: string;
  readonly kind: MemoryKind;
  readonly isStatic: boolean;
  /** ISO date-time after which the fact no longer holds. */
  readonly forgetAfter?: string;
  /** ISO dates (YYYY-MM-DD) of the event that the fact is about. */
  readonly eventDates?: readonly string[];
  /** The words of the source that state it, verbatim. */
  readonly quote?: string;
  /** Where the quote is in the newest text of the document; absent when it is not there. */
  readonly quoteAt?: { readonly start: number; readonly end: number };
  /** True when the source does not say it in these words: weighted down and queued for review. */
  readonly isInference?: boolean;
  /** What was said after the quote takes it back: it replaces nothing. */
  readonly isTakenBack?: true;
  /** Role or name of who said it in a conversation; determines how far it is trusted. `User` is the owner's own word. */
  readonly speaker?: string;
  /** Id of the memory that the candidate replaces, when the caller said so. */
  readonly updates?: string;
  /** How it relates to memories, according to a language model or an agent that was shown them; otherwise rules decide. */
  readonly relation?: StatedRelation;
  /** Names of the people, places and things it is about. */
  readonly entities?: readonly string[];
  /** Keys of the profile buckets it belongs to. */
  readonly buckets?: readonly string[];
  /** Marks of the definitions that the buckets were chosen from (`definitionMark`); without them rules decide. */
  readonly bucketsFrom?: readonly string[];
}

/** How a fact is said to relate to memories its author was shown, by id. Verified before it is accepted. */
export type StatedRelation =
  | { readonly kind: "new" }
  | { readonly kind: "duplicate" | "extends"; readonly id: string }
  /** It replaces all of them. */
  | { readonly kind: "updates"; readonly ids: readonly string[] }
  /** It follows from all of them together, and from facts of the same batch, given by index (from 0). */
  | { readonly kind: "derives"; readonly ids: readonly string[]; readonly facts?: readonly number[] };
