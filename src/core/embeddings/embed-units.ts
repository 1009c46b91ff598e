import { yieldTurn } from "../../lib/time.js";
import { AppError } from "../errors.js";
import { embedInBatches } from "../memories/resolve-facts.js";
import type { Embedder, PlainUnit, Store, Repositories } from "../ports.js";
import type { VectorSpace } from "../types.js";

/** Vectors written in one transaction; more would hold up other callers. */
export const WRITE_BATCH = 64;

/** Who embeds what for which record. */
export interface Embedding {
  readonly store: Store;
  readonly embedder: Embedder;
  readonly signal: AbortSignal;
  /** Where it belongs; found or made by the embedder's fingerprint when it is left out. */
  readonly space?: VectorSpace;
  /** Waits until texts of about so many tokens may be sent. */
  readonly pace?: (tokens: number, signal: AbortSignal) => Promise<void>;
}

/** Asked in the transaction that writes a batch. What was paid for may be kept without anything after it. */
export type IsWanted = (repositories: Repositories, batch: readonly PlainUnit[]) => Promise<boolean | "as the last">;

/**
 * Embeds units batch by batch; what is written stays written when a later batch fails. Whether they are still wanted is
 * asked in the transaction that writes, or something could have changed in between.
 * @returns false when a batch was not wanted any more, or was the last that is; nothing after it was embedded
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
    await pace?.(tokensOf(batch), signal);
    const vectors = await embedInBatches(embedder, batch.map(textToEmbed), signal);
    const size = vectors[0]?.length ?? 0;
    // A space that was given up meanwhile must not come to be again.
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
    `The embedder ${space.fingerprint} now gives vectors of ${dimensions} numbers; those before had ${space.dimensions}.`,
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

/** What is embedded of a unit. */
export function textToEmbed({ text }: Pick<PlainUnit, "text">): string {
  return text;
}

/** Bytes of text that make a token, roughly, in most languages and models. */
const BYTES_PER_TOKEN = 4;

/** Tokens of so many bytes of text, roughly. */
export function estimateTokens(bytes: number): number {
  return Math.ceil(bytes / BYTES_PER_TOKEN);
}

/** Tokens of units, roughly. */
export function tokensOf(units: readonly PlainUnit[]): number {
  return units.reduce((sum, unit) => sum + estimateTokens(Buffer.byteLength(textToEmbed(unit))), 0);
}
