import type { Place } from "./find-quote.js";

export interface WindowSizes {
  /** Longest window, in characters. */
  readonly length: number;
  /** About how many characters of the previous window each window begins with. */
  readonly overlap: number;
}

/** How far back from the end of a window a place to cut is looked for, as a fraction of its length. */
const LOOK_BACK = 0.3;
/** Where a text may be cut, best first. */
const SEAMS = [/\n\s*\n/g, /\n/g, /[.!?…。！？]["'”’»)\]]*\s|[。！？]/g, /\s/g];

/**
 * The overlapping windows that cover a text from its first to its last character; one for a short text. Cuts between
 * paragraphs, lines, sentences or words where possible, and never within a character.
 */
export function windowsOf(text: string, { length, overlap }: WindowSizes): Place[] {
  const windows: Place[] = [];
  let start = 0;
  for (;;) {
    if (text.length - start <= length) return [...windows, { start, end: text.length }];
    const end = seamBefore(text, start + length, Math.floor(length * LOOK_BACK));
    windows.push({ start, end });
    start = Math.max(start + 1, seamBefore(text, end - Math.floor(overlap / 2), Math.floor(overlap / 2)));
  }
}

/** The offset after the last seam in the `reach` characters before `place`; without one, `place`, or the character's start. */
function seamBefore(text: string, place: number, reach: number): number {
  const from = Math.max(0, place - reach);
  const stretch = text.slice(from, place);
  for (const seam of SEAMS) {
    const last = [...stretch.matchAll(seam)].at(-1);
    if (last && last.index + last[0].length > 0) return from + last.index + last[0].length;
  }
  const isInsideCharacter = /[\uDC00-\uDFFF]/.test(text[place] ?? "");
  return isInsideCharacter ? place - 1 : place;
}
