import type { ExtractedContent } from "../../src/core/documents/content-ports.js";

/** All text that came out of a file, in order. */
export function textOf({ parts }: ExtractedContent): string {
  return parts.map(({ text }) => text).join("\n\n");
}

/** The part of the different words of a source that are found in a text, from 0 to 1. */
export function wordRecall(source: string, text: string): number {
  const found = new Set(wordsOf(text));
  const wanted = new Set(wordsOf(source));
  return [...wanted].filter((word) => found.has(word)).length / Math.max(1, wanted.size);
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}
