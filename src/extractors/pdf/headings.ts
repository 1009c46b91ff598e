import type { TextLine } from "./fragment.js";

/** An entry of a PDF's outline; the outermost level is 0. */
export interface OutlineEntry {
  readonly title: string;
  readonly depth: number;
}

/** The level of a heading, from 1 to 6; null for any other line. */
export type HeadingLevel = (line: TextLine) => number | null;

/** Minimum font size of headings, relative to the text. */
const LARGER = 1.1;
/** The same on a page with too little text to establish the usual size. */
const MUCH_LARGER = 1.25;
/** Fewer letters do not establish the usual size of a page. */
const FEW_LETTERS = 200;
/** Maximum share of headings in the text: on slides, body text comes in all sizes. */
const GREATEST_PART = 0.25;
const LONGEST_HEADING = 200;
const MOST_LINES = 4;
const DEEPEST = 6;
/** Maximum line spacing within a heading, relative to its font size. */
const SAME_HEADING = 1.6;

/** Consecutive lines of one size with little space between them: a heading, or text. */
interface Run {
  readonly lines: TextLine[];
  readonly size: number;
}

/** Whether a line continues the heading above it, judging by size and position. */
export function isSameHeading(above: TextLine, below: TextLine): boolean {
  const distance = below.baseline - above.baseline;
  return roundedSize(above) === roundedSize(below) && distance > 0 && distance <= SAME_HEADING * below.size;
}

/** Finds heading levels from the font sizes on each page, and from the outline if there is one. */
export function headingLevels(pages: readonly (readonly TextLine[])[], outline: readonly OutlineEntry[]): HeadingLevel {
  const body = usualSize(pages.flat());
  const byTitle = new Map(outline.map(({ title, depth }) => [titleKey(title), depth] as const));
  const runs = pages.map(runsOf);
  const found = runs.map((own, at) => headingsOf(own, pages[at] ?? [], body));
  const sizes = sizesOfHeadings(pages, found.flat());
  const named = runs.flat().filter((run) => couldBeHeading(run) && byTitle.has(titleKey(textOf(run))));
  const smallest = named.reduce((least, { size }) => Math.min(least, size), Number.POSITIVE_INFINITY);
  const title = found.flat().find(({ size }) => size === sizes[0]);
  const hasTitle = title !== undefined && !byTitle.has(titleKey(textOf(title)));
  const levels = new Map<TextLine, number>();
  const set = ({ lines }: Run, level: number) => lines.forEach((line) => levels.set(line, Math.min(DEEPEST, level)));
  for (const run of found.flat()) {
    const rank = sizes.indexOf(run.size);
    // A heading missing from the outline must be at least as large as those in it.
    if (rank >= 0 && (!Number.isFinite(smallest) || run.size >= smallest)) set(run, rank + 1);
  }
  for (const run of named) set(run, (byTitle.get(titleKey(textOf(run))) ?? 0) + (hasTitle ? 2 : 1));
  for (const line of pages.flat()) {
    const depth = levels.has(line) || line.isMonospaced ? undefined : byTitle.get(titleKey(line.text));
    if (depth !== undefined && couldBeHeading({ lines: [line], size: line.size }))
      set({ lines: [line], size: line.size }, depth + (hasTitle ? 2 : 1));
  }
  return (line) => levels.get(line) ?? null;
}

function runsOf(lines: readonly TextLine[]): Run[] {
  const runs: Run[] = [];
  for (const line of lines) {
    const open = runs.at(-1);
    const above = open?.lines.at(-1);
    if (open && above && isSameHeading(above, line)) open.lines.push(line);
    else runs.push({ lines: [line], size: roundedSize(line) });
  }
  return runs;
}

/** Short lines, larger than the text of their page, that precede smaller text or end the page. */
function headingsOf(runs: readonly Run[], lines: readonly TextLine[], body: number): Run[] {
  const letters = lines.reduce((sum, { text }) => sum + text.length, 0);
  const least = letters < FEW_LETTERS ? body * MUCH_LARGER : usualSize(lines) * LARGER;
  const headings: Run[] = [];
  let below: { readonly size: number; readonly isHeading: boolean } | null = null;
  for (const run of runs.toReversed()) {
    const isFollowed: boolean = below === null || below.isHeading || below.size < run.size;
    const isHeading: boolean = run.size >= least && isFollowed && couldBeHeading(run);
    if (isHeading) headings.push(run);
    below = { size: run.size, isHeading };
  }
  return headings.toReversed();
}

/** Font sizes of headings, largest first, as long as they make up a small share of the text. */
function sizesOfHeadings(pages: readonly (readonly TextLine[])[], headings: readonly Run[]): number[] {
  const total = pages.flat().reduce((sum, { text }) => sum + text.length, 0);
  const letters = new Map<number, number>();
  for (const run of headings) letters.set(run.size, (letters.get(run.size) ?? 0) + textOf(run).length);
  const sizes: number[] = [];
  let lettersOfHeadings = 0;
  for (const [size, count] of [...letters].toSorted((one, other) => other[0] - one[0])) {
    lettersOfHeadings += count;
    if (lettersOfHeadings <= GREATEST_PART * total) sizes.push(size);
  }
  return sizes;
}

function usualSize(lines: readonly TextLine[]): number {
  const letters = new Map<number, number>();
  for (const line of lines) letters.set(roundedSize(line), (letters.get(roundedSize(line)) ?? 0) + line.text.length);
  return [...letters].reduce((most, one) => (one[1] > most[1] ? one : most), [0, -1])[0];
}

function roundedSize({ size }: TextLine): number {
  return Math.round(size * 2) / 2;
}

function couldBeHeading(run: Run): boolean {
  const isShort = run.lines.length <= MOST_LINES && textOf(run).length <= LONGEST_HEADING;
  return isShort && /\p{L}/u.test(textOf(run)) && !run.lines.some(({ isMonospaced }) => isMonospaced);
}

function textOf({ lines }: Run): string {
  return lines
    .slice(0, MOST_LINES + 1)
    .map(({ text }) => text)
    .join(" ");
}

/** Section numbers are part of the text, but seldom of the outline. */
function titleKey(title: string): string {
  return title
    .slice(0, LONGEST_HEADING)
    .toLowerCase()
    .replace(/^[\d.]+\s/, "")
    .replace(/[^\p{L}\p{N}]/gu, "");
}
