import { readingOf } from "../memories/reading.js";
import type { Evidence, UnitWords } from "./evidence.js";

/** By the index of a memory among the candidates: the indexes of the chunks it was taken from; never empty. */
export type Sources = ReadonlyMap<number, readonly number[]>;

/**
 * Finds the source passages of memories among the candidates, by the words quoted from them. What holds since something became
 * another says more than the words that say so.
 */
export function findSources(units: readonly UnitWords[]): Sources {
  const sources = new Map<number, number[]>();
  let chunks: Map<string, number[]> | null = null;
  for (let index = 0; index < units.length; index++) {
    const { memory, text: said } = units[index]!.detail;
    for (const { documentId, text } of memory?.quotes ?? NONE) {
      if (text === "" || holdsSince(said, text)) continue;
      chunks ??= chunksByDocument(units);
      const places = (chunks.get(documentId) ?? []).filter((place) => units[place]?.detail.text.includes(text));
      if (places.length > 0) sources.set(index, [...(sources.get(index) ?? []), ...places]);
    }
  }
  return sources;
}

const NONE: readonly never[] = [];

function holdsSince(said: string, quote: string): boolean {
  return quote !== said && tellsOfChange(quote) && !tellsOfChange(said);
}

function tellsOfChange(text: string): boolean {
  const { transitions, returns } = readingOf(text);
  return transitions.length > 0 || returns !== null;
}

function chunksByDocument(units: readonly UnitWords[]): Map<string, number[]> {
  const places = new Map<string, number[]>();
  for (let index = 0; index < units.length; index++) {
    const { detail } = units[index]!;
    if (!detail.chunk) continue;
    const known = places.get(detail.chunk.documentId);
    if (known) known.push(index);
    else places.set(detail.chunk.documentId, [index]);
  }
  return places;
}

/**
 * A memory and its passage are the same statement in two wordings: the passage is credited with the memory's words too, such as
 * the name and date that it leaves to its surroundings.
 * @returns the strengths of the evidence including those of the memories, see `Evidence.strengths`
 */
export function shareStrengths({ strengths, terms }: Evidence, sources: Sources): Float64Array {
  if (sources.size === 0) return strengths;
  const shared = strengths.slice();
  for (const [memory, places] of sources)
    for (const place of places)
      for (let term = 0; term < terms; term++) {
        const said = strengths[memory * terms + term]!;
        if (said > shared[place * terms + term]!) shared[place * terms + term] = said;
      }
  return shared;
}
