import { AppError } from "../../../core/errors.js";

/** What a column holds, by the names of SQLite's types. */
export type ColumnKind = "integer" | "real" | "text" | "blob";

export interface Column {
  readonly name: string;
  readonly kind: ColumnKind;
}

/** A table as both databases have it. */
export interface TableShape {
  readonly name: string;
  readonly columns: readonly Column[];
  /** Names of the primary key's columns, in order. */
  readonly key: readonly string[];
  /** The column that the database numbers itself; null where there is none. */
  readonly counted: string | null;
}

export type MovedValue = string | number | null | Uint8Array;
/** Values in column order. */
export type Row = readonly MovedValue[];
/** Values in key order. */
export type Key = readonly MovedValue[];

/** Rows after one key up to and including another; null for no bound. */
export interface KeyRange {
  readonly after: Key | null;
  readonly upTo: Key | null;
}

/** Where the move notes what it has written of the text index; only the target has it. */
export const INDEXED_TABLE = "moved_words";

/** The row of `meta` about a move; it belongs to its database and is not moved. */
export const NOTE_KEY = "move";

/**
 * Tables that each database keeps for itself: filled by triggers, derived from texts, set by the schema version, or temporary.
 */
const DERIVED = new Set([
  "metadata_values",
  "text_index",
  "word_splitting",
  "schema_versions",
  "attempt_counts",
  INDEXED_TABLE,
]);

/** Precede what their triggers write to, the links of memories. `meta` says whose record it is, so it comes first. */
const FIRST = ["meta", "containers", "documents", "memories"];

/** Rows of these tables hold whole texts or files, so only a few are held in memory at once. */
const LARGE_ROWS = new Set(["documents", "document_revisions", "message_pictures", "document_readings"]);
const ROWS_AT_ONCE = 1_000;
const LARGE_ROWS_AT_ONCE = 16;

/** How many rows of a table are read, compared and written together. */
export function rowsAtOnce({ name }: TableShape): number {
  return LARGE_ROWS.has(name) ? LARGE_ROWS_AT_ONCE : ROWS_AT_ONCE;
}

/** The condition on which rows are moved, to append to another, for both databases. */
export function onlyMoved({ name }: TableShape): string {
  return name === "meta" ? `and key <> '${NOTE_KEY}'` : "";
}

export function keyOf({ columns, key }: TableShape, row: Row): Key {
  return key.map((name) => row[columns.findIndex((column) => column.name === name)] ?? null);
}

/**
 * The tables that are moved, in the order in which they are written.
 * @throws AppError `internal` where the databases differ in a table, as after a migration of only one of them
 */
export function sharedTables(source: readonly TableShape[], target: readonly TableShape[]): TableShape[] {
  const theirs = new Map(target.map((table) => [table.name, table]));
  const moved = source.filter(({ name }) => !DERIVED.has(name));
  const names = new Set(moved.map(({ name }) => name));
  const unknown = target.find(({ name }) => !names.has(name) && !DERIVED.has(name));
  if (unknown) throw differing(unknown.name);
  return moved
    .map((table) => sharedTable(table, theirs.get(table.name)))
    .toSorted((a, b) => placeOf(a.name) - placeOf(b.name) || (a.name < b.name ? -1 : 1));
}

function placeOf(name: string): number {
  const place = FIRST.indexOf(name);
  return place < 0 ? FIRST.length : place;
}

/** SQLite numbers the rows of every table; the numbers are moved where PostgreSQL has a column for them. */
function sharedTable(mine: TableShape, theirs: TableShape | undefined): TableShape {
  if (theirs === undefined) throw differing(mine.name);
  const kinds = new Map(theirs.columns.map(({ name, kind }) => [name, kind]));
  const columns = mine.columns.filter(({ name }) => name !== "rowid" || kinds.has(name));
  const known = theirs.columns.filter(({ name }) => name !== "rowid" || columns.some((column) => column.name === name));
  const isSame =
    columns.length === known.length &&
    columns.every(({ name, kind }) => kinds.get(name) === kind) &&
    mine.key.join() === theirs.key.join();
  if (!isSame) throw differing(mine.name);
  return { ...mine, columns, counted: mine.counted ?? theirs.counted };
}

function differing(table: string): AppError {
  return new AppError(
    "internal",
    `The table ${table} is not the same in both databases, so it cannot be moved. Nothing was changed. Report this with the version of the program.`,
  );
}
