import { sentencesOf } from "./edits.js";
import { singleSpaced } from "../lib/single-spaced.js";

/** An edited text, split into sentences that were in the previous text and others; each ends a line. */
export interface Parted {
  readonly unchanged: string;
  readonly fresh: string;
}

/**
 * Splits a text by what was in the previous one. A sentence over several lines stays the same however its lines break.
 * Takes linear time.
 */
export function partedBy(previous: string, content: string): Parted {
  const known = new Set([...sentencesOf(previous), ...sentencesOf(unwrapped(previous))]);
  const [lines, whole] = [[...sentencesOf(content)], [...sentencesOf(unwrapped(content))]];
  return {
    unchanged: [...lines, ...whole].filter((sentence) => known.has(sentence)).join("\n"),
    fresh: lines.filter((sentence) => !known.has(sentence)).join("\n"),
  };
}

/** True for words that only repeat the previous text: they are read again as context for those beside them. */
export function isUnchanged(words: string, { unchanged, fresh }: Parted): boolean {
  const sentences = [...sentencesOf(singleSpaced(words))];
  return (
    sentences.length > 0 && sentences.every((sentence) => unchanged.includes(sentence) && !fresh.includes(sentence))
  );
}

function unwrapped(text: string): string {
  return text
    .split("\n\n")
    .map((paragraph) => paragraph.replaceAll("\n", " "))
    .join("\n");
}
