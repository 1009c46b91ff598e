import { sentencesOf } from "./edits.js";
import { singleSpaced } from "../lib/single-spaced.js";

/** What is read of a text that was changed, parted into sentences that stood in it before, and others; each ends a line. */
export interface Parted {
  readonly unchanged: string;
  readonly fresh: string;
}

/**
 * Parts a text by what it was before. A sentence that goes over several lines is the same one however its lines are broken.
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

/** True for words that say only what the text said before: they are read again with what stands beside them. */
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
