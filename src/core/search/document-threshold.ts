import type { RankedUnit } from "./rank.js";
import { shownSimilarity } from "./retrieve.js";

/** Leaves out chunks of documents without a chunk whose shown similarity reaches `least`, 0 to 1. Memories stay. */
export function ofDocumentsAbove(units: readonly RankedUnit[], least: number): readonly RankedUnit[] {
  if (least === 0) return units;
  const best = units.filter(({ similarity }) => shownSimilarity(similarity) >= least);
  const documents = new Set(best.map(({ detail }) => detail.chunk?.documentId));
  return units.filter(({ detail }) => !detail.chunk || documents.has(detail.chunk.documentId));
}
