import type { FileReading, SourcePlace, ReadingOutcome } from "../../core/documents/content-ports.js";
import type { ChunkMetadata } from "../../core/types.js";

/*
 * Rows carry the mark of what a stranger may have written under the name from when only mails were marked. The name stays:
 * earlier rows remain distrusted, unchanged chunks stay equal to theirs, and an earlier version can read new rows.
 */

/** A value as stored in a row. */
export type Stored<T extends Marked> = Omit<T, "isByStranger"> & { readonly isMail?: T["isByStranger"] };
interface Marked {
  readonly isByStranger?: boolean;
}
type StoredOutcome = Omit<Stored<ReadingOutcome>, "places"> & {
  readonly places: readonly (readonly [offset: number, place: Stored<SourcePlace>])[];
};

export function storedChunkMetadata(metadata: ChunkMetadata | null): Stored<ChunkMetadata> | null {
  return metadata && storedMark(metadata);
}

export function chunkMetadataOf(stored: Stored<ChunkMetadata> | null): ChunkMetadata | null {
  if (!stored) return null;
  const { isMail, ...rest } = stored;
  return isMail ? { ...rest, isByStranger: isMail } : rest;
}

export function storedOutcome(outcome: FileReading["outcome"]): StoredOutcome | null {
  if (!outcome) return null;
  return { ...storedMark(outcome), places: outcome.places.map(([offset, place]) => [offset, storedMark(place)]) };
}

export function outcomeOf(stored: StoredOutcome | null): FileReading["outcome"] {
  if (!stored) return null;
  const { isMail, places, ...rest } = stored;
  return {
    ...rest,
    places: places.map(([offset, place]) => [offset, placeOf(place)]),
    ...(isMail !== undefined && { isByStranger: isMail }),
  };
}

function placeOf({ isMail, ...rest }: Stored<SourcePlace>): SourcePlace {
  return isMail ? { ...rest, isByStranger: isMail } : rest;
}

function storedMark<T extends Marked>({ isByStranger, ...rest }: T): Stored<T> {
  return isByStranger === undefined ? rest : { ...rest, isMail: isByStranger };
}
