import type { StatedCandidate } from "../core/memories/resolve-facts.js";
import type { Document } from "../core/types.js";
import type { IngestContext } from "./context.js";

/** Maximum number of documents whose candidates are kept while the work after reading has to wait. */
const MOST_KEPT = 100;

const keptIn = new WeakMap<IngestContext["store"], Map<string, readonly StatedCandidate[]>>();

/** Finds the candidates of a revision only once: a document that has to wait before they are written is not read again. */
export async function findOnce(
  { store }: IngestContext,
  document: Document,
  find: () => Promise<readonly StatedCandidate[]>,
): Promise<readonly StatedCandidate[]> {
  const kept = keptIn.get(store) ?? new Map<string, readonly StatedCandidate[]>();
  keptIn.set(store, kept);
  const key = keyOf(document);
  const known = kept.get(key);
  if (known) return known;
  const found = await find();
  kept.set(key, found);
  for (const oldest of kept.keys()) if (kept.size > MOST_KEPT) kept.delete(oldest);
  return found;
}

/** Drops candidates that were written or are no longer needed. */
export function dropFound({ store }: IngestContext, document: Document): void {
  keptIn.get(store)?.delete(keyOf(document));
}

function keyOf({ id, revision, rememberedRevision }: Document): string {
  return `${id}:${revision}:${rememberedRevision}`;
}
