import type { ContainerRow } from "../ports.js";
import type { Chunk, Document, Unit } from "../types.js";

/**
 * A chunk that is a turn of a conversation which rules have read and nothing better: neither a language model nor an agent, nor
 * has its sender stated its facts. Such a chunk may be told as a memory in its own words.
 */
export interface UnreadTurn {
  readonly chunk: Chunk;
  /** Of its document. */
  readonly source: Pick<
    Document,
    "id" | "organizationId" | "origin" | "client" | "filepath" | "metadata" | "forgetAfter"
  > & {
    /** True when it was sent as a conversation, and not as a text that looks like one. */
    readonly wasSentAsTurns: boolean;
  };
  /** Where its document lies, in order; without containers that are being deleted, and where it was forgotten or replaced. */
  readonly containers: readonly PlacedContainer[];
}

export interface PlacedContainer extends ContainerRow {
  /** The id that clients see. */
  readonly uid: string;
}

export interface TurnPage {
  readonly containerIds: readonly number[];
  /** The only chunks that count, as units; all when it is left out. */
  readonly among?: readonly Unit[] | undefined;
  readonly order: "asc" | "desc";
  readonly offset: number;
  readonly limit: number;
}

/** Turns of conversations as memories are made of them. None of forgotten documents, or of those whose time is over. */
export interface TurnStore {
  /** Those of these chunks that are such turns, in no order. */
  ofUnits(organizationId: string, units: readonly Unit[]): Promise<UnreadTurn[]>;
  /** The turn whose chunk has this id. */
  byChunkId(organizationId: string, chunkId: string): Promise<UnreadTurn | null>;
  /** Turns of a container whose chunk has exactly this text, newest first. Reads all chunks of the container. */
  byContent(organizationId: string, containerId: number, content: string): Promise<UnreadTurn[]>;
  /** One page of the turns of containers, by when they came. */
  list(organizationId: string, page: TurnPage): Promise<{ readonly turns: UnreadTurn[]; readonly total: number }>;
}
