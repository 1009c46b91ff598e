import { yieldTurn } from "../../lib/time.js";
import type { VectorSpace } from "../types.js";
import { embedUnits, type Embedding, type IsWanted } from "./embed-units.js";

/** Rows checked at a time; more would delay other callers. */
const WINDOW = 500;

/**
 * Adds the missing vectors of a space, a window at a time. Calling it again continues with what is left.
 * @param look `settled` leaves out what ingestion is about to embed itself
 * @returns how many units were embedded; null when they were no longer wanted
 */
export async function fillSpace(
  embedding: Embedding,
  space: VectorSpace,
  isWanted: IsWanted,
  look: { readonly settled: boolean } = { settled: false },
): Promise<number | null> {
  const { store, signal } = embedding;
  let embedded = 0;
  for (const kind of ["memory", "chunk"] as const)
    for (let after = 0; ;) {
      await yieldTurn(signal);
      const { units, end } = await store.embeddings.missing(space, { ...look, kind, after, window: WINDOW });
      if (!(await embedUnits({ ...embedding, space }, units, isWanted))) return null;
      embedded += units.length;
      if (end === null) break;
      after = end;
    }
  return embedded;
}

/**
 * Adds to a space the vectors for what another space got since it last followed it.
 * @returns false when they were no longer wanted
 */
export async function followSpace(
  embedding: Embedding,
  { space, from }: { readonly space: VectorSpace; readonly from: VectorSpace },
  isWanted: IsWanted,
): Promise<boolean> {
  const { store, signal } = embedding;
  for (;;) {
    await yieldTurn(signal);
    const seq = await store.vectors.head(from.id);
    const after = await store.embeddings.followed(space, from);
    const units = after === null ? null : await store.embeddings.lacking(from, space, { after, limit: WINDOW });
    if (units === null) {
      if ((await fillSpace(embedding, space, isWanted)) === null) return false;
    } else if (!(await embedUnits({ ...embedding, space }, units, isWanted))) return false;
    if (units !== null && units.length >= WINDOW) continue;
    await store.embeddings.noteFollowed(space, from, seq);
    return true;
  }
}
