import type { TimeZone } from "../../lib/time-zone.js";
import type { ContainerRow } from "../ports.js";
import type { Actor, Memory, Origin, RememberedFact } from "../types.js";
import type { Resolution, ResolvedFact, StatedCandidate } from "./resolve-facts.js";
import { meaningKey } from "./near-duplicates.js";
import type { JudgedFact } from "./trust.js";

/** What is written, for whom, and within which limits. */
export interface FactWriting {
  readonly actor: Actor;
  /** The client whose settings apply. */
  readonly client: string | null | undefined;
  readonly container: ContainerRow;
  /** The document that states the facts. */
  readonly documentId: string;
  /** When the document expires, and what it states with it; null for never. */
  readonly documentEnd: string | null;
  readonly origin: Origin;
  readonly resolution: Resolution;
  readonly now: Date;
  /** ISO date of the source of the facts; now if omitted. */
  readonly statedAt?: string | null | undefined;
  /** Time zone in which the days of the facts are counted. */
  readonly timeZone: TimeZone;
  /** How many memories rules and models may replace; anything beyond that waits for review. */
  readonly maxSuperseded: number;
  /** Set when the document is read again: what it already states counts only once. */
  readonly readAgain?: ReadingAgain | undefined;
  /** A person approved the facts: what they say may last, whoever said it. */
  readonly isApproved?: boolean | undefined;
}

/** A document read again by a newer extractor. */
export interface ReadingAgain {
  /** One batch for everything that results from it. */
  readonly batchId: string;
  /** The extractor, for the journal, e.g. `reprocessed with extract-facts/2`. */
  readonly cause: string;
}

/** The cause recorded in the journal. It begins with the document, by which a purge finds it. */
export function causeOf({ documentId, readAgain }: FactWriting): string {
  return readAgain ? `document ${documentId} ${readAgain.cause}` : `document ${documentId}`;
}

/** What only this document stated before a batch. */
export interface FormerStatements {
  /** By quote, with white space reduced to single spaces. */
  readonly ofQuotes: ReadonlyMap<string, readonly Memory[]>;
  /** By sentence, for those requested so far. */
  readonly ofSentences: Map<string, readonly Memory[]>;
  /** By memory id, as far as requested: whether nobody has touched the memory. */
  readonly untouched: Map<string, boolean>;
}

/** What has been written so far in a batch. */
export interface Batch {
  readonly id: string;
  /** Ids of what the batch stated. */
  readonly stated: Set<string>;
  /** The outcomes of the facts so far, by index; null for a fact that was not kept. */
  readonly written: (RememberedFact | null)[];
  /** What the facts say of memories that they ended (`write-restated.ts`). */
  readonly restated: RememberedFact[];
  /** True if a memory was written whose vector is missing. */
  lacksVectors: boolean;
  /** Memories added after the resolution, including those of this batch. */
  readonly newcomers: Memory[];
  /** Their ids by meaning (`meaningKey`). */
  readonly meanings: Map<string, string>;
  /** When the document of the facts expires, and they with it; null for never. */
  readonly documentEnd: string | null;
  /** What the document stated before, once requested. */
  former?: FormerStatements;
  /** Number of memories replaced without being named. */
  superseded: number;
  /** How many memories may still be added. */
  room: number;
  /** How many could not be added. */
  leftOut: number;
}

/** A batch that has written nothing yet. */
export function newBatch(
  id: string,
  { documentEnd, room, known = [] }: Pick<Batch, "documentEnd" | "room"> & { readonly known?: Memory[] },
): Batch {
  return {
    id,
    stated: new Set(),
    written: [],
    restated: [],
    lacksVectors: false,
    newcomers: known,
    meanings: new Map(known.map(({ id, text }) => [meaningKey(text), id])),
    documentEnd,
    superseded: 0,
    room,
    leftOut: 0,
  };
}

/** The outcome of writing facts. */
export interface Written {
  /** In order; without facts that were not kept. */
  readonly facts: readonly RememberedFact[];
  /** Former statements that were made of the new value. */
  readonly restated: readonly RememberedFact[];
  /** How many new facts were dropped because the settings left no room. */
  readonly leftOut: number;
}

/** Id of a memory that says the same in other words: an earlier one, or one added since. */
export function twinOf({ twin, candidate }: ResolvedFact, { meanings }: Batch): string | null {
  if (twin !== null || meanings.size === 0) return twin;
  return meanings.get(meaningKey(candidate.text)) ?? null;
}

/** True if one more memory may be added, and counts it; also counts those that may not. */
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
  Pick<ResolvedFact, "vector" | "judgement" | "doubt" | "restated"> & {
    /** Memories it would replace if it did not wait for review. */
    readonly held?: readonly Memory[];
  };

/** The receipt entry for a memory that was written. */
export function outcomeOf({ id, text, isInference }: Memory, outcome: RememberedFact["outcome"]): RememberedFact {
  return { id, text, outcome: isInference ? "review" : outcome };
}
