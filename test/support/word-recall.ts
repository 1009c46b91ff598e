import type { ExtractedContent } from "../../src/core/documents/content-ports.js";

/** Numbers from 0 to 1, the same for the same seed. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Share of a source's words, with their frequency, that an extraction contains. */
export function wordRecall(source: string, reading: string): number {
  const left = countWords(reading);
  let found = 0;
  let all = 0;
  for (const [word, count] of countWords(source)) {
    found += Math.min(count, left.get(word) ?? 0);
    all += count;
  }
  return all === 0 ? 1 : found / all;
}

function countWords(text: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const word of text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

/** Copies of a file with some bytes changed, removed or duplicated. */
export function mutations(bytes: Uint8Array, count: number, seed = 1): Uint8Array[] {
  const random = seededRandom(seed);
  const below = (limit: number) => Math.floor(random() * limit);
  return Array.from({ length: count }, () => {
    const copy = Uint8Array.from(bytes);
    for (let change = 0; change < 1 + below(20); change += 1) copy[below(copy.length)] = below(256);
    const at = below(copy.length);
    const piece = copy.subarray(at, at + below(2_000));
    if (random() < 0.2) return Uint8Array.from([...copy.subarray(0, at), ...copy.subarray(at + piece.length)]);
    return random() < 0.1 ? Uint8Array.from([...copy.subarray(0, at), ...piece, ...copy.subarray(at)]) : copy;
  });
}

/** All extracted text of a file, in order. */
export function textOf({ parts }: ExtractedContent): string {
  return parts.map(({ text }) => text).join("\n\n");
}
