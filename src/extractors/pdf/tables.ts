import { median, type Fragment, type Line } from "./fragment.js";
import { common, gapsOf, innerGapsOf, isInner, type Interval } from "./gaps.js";
import { areJustified } from "./justified.js";
import { joinFragments } from "./lines.js";

/** A table in a region, with the same number of cells in every row. */
export interface PdfTable {
  /** Index of its first line in the region, followed by the number of lines. */
  readonly first: number;
  readonly count: number;
  readonly rows: readonly (readonly string[])[];
}

/** Lengths are relative to the font size. */
const WIDE_GAP = 0.9;
const NARROWEST_CORRIDOR = 0.3;
const USUAL_SPACE = 0.28;
const SAME_EDGE = 0.1;
/** Lines further apart do not belong together. */
const FARTHEST_LINES = 3;
const FEWEST_ROWS = 3;
/** Maximum ratio between the spaces of a line. */
const AS_WIDE = 1.15;

const BULLET_OR_NUMBER = /^(?:[^\p{L}\p{N}#]|\(?\p{L}[.)]|\(?\d{1,3}[.)])$/u;

/** Finds tables among the lines of a region: at least three rows with aligned cells and gaps between them. */
export function findTables(lines: readonly Line[]): PdfTable[] {
  const tables: PdfTable[] = [];
  for (let at = 0; at < lines.length;) {
    const table = tableAt(lines, at);
    if (table) tables.push(table);
    at = table ? table.first + table.count : at + 1;
  }
  return tables;
}

function tableAt(lines: readonly Line[], first: number): PdfTable | null {
  const start = lines[first];
  if (!start || !hasCells(start) || isItem(start)) return null;
  const { corridors, count } = followCorridors(lines, first);
  const own = lines.slice(first, first + count);
  const separating = corridors.filter((corridor) => separates(corridor, own));
  const ends = separating.map(({ to }) => to);
  if (!areAligned(separating, own) && areJustified(own.filter(hasCells), lines[first + count])) return null;
  const [skipped, end] = withoutLinesOfText(own, ends);
  const rows = rowsOf(own.slice(skipped, end), ends);
  return isTable(rows) ? { first: first + skipped, count: end - skipped, rows } : null;
}

/** Whether a line is just a list item: a table may be below it. */
function isItem(line: Line): boolean {
  const [gap, ...others] = innerGapsOf(line).filter(({ from, to }) => to - from >= WIDE_GAP * line.size);
  const [mark = ""] = gap && others.length === 0 ? cellsOf(line, [gap.to]) : [];
  return BULLET_OR_NUMBER.test(mark);
}

/** Whether the text to the right of some corridor starts at the same position on all lines. */
function areAligned(corridors: readonly Interval[], lines: readonly Line[]): boolean {
  return corridors.some(({ to }) =>
    lines.every((line) => {
      const gap = innerGapsOf(line).find((one) => one.from < to && one.to >= to);
      return !gap || gap.to - to <= SAME_EDGE * line.size;
    }),
  );
}

/** Trims lines above and below the table that are mere text, such as a list. */
function withoutLinesOfText(lines: readonly Line[], ends: readonly number[]): [first: number, end: number] {
  const isRow = (line: Line) => cellsOf(line, ends).some((cell, at) => at > 0 && cell !== "");
  return [Math.max(0, lines.findIndex(isRow)), lines.findLastIndex(isRow) + 1];
}

/** Whether a line has a gap wide enough to separate cells. */
export function hasCells(line: Line): boolean {
  return innerGapsOf(line).some(({ from, to }) => to - from >= WIDE_GAP * line.size);
}

/** Follows the corridors that are empty on every line from the first one, as long as any remain between cells. */
function followCorridors(lines: readonly Line[], first: number): { corridors: Interval[]; count: number } {
  let corridors: Interval[] = [];
  let last = first - 1;
  let open: Interval[] = [{ from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY }];
  let before: Line | undefined;
  for (let at = first; at < lines.length; at += 1) {
    const line = lines[at];
    if (!line || (before && line.baseline - before.baseline > FARTHEST_LINES * line.size)) break;
    open = common(open, gapsOf(line), NARROWEST_CORRIDOR * line.size);
    const inner = open.filter(isInner);
    const isLost = corridors.some((corridor) => isCrossed(corridor, line, inner));
    if (inner.length === 0 || (isLost && (!hasCells(line) || at - first >= FEWEST_ROWS))) break;
    corridors = inner;
    before = line;
    if (hasCells(line) || continues(lines, at)) last = at;
  }
  return { corridors, count: last - first + 1 };
}

/** Whether the line blocks a corridor completely, or leaves only an ordinary space of its text there. */
function isCrossed(corridor: Interval, line: Line, left: readonly Interval[]): boolean {
  const kept = left.find(({ from, to }) => from < corridor.to && to > corridor.from);
  if (!kept) return true;
  const gaps = innerGapsOf(line);
  const own = gaps.find(({ from, to }) => from <= kept.from && to >= kept.to);
  if (!own || hasCells(line)) return false;
  const spaces = gaps.flatMap((gap) => (gap === own ? [] : [gap.to - gap.from]));
  return own.to - own.from <= AS_WIDE * Math.max(USUAL_SPACE * line.size, ...spaces);
}

/** Whether a line continues the row above it. */
function continues(lines: readonly Line[], at: number): boolean {
  const line = lines[at];
  const above = lines[at - 1];
  const below = lines[at + 1];
  if (!line || !above) return false;
  const distance = line.baseline - above.baseline;
  return distance <= 1.4 * line.size && (!below || below.baseline - line.baseline > 1.1 * distance);
}

/** Whether most lines have a real gap at a corridor, rather than a space between words by chance. */
function separates(corridor: Interval, lines: readonly Line[]): boolean {
  const gaps = lines.flatMap((line) => {
    const gap = gapsOf(line).find(({ from, to }) => from <= corridor.from && to >= corridor.to);
    return gap && Number.isFinite(gap.to - gap.from) ? [(gap.to - gap.from) / line.size] : [];
  });
  return gaps.length >= 2 && median(gaps) >= 0.8;
}

function rowsOf(lines: readonly Line[], ends: readonly number[]): string[][] {
  const rows: string[][] = [];
  let before: Line | undefined;
  for (const line of lines) {
    const cells = cellsOf(line, ends);
    const row = rows.at(-1);
    if (row && before && isContinuation(cells, row, line.baseline - before.baseline, line.size))
      cells.forEach((cell, at) => (row[at] = `${row[at] ?? ""} ${cell}`.trim()));
    else rows.push(cells);
    before = line;
  }
  return rows;
}

function cellsOf(line: Line, ends: readonly number[]): string[] {
  const cells: Fragment[][] = Array.from({ length: ends.length + 1 }, () => []);
  for (const fragment of line.fragments) {
    const column = ends.filter((end) => fragment.x + 0.01 >= end).length;
    cells[column]?.push(fragment);
  }
  return cells.map(joinFragments);
}

/** A wrapped cell leaves the other cells of its row empty, especially the first. */
function isContinuation(cells: readonly string[], above: readonly string[], distance: number, size: number): boolean {
  const filled = cells.filter((cell) => cell !== "");
  if (distance > 1.4 * size) return false;
  if (cells[0] === "") return filled.length * 2 <= cells.length;
  return filled.length === 1 && cells.length > 2 && (above[0] ?? "").includes(" ");
}

const LEADER = /(?:\. ?){4}|…{2}/;

function isTable(rows: readonly (readonly string[])[]): boolean {
  if (rows.length < FEWEST_ROWS || (rows[0]?.length ?? 0) < 2) return false;
  const full = rows.filter((row) => row.filter((cell) => cell !== "").length >= 2);
  const isList = rows.every(([first = ""]) => first === "" || BULLET_OR_NUMBER.test(first));
  const hasLeaders = rows.filter((row) => row.some((cell) => LEADER.test(cell))).length * 2 > rows.length;
  return full.length >= FEWEST_ROWS && full.length >= 0.6 * rows.length && !isList && !hasLeaders;
}
