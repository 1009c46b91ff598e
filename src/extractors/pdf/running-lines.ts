import type { OuterRow, TextLine } from "./fragment.js";
import { pageNumberIn } from "./page-number.js";

/** Fewer pages tell nothing; two tell whether numbers count them. */
const FEWEST_PAGES = 3;
const FEWEST_NUMBERED = 2;
/** Headers and footers stand on so many of the pages. */
const MOST_PAGES = 0.6;
/** Heights within half of so many points are the same. */
const SLOT = 4;
/** Between headers and text there is more room than between its lines: so many times as much, and so many sizes of letters. */
const WIDER = 1.3;
const LEAST_GAP = 1.6;
/** Letters that are so much smaller than the text need less room to be told from it. */
const MUCH_SMALLER = 0.8;
const WIDER_WHERE_SMALLER = 1.1;
/** Letters of headers are not larger than those of the text, but for rounding. */
const AS_SMALL = 1.02;
const LONGEST_CELL = 300;

/**
 * Headers, footers and page numbers: what stands alone at an edge of most pages, always at the same height, in small letters and
 * in the same words. Only the number of the page may differ, and only where it counts up with the pages.
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
  /** What is the same on all pages where it runs; two, so that heights that are close share one of them. */
  readonly keys: readonly string[];
}

function candidateOf(line: TextLine, page: number): Candidate[] {
  const row = line.outerRow;
  if (row === null || line.size > AS_SMALL * row.bodySize) return [];
  const half = Math.floor((2 * line.baseline) / SLOT);
  const key = JSON.stringify([row.edge, Math.round(line.size), patternOf(row.cells, page)]);
  return [{ line, row, keys: [`${half} ${key}`, `${half + 1} ${key}`] }];
}

/** The cells of a row, with the distance to the page's own number in place of the number that the page has. */
function patternOf(cells: readonly string[], page: number): string[] {
  return cells.map((cell) => {
    if (cell.length > LONGEST_CELL) return cell;
    const found = pageNumberIn(cell);
    return found === null ? `= ${cell}` : `# ${found.number - page} ${found.rest}`;
  });
}

/** The lines of one page that the text does not follow at its own distance, or that count the pages. */
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

/** What counts up with the pages is no part of the text, however close it stands. */
function hasPageNumber({ row }: Candidate): boolean {
  return row.cells.some((cell) => pageNumberIn(cell) !== null);
}

function hasGap({ line, row: { gap, leading, bodySize } }: Candidate): boolean {
  if (line.size <= MUCH_SMALLER * bodySize) return gap >= WIDER_WHERE_SMALLER * leading;
  return gap >= Math.max(LEAST_GAP, WIDER * leading);
}
