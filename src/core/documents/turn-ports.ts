import type { ContainerRow } from "../ports.js";
import type { Chunk, Document, Unit } from "../types.js";

/**
 * A chunk that is a turn of a conversation read only by rules: neither by a language model nor by an agent, nor did its sender
 * state its facts. Such a chunk may be told as a memory in its own words.
 */
export interface UnreadTurn {
  readonly chunk: Chunk;
  /** From its document. */
  readonly source: Pick<
    Document,
    "id" | "organizationId" | "origin" | "client" | "filepath" | "metadata" | "forgetAfter"
  > & {
    /** True when it was sent as a conversation, and not as a text that looks like one. */
    readonly wasSentAsTurns: boolean;
  };
  /**
   * The containers of its document, in order; without containers that are being deleted, and those where it was forgotten or
   * replaced.
   */
  readonly containers: readonly PlacedContainer[];
}

export interface PlacedContainer extends ContainerRow {
  /** The id that clients see. */
  readonly uid: string;
}

export interface TurnPage {
  readonly containerIds: readonly number[];
  /** The only chunks considered, as units; all if omitted. */
  readonly among?: readonly Unit[] | undefined;
  readonly order: "asc" | "desc";
  readonly offset: number;
  readonly limit: number;
}

/** Turns of conversations from which memories are told. Excludes forgotten and expired documents. */
export interface TurnStore {
  /** The such turns among these chunks, in no order. */
  ofUnits(organizationId: string, units: readonly Unit[]): Promise<UnreadTurn[]>;
  /** The turn whose chunk has this id. */
  byChunkId(organizationId: string, chunkId: string): Promise<UnreadTurn | null>;
  /** Turns of a container whose chunk has exactly this text, newest first. Reads all chunks of the container. */
  byContent(organizationId: string, containerId: number, content: string): Promise<UnreadTurn[]>;
  /** One page of the turns of containers, in order of arrival. */
  list(organizationId: string, page: TurnPage): Promise<{ readonly turns: UnreadTurn[]; readonly total: number }>;
}
