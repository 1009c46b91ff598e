import type { TimeZone } from "../../lib/time-zone.js";
import type { ContainerRow } from "../ports.js";
import type { Actor, Memory, Origin, RememberedFact } from "../types.js";
import type { Resolution, ResolvedFact, StatedCandidate } from "./resolve-facts.js";
import { meaningKey } from "./near-duplicates.js";
import type { JudgedFact } from "./trust.js";

/** What is written, for whom, and within which bounds. */
export interface FactWriting {
  readonly actor: Actor;
  /** Whose settings hold. */
  readonly client: string | null | undefined;
  readonly container: ContainerRow;
  /** The document that states the facts. */
  readonly documentId: string;
  /** When that is forgotten, and what it states with it; null for never. */
  readonly documentEnd: string | null;
  readonly origin: Origin;
  readonly resolution: Resolution;
  readonly now: Date;
  /** ISO date of what states the facts; now when it is left out. */
  readonly statedAt?: string | null | undefined;
  /** Where the days of the facts are counted. */
  readonly timeZone: TimeZone;
  /** How many memories rules and models may replace; what would replace more waits for review. */
  readonly maxSuperseded: number;
  /** Set when the document is read again: what it states already counts only once. */
  readonly readAgain?: ReadingAgain | undefined;
}

/** A document that is read again by something newer. */
export interface ReadingAgain {
  /** One batch for all that comes of it. */
  readonly batchId: string;
  /** With what, for the journal, e.g. `reprocessed with extract-facts/2`. */
  readonly cause: string;
}

/** What the journal says why something was written. It begins with the document, by which a purge finds it. */
export function causeOf({ documentId, readAgain }: FactWriting): string {
  return readAgain ? `document ${documentId} ${readAgain.cause}` : `document ${documentId}`;
}

/** What a document alone stated before a batch. */
export interface FormerStatements {
  /** By the words of the document, in which white space is one space. */
  readonly ofQuotes: ReadonlyMap<string, readonly Memory[]>;
  /** By sentences that were asked for. */
  readonly ofSentences: Map<string, readonly Memory[]>;
  /** By ids of memories: whether nobody has done anything with one, as far as that was asked for. */
  readonly untouched: Map<string, boolean>;
}

/** What was written so far of a batch. */
export interface Batch {
  readonly id: string;
  /** Ids of what the batch stated. */
  readonly stated: Set<string>;
  /** What became of the facts so far, by their places; null for one that was not kept. */
  readonly written: (RememberedFact | null)[];
  /** Memories that came after the resolution, those of this batch included. */
  readonly newcomers: Memory[];
  /** The ids of these by what they mean (`meaningKey`). */
  readonly meanings: Map<string, string>;
  /** When the document of the facts is forgotten, and they with it; null for never. */
  readonly documentEnd: string | null;
  /** What the document stated before, once that is asked for. */
  former?: FormerStatements;
  /** How many memories were replaced that nobody named. */
  superseded: number;
  /** How many memories may still be added. */
  room: number;
  /** How many could not. */
  leftOut: number;
}

/** What became of facts. */
export interface Written {
  /** In order; nothing of those that were not kept. */
  readonly facts: readonly RememberedFact[];
  /** How many new ones the settings left no room for. */
  readonly leftOut: number;
}

/** Id of the memory that says the same in other words: one that was there before, or came since. */
export function twinOf({ twin, candidate }: ResolvedFact, { meanings }: Batch): string | null {
  if (twin !== null || meanings.size === 0) return twin;
  return meanings.get(meaningKey(candidate.text)) ?? null;
}

/** True where one memory more may be added, which is then counted; what may not be is, too. */
export function takeRoom(batch: Batch): boolean {
  if (batch.room <= 0) {
    batch.leftOut += 1;
    return false;
  }
  batch.room -= 1;
  return true;
}

/** A fact whose trust was judged, with its vector. */
export type JudgedVector = JudgedFact<StatedCandidate> &
  Pick<ResolvedFact, "vector" | "judgement" | "endingDoubt"> & {
    /** Memories whose place it would take, if it did not wait for review. */
    readonly held?: readonly Memory[];
  };

/** What the receipt says of a memory that was written. */
export function outcomeOf({ id, text, isInference }: Memory, outcome: RememberedFact["outcome"]): RememberedFact {
  return { id, text, outcome: isInference ? "review" : outcome };
}
