import type { Evidence, UnitWords } from "./evidence.js";

/** By the place of a memory among the candidates: the places of the chunks that it was taken from; never empty. */
export type Sources = ReadonlyMap<number, readonly number[]>;

/** Finds the passages of memories among the candidates, by the words that were quoted from them. */
export function findSources(units: readonly UnitWords[]): Sources {
  const sources = new Map<number, number[]>();
  let chunks: Map<string, number[]> | null = null;
  for (const [index, { detail }] of units.entries()) {
    for (const { documentId, text } of detail.memory?.quotes ?? []) {
      if (text === "") continue;
      chunks ??= chunksByDocument(units);
      const places = (chunks.get(documentId) ?? []).filter((place) => units[place]?.detail.text.includes(text));
      if (places.length > 0) sources.set(index, [...(sources.get(index) ?? []), ...places]);
    }
  }
  return sources;
}

function chunksByDocument(units: readonly UnitWords[]): Map<string, number[]> {
  const places = new Map<string, number[]>();
  for (const [index, { detail }] of units.entries()) {
    if (!detail.chunk) continue;
    const known = places.get(detail.chunk.documentId);
    if (known) known.push(index);
    else places.set(detail.chunk.documentId, [index]);
  }
  return places;
}

/**
 * A memory and its passage are one thing in two wordings: the passage counts as having the memory's words too, such as the
 * name and the date that it leaves to its surroundings.
 * @param evidence of each unit
 * @returns the strength of each unit's evidence, see `Evidence.strength`
 */
export function shareStrength(evidence: readonly Evidence[], sources: Sources): Float64Array[] {
  const strengths = evidence.map(({ strength }) => strength);
  for (const [memory, places] of sources)
    for (const place of places) {
      const [own, said] = [strengths[place], evidence[memory]?.strength];
      if (own && said) strengths[place] = own.map((strength, term) => Math.max(strength, said[term] ?? 0));
    }
  return strengths;
}
