import type { OuterRow, TextLine } from "./fragment.js";
import { pageNumberIn } from "./page-number.js";

/** Minimum number of pages that must repeat a line; two are enough if it has a page number. */
const FEWEST_PAGES = 3;
const FEWEST_NUMBERED = 2;
/** Minimum share of the pages that repeat a header or footer. */
const MOST_PAGES = 0.6;
/** Positions within half this many points count as the same height. */
const SLOT = 4;
/** Headers are set apart from the text by at least this many times the line spacing, and this many times the font size. */
const WIDER = 1.3;
const LEAST_GAP = 1.6;
/** Letters this much smaller than the text need less space to stand out from it. */
const MUCH_SMALLER = 0.8;
const WIDER_WHERE_SMALLER = 1.1;
/** Headers are no larger than the text, apart from rounding. */
const AS_SMALL = 1.02;
const LONGEST_CELL = 300;

/**
 * Headers, footers and page numbers: lines set apart at an edge of most pages, always at the same height, no larger than the text
 * and with the same words. Only the page number may differ, and only if it increases with the pages.
 */
export function runningLines(pages: readonly (readonly TextLine[])[]): ReadonlySet<TextLine> {
  const candidates = pages.map((lines, page) => lines.flatMap((line) => candidateOf(line, page)));
  const pagesByKey = new Map<string, Set<number>>();
  for (const [page, found] of candidates.entries()) {
    for (const key of found.flatMap(({ keys }) => keys))
      pagesByKey.set(key, (pagesByKey.get(key) ?? new Set()).add(page));
  }
  const isRepeated = (one: Candidate) => {
    const needed = Math.max(hasPageNumber(one) ? FEWEST_NUMBERED : FEWEST_PAGES, MOST_PAGES * pages.length);
    return one.keys.some((key) => (pagesByKey.get(key)?.size ?? 0) >= needed);
  };
  return new Set(candidates.flatMap((found) => setApart(found.filter(isRepeated))));
}

interface Candidate {
  readonly line: TextLine;
  readonly row: OuterRow;
  /** Identical on all pages that repeat the line; there are two, so that nearby heights share one of them. */
  readonly keys: readonly string[];
}

function candidateOf(line: TextLine, page: number): Candidate[] {
  const row = line.outerRow;
  if (row === null || line.size > AS_SMALL * row.bodySize) return [];
  const half = Math.floor((2 * line.baseline) / SLOT);
  const key = JSON.stringify([row.edge, Math.round(line.size), patternOf(row.cells, page)]);
  return [{ line, row, keys: [`${half} ${key}`, `${half + 1} ${key}`] }];
}

/** The cells of a row, with any page number replaced by its difference from the actual position of the page. */
function patternOf(cells: readonly string[], page: number): string[] {
  return cells.map((cell) => {
    if (cell.length > LONGEST_CELL) return cell;
    const found = pageNumberIn(cell);
    return found === null ? `= ${cell}` : `# ${found.number - page} ${found.rest}`;
  });
}

/** The lines of one page that are separated from the text by more than its line spacing, or that number the pages. */
function setApart(repeated: readonly Candidate[]): TextLine[] {
  return repeated
    .filter(({ row }) => {
      const band = repeated.filter((other) => other.row.edge === row.edge);
      const isOutermost = band.some((other) => other.row.depth === 0);
      return (
        isOutermost && band.some((other) => other.row.depth >= row.depth && (hasGap(other) || hasPageNumber(other)))
      );
    })
    .map(({ line }) => line);
}

/** A page number is never part of the text, however close it is. */
function hasPageNumber({ row }: Candidate): boolean {
  return row.cells.some((cell) => pageNumberIn(cell) !== null);
}

function hasGap({ line, row: { gap, leading, bodySize } }: Candidate): boolean {
  if (line.size <= MUCH_SMALLER * bodySize) return gap >= WIDER_WHERE_SMALLER * leading;
  return gap >= Math.max(LEAST_GAP, WIDER * leading);
}
