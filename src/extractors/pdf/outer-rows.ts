import { median, rightOf, type Fragment, type Line, type OuterRow } from "./fragment.js";
import { joinFragments, linesOf } from "./lines.js";

/** Share of the page at the top and bottom that may hold headers and footers; LaTeX leaves a sixth below its page numbers. */
const MARGIN = 0.2;
/** Number of outermost rows examined per margin. */
const OUTERMOST = 2;
/** Minimum gap between separate parts of a row, relative to the font size. */
const APART = 1.5;
/** Maximum line spacing of body text, relative to its font size. */
const WIDEST_LEADING = 2;

/** The outermost rows of a page, across its columns, by their fragments. @param height of the page, in points */
export function outerRowsOf(fragments: readonly Fragment[], height: number): ReadonlyMap<Fragment, OuterRow> {
  const rows = linesOf(fragments);
  const page = { bodySize: sizeOfMostLetters(rows), leading: leadingOf(rows) };
  const found = new Map<Fragment, OuterRow>();
  for (const [at, row] of rows.entries()) {
    const fromEnd = rows.length - 1 - at;
    const isTop = at <= fromEnd;
    const depth = Math.min(at, fromEnd);
    const isOuter = isTop ? row.baseline <= MARGIN * height : row.baseline >= (1 - MARGIN) * height;
    if (depth >= OUTERMOST || !isOuter) continue;
    const inner = rows[isTop ? at + 1 : at - 1];
    const outer: OuterRow = {
      ...page,
      edge: isTop ? "top" : "bottom",
      depth,
      cells: cellsOf(row),
      gap: inner ? Math.abs(inner.baseline - row.baseline) / Math.max(row.size, inner.size) : Number.POSITIVE_INFINITY,
    };
    for (const fragment of row.fragments) found.set(fragment, outer);
  }
  return found;
}

function sizeOfMostLetters(rows: readonly Line[]): number {
  const letters = new Map<number, number>();
  for (const { size, text } of rows) letters.set(size, (letters.get(size) ?? 0) + text.length);
  return [...letters].reduce((most, one) => (one[1] > most[1] ? one : most), [0, -1])[0];
}

function leadingOf(rows: readonly Line[]): number {
  const distances = rows.slice(1).map((row, at) => (row.baseline - (rows[at]?.baseline ?? 0)) / row.size);
  return Math.min(WIDEST_LEADING, median(distances));
}

function cellsOf(row: Line): string[] {
  const cells: Fragment[][] = [];
  let right = Number.NEGATIVE_INFINITY;
  for (const fragment of row.fragments) {
    if (fragment.x - right > APART * row.size) cells.push([]);
    cells.at(-1)?.push(fragment);
    right = Math.max(right, rightOf(fragment));
  }
  return cells.map(joinFragments);
}
