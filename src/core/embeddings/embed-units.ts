import { yieldTurn } from "../../lib/time.js";
import { AppError } from "../errors.js";
import { embedInBatches } from "../memories/resolve-facts.js";
import type { Embedder, PlainUnit, Store, Repositories } from "../ports.js";
import type { VectorSpace } from "../types.js";

/** Vectors written per transaction; more would delay other callers. */
export const WRITE_BATCH = 64;

/** Who embeds what for which record. */
export interface Embedding {
  readonly store: Store;
  readonly embedder: Embedder;
  readonly signal: AbortSignal;
  /** The target space; if omitted, found or created by the embedder's fingerprint. */
  readonly space?: VectorSpace;
  /** Waits until texts of about this many tokens may be sent. */
  readonly pace?: (tokens: number, signal: AbortSignal) => Promise<void>;
}

/** Asked in the transaction that writes a batch. A batch already paid for may be kept as the last one. */
export type IsWanted = (repositories: Repositories, batch: readonly PlainUnit[]) => Promise<boolean | "as the last">;

/**
 * Embeds units batch by batch; earlier batches stay written if a later one fails. Whether they are still wanted is asked in the
 * transaction that writes, since something could have changed in between.
 * @returns false when a batch was no longer wanted, or was the last one wanted; nothing after it was embedded
 */
export async function embedUnits(
  { store, embedder, signal, pace, space: known }: Embedding,
  units: readonly PlainUnit[],
  isWanted: IsWanted,
): Promise<boolean> {
  const most = Math.min(WRITE_BATCH, embedder.maxBatch);
  for (let start = 0; start < units.length; start += most) {
    await yieldTurn(signal);
    const batch = units.slice(start, start + most);
    await pace?.(estimateUnitTokens(batch), signal);
    const vectors = await embedInBatches(embedder, batch.map(textToEmbed), signal);
    const size = vectors[0]?.length ?? 0;
    // A space abandoned meanwhile must not be recreated.
    const space = known ? fitting(known, size) : await store.ensureSpace(embedder.fingerprint, size);
    await yieldTurn(signal);
    const verdict = await store.transaction(async (repositories) => {
      const wanted = await isWanted(repositories, batch);
      if (wanted !== false) await writeVectors(repositories, space, batch, vectors);
      return wanted;
    });
    if (verdict !== true) return false;
  }
  return true;
}

function fitting(space: VectorSpace, dimensions: number): VectorSpace {
  if (space.dimensions === dimensions) return space;
  throw new AppError(
    "conflict",
    `The embedder ${space.fingerprint} now returns vectors of ${dimensions} numbers; earlier ones had ${space.dimensions}.`,
  );
}

async function writeVectors(
  { units }: Repositories,
  space: VectorSpace,
  embedded: readonly PlainUnit[],
  vectors: readonly Float32Array[],
): Promise<void> {
  for (const [index, { unit }] of embedded.entries()) {
    const vector = vectors[index];
    if (vector) await units.addVector(unit, space, vector);
  }
}

/** The text of a unit that is embedded. */
export function textToEmbed({ text }: Pick<PlainUnit, "text">): string {
  return text;
}

/** Approximate bytes of text per token, in most languages and models. */
const BYTES_PER_TOKEN = 4;

/** Approximate tokens of this many bytes of text. */
export function estimateTokens(bytes: number): number {
  return Math.ceil(bytes / BYTES_PER_TOKEN);
}

/** Approximate tokens of units. */
export function estimateUnitTokens(units: readonly PlainUnit[]): number {
  return units.reduce((sum, unit) => sum + estimateTokens(Buffer.byteLength(textToEmbed(unit))), 0);
}
