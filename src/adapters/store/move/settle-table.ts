import { AppError } from "../../../core/errors.js";
import type { SourceSide, TargetSide } from "./record-side.js";
import { createRowDigest, digestOf } from "./row-digest.js";
import { keyOf, type KeyRange, rowsAtOnce, type TableShape } from "./table-shape.js";

/** What is known of a table that is the same on both sides. */
export interface SettledTable {
  readonly name: string;
  readonly rows: number;
  /** Digest of all its rows in order, in hexadecimal digits. */
  readonly sha256: string;
  /** Rows in which a text had characters that PostgreSQL cannot hold. */
  readonly replaced: number;
}

export interface BothSides {
  readonly source: SourceSide;
  readonly target: TargetSide;
  readonly signal: AbortSignal;
  /** Called with the number of rows just written. */
  readonly written: (rows: number) => void;
}

interface Comparison extends SettledTable {
  readonly differing: readonly KeyRange[];
}

const WHOLE: KeyRange = { after: null, upTo: null };

/**
 * Makes a target table equal to a snapshot of the source; equal rows stay. All differing rows are deleted before any are
 * inserted, so that no row conflicts with another over a unique value.
 */
export async function copyTable(sides: BothSides, table: TableShape): Promise<void> {
  await sides.source.steadily(async () => {
    const isEmpty = (await sides.target.read(table, WHOLE, 1)).rows.length === 0;
    const differing = isEmpty ? [WHOLE] : (await compare(sides, table)).differing;
    await replaceRanges(sides, table, differing);
  });
}

/**
 * The same for a source that nobody writes to; reads the target's rows back and compares them with the source's.
 * @throws AppError `internal` where they still differ
 */
export async function settleTable(sides: BothSides, table: TableShape): Promise<SettledTable> {
  const { source, target } = sides;
  return source.steadily(async () => {
    const first = await compare(sides, table);
    await replaceRanges(sides, table, first.differing);
    const { differing, ...settled } = first.differing.length === 0 ? first : await compare(sides, table);
    if (differing.length > 0) throw unequal(table, target.place);
    return settled;
  });
}

async function compare({ source, target, signal }: BothSides, table: TableShape): Promise<Comparison> {
  const limit = rowsAtOnce(table);
  const digest = createRowDigest();
  const differing: KeyRange[] = [];
  let isDiffering = false;
  let count = 0;
  let allReplaced = 0;
  for (let after: KeyRange["after"] = null; ;) {
    signal.throwIfAborted();
    const { rows, replaced } = await source.read(table, { after, upTo: null }, limit);
    const last = rows.length < limit ? undefined : rows.at(-1);
    const range: KeyRange = { after, upTo: last === undefined ? null : keyOf(table, last) };
    const theirs = await target.read(table, range, limit + 1);
    if (rows.length !== theirs.rows.length || digestOf(rows) !== digestOf(theirs.rows)) {
      // A range also takes in the one before it, if that differs too.
      const before = isDiffering ? differing.pop() : undefined;
      differing.push({ after: before === undefined ? after : before.after, upTo: range.upTo });
      isDiffering = true;
    } else isDiffering = false;
    digest.add(theirs.rows);
    count += theirs.rows.length;
    allReplaced += replaced;
    if (range.upTo === null) break;
    after = range.upTo;
  }
  return { name: table.name, rows: count, sha256: digest.end(), replaced: allReplaced, differing };
}

async function replaceRanges(
  { source, target, signal, written }: BothSides,
  table: TableShape,
  ranges: readonly KeyRange[],
): Promise<void> {
  for (const range of ranges) await target.remove(table, range);
  for (const range of ranges)
    for (let after = range.after; ;) {
      signal.throwIfAborted();
      const { rows } = await source.read(table, { after, upTo: range.upTo }, rowsAtOnce(table));
      const last = rows.at(-1);
      if (last === undefined) break;
      await target.insert(table, rows);
      written(rows.length);
      after = keyOf(table, last);
    }
}

function unequal({ name }: TableShape, place: string): AppError {
  return new AppError(
    "internal",
    `The table ${name} was copied to ${place}, but its rows there differ from the source. The source was not changed and remains the record. Move again; if this happens again, report it.`,
  );
}
