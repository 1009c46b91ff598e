import type { RankedUnit } from "./rank.js";
import { shownSimilarity } from "./retrieve.js";

/** Without the chunks of documents of which no chunk is shown as similar as this, 0 to 1. Memories stay. */
export function ofDocumentsAbove(units: readonly RankedUnit[], least: number): readonly RankedUnit[] {
  if (least === 0) return units;
  const best = units.filter(({ similarity }) => shownSimilarity(similarity) >= least);
  const documents = new Set(best.map(({ detail }) => detail.chunk?.documentId));
  return units.filter(({ detail }) => !detail.chunk || documents.has(detail.chunk.documentId));
}
