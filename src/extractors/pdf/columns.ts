import { median, rightOf, type Fragment, type Line } from "./fragment.js";
import { linesOf } from "./lines.js";
import { hasCells } from "./tables.js";

/** Nesting of columns; at most four can be side by side. */
const DEEPEST = 3;
/** Minimum gap between columns, relative to the font size. */
const GUTTER = 0.7;
/** Number of candidate positions for the start of a column that are tried. */
const TRIED_EDGES = 12;
/** Fewer adjacent lines do not form columns. */
const FEWEST_LINES = 3;
/** Minimum number of letters in a column's typical line; shorter ones are table cells. */
const FEWEST_LETTERS = 12;

/** Maximum line spacing of table rows next to prose, relative to their font size. */
const CLOSE_ROWS = 2.5;
const FEWEST_LINES_OF_PROSE = 6;

interface Gutter {
  readonly from: number;
  readonly to: number;
}

/** Consecutive rows that all leave the gutter free, or all cross it. */
interface Band {
  readonly rows: readonly Line[];
  readonly isSplit: boolean;
}

/** The lines of a page in regions, in reading order: text in two columns is not read across. */
export function regionsOf(fragments: readonly Fragment[], depth = 0): Line[][] {
  const rows = linesOf(fragments);
  const found = depth < DEEPEST ? findColumns(rows) : null;
  if (found === null) return [rows];
  return found.bands.flatMap((band) => {
    // Above and below, the page may have other columns.
    if (!band.isSplit)
      return regionsOf(
        band.rows.flatMap((row) => row.fragments),
        depth + 1,
      );
    const { left, right } = sidesOf(band.rows, found.gutter);
    return [...regionsOf(left, depth + 1), ...regionsOf(right, depth + 1)];
  });
}

/** The gutter with the most lines on both sides. */
function findColumns(rows: readonly Line[]): { gutter: Gutter; bands: Band[] } | null {
  const size = median(rows.map((row) => row.size));
  let best: { gutter: Gutter; bands: Band[]; lines: number } | null = null;
  for (const to of usualEdges(rows)) {
    const gutter = { from: to - GUTTER * size, to };
    const bands = bandsAt(rows, gutter);
    const lines = bands.reduce((sum, band) => sum + (band.isSplit ? band.rows.length : 0), 0);
    if (lines > (best?.lines ?? 0)) best = { gutter, bands, lines };
  }
  return best;
}

/** Where most text runs begin, except the leftmost position. */
function usualEdges(rows: readonly Line[]): number[] {
  const counts = new Map<number, { count: number; edge: number }>();
  for (const { fragments } of rows) {
    for (const { x } of fragments) {
      const slot = Math.round(x / 2);
      const known = counts.get(slot);
      counts.set(slot, { count: (known?.count ?? 0) + 1, edge: Math.min(x, known?.edge ?? x) });
    }
  }
  return [...counts.values()]
    .filter(({ count }) => count >= FEWEST_LINES)
    .toSorted((one, other) => other.count - one.count)
    .slice(0, TRIED_EDGES)
    .map(({ edge }) => edge);
}

function bandsAt(rows: readonly Line[], gutter: Gutter): Band[] {
  const bands: { rows: Line[]; isSplit: boolean }[] = [];
  let open: Line[] = [];
  const close = () => {
    const isSplit = areColumns(open, gutter);
    const last = bands.at(-1);
    // Rows that are not split stay together: they may contain a table.
    if (last && !last.isSplit && !isSplit) last.rows.push(...open);
    else if (open.length > 0) bands.push({ rows: open, isSplit });
    open = [];
  };
  let wasCrossed = false;
  for (const row of rows) {
    const isCrossed = row.fragments.some((fragment) => crosses(fragment, gutter));
    if (isCrossed !== wasCrossed) close();
    open.push(row);
    wasCrossed = isCrossed;
  }
  close();
  return bands;
}

/** Points by which letters may overlap the edge. */
const OVERHANG = 0.5;

function crosses(fragment: Fragment, { from, to }: Gutter): boolean {
  return rightOf(fragment) > from + OVERHANG && fragment.x < to - OVERHANG;
}

function sidesOf(rows: readonly Line[], { to }: Gutter): { left: Fragment[]; right: Fragment[] } {
  const all = rows.flatMap(({ fragments }) => fragments);
  const isLeft = ({ x }: Fragment) => x < to - OVERHANG;
  return { left: all.filter(isLeft), right: all.filter((fragment) => !isLeft(fragment)) };
}

/**
 * Whether the two sides are columns to be read one after the other. Programs write columns one at a time, but tables row by row;
 * columns that were written line by line are recognised by their long, full lines.
 */
function areColumns(rows: readonly Line[], gutter: Gutter): boolean {
  if (rows.length < FEWEST_LINES || rows.some(({ fragments }) => fragments.some((one) => crosses(one, gutter))))
    return false;
  const { left, right } = sidesOf(rows, gutter);
  const [leftLines, rightLines] = [linesOf(left), linesOf(right)];
  const sides = [leftLines, rightLines];
  const fewest = Math.min(leftLines.length, rightLines.length);
  if (fewest < FEWEST_LINES) return false;
  const changes = changesOfSide(left, right);
  // A footer may be written after the columns.
  const isByColumn = changes <= Math.max(fewest >= 8 ? 3 : 2, 0.2 * fewest);
  const standBeside = (prose: readonly Line[], table: readonly Line[]) =>
    isOwnTable(table) && isFull(prose) && (isByColumn || isProse(prose));
  if (standBeside(leftLines, rightLines) || standBeside(rightLines, leftLines)) return true;
  if (sides.some((lines) => usualLength(lines) < FEWEST_LETTERS)) return false;
  return isByColumn || (changes >= 1.4 * fewest && sides.every(isFull));
}

/** Whether this side is a table of its own: most lines have cells, usually too close together for wrapped prose beside them. */
function isOwnTable(lines: readonly Line[]): boolean {
  const distances = lines.slice(1).map((line, at) => (line.baseline - (lines[at]?.baseline ?? 0)) / line.size);
  return lines.filter(hasCells).length >= 0.6 * lines.length && median(distances) <= CLOSE_ROWS;
}

/** Whether most lines continue the previous one, beginning with a lower-case letter. */
function isProse(lines: readonly Line[]): boolean {
  const goingOn = lines.slice(1).filter(({ text }) => /^\p{Ll}/u.test(text));
  return lines.length >= FEWEST_LINES_OF_PROSE && goingOn.length >= 0.7 * (lines.length - 1);
}

function usualLength(lines: readonly Line[]): number {
  return median(lines.map(({ text }) => text.length));
}

function changesOfSide(left: readonly Fragment[], right: readonly Fragment[]): number {
  const inOrder = [
    ...left.map(({ order }) => ({ order, side: 0 })),
    ...right.map(({ order }) => ({ order, side: 1 })),
  ].toSorted((one, other) => one.order - other.order);
  return inOrder.filter(({ side }, at) => at > 0 && inOrder[at - 1]?.side !== side).length;
}

/** Prose fills the lines of its column. */
function isFull(lines: readonly Line[]): boolean {
  const left = lines.reduce((least, line) => Math.min(least, line.left), Number.POSITIVE_INFINITY);
  const right = lines.reduce((most, line) => Math.max(most, line.right), Number.NEGATIVE_INFINITY);
  const full = lines.filter((line) => line.right - left > 0.85 * (right - left));
  return full.length >= 0.6 * lines.length && usualLength(lines) >= 20;
}
