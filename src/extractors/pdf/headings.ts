import type { TextLine } from "./fragment.js";

/** An entry of a PDF's outline, from the outermost, 0. */
export interface OutlineEntry {
  readonly title: string;
  readonly depth: number;
}

/** Tells how deep a heading is, from 1 to 6; null for a line that is none. */
export type HeadingLevel = (line: TextLine) => number | null;

/** Letters of headings are so much larger than those of the text. */
const LARGER = 1.1;
/** No more of the text than this is headings: on slides, letters of all sizes are text. */
const GREATEST_PART = 0.25;
const LONGEST_HEADING = 200;
const DEEPEST = 6;

/** Finds the levels of headings by the sizes of all lines, and by the outline where there is one. */
export function headingLevels(lines: readonly TextLine[], outline: readonly OutlineEntry[]): HeadingLevel {
  const letters = lettersBySize(lines);
  const body = [...letters].reduce((most, one) => (one[1] > most[1] ? one : most), [0, -1])[0];
  const total = [...letters.values()].reduce((sum, count) => sum + count, 0);
  const larger: number[] = [];
  let lettersOfHeadings = 0;
  for (const [size, count] of [...letters].toSorted((one, other) => other[0] - one[0])) {
    lettersOfHeadings += count;
    if (size >= body * LARGER && lettersOfHeadings <= GREATEST_PART * total) larger.push(size);
  }
  const byTitle = new Map(outline.map(({ title, depth }) => [titleKey(title), depth] as const));
  const smallest = lines
    .filter(({ text }) => byTitle.has(titleKey(text)))
    .reduce((least, line) => Math.min(least, roundedSize(line)), Number.POSITIVE_INFINITY);
  const hasTitle = standsOverOutline(lines, byTitle, larger[0]);
  return (line) => {
    if (!couldBeHeading(line)) return null;
    const depth = byTitle.get(titleKey(line.text));
    if (depth !== undefined) return Math.min(DEEPEST, depth + (hasTitle ? 2 : 1));
    const rank = larger.indexOf(roundedSize(line));
    // What the outline leaves out is a heading where it is as large as what it names.
    const isHeading = rank >= 0 && (!Number.isFinite(smallest) || roundedSize(line) >= smallest);
    return !isHeading ? null : Math.min(DEEPEST, rank + 1);
  };
}

/** The largest line of the document is its title where the outline does not have it. */
function standsOverOutline(
  lines: readonly TextLine[],
  byTitle: ReadonlyMap<string, number>,
  largest: number | undefined,
): boolean {
  const title = lines.find((line) => roundedSize(line) === largest && couldBeHeading(line));
  return title !== undefined && !byTitle.has(titleKey(title.text));
}

function lettersBySize(lines: readonly TextLine[]): Map<number, number> {
  const letters = new Map<number, number>();
  for (const line of lines) letters.set(roundedSize(line), (letters.get(roundedSize(line)) ?? 0) + line.text.length);
  return letters;
}

function roundedSize({ size }: TextLine): number {
  return Math.round(size * 2) / 2;
}

function couldBeHeading({ text, isMonospaced }: TextLine): boolean {
  return text.length <= LONGEST_HEADING && /\p{L}/u.test(text) && !isMonospaced;
}

/** Numbers before a title stand in the text, but seldom in the outline. */
function titleKey(title: string): string {
  return title
    .slice(0, LONGEST_HEADING)
    .toLowerCase()
    .replace(/^[\d.]+\s/, "")
    .replace(/[^\p{L}\p{N}]/gu, "");
}
