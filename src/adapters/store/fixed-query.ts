import { CompiledQuery, type Kysely } from "kysely";
import { executorOf } from "./record-executor.js";
import type { Database } from "./schema.js";

/** What a statement has besides text and parameters; only Kysely plugins look at it. */
const ANY: CompiledQuery<never> = CompiledQuery.raw("");

/**
 * Rows of a constant statement, for what every search asks: building such a statement anew costs more than running it. The
 * caller names the columns as it reads them. Write a limit that is a parameter as `limit ? + 0`: SQLite would replan a bare one
 * every time.
 */
export async function readRows<Row>(
  db: Kysely<Database>,
  statement: string,
  parameters: readonly Value[] = [],
): Promise<Row[]> {
  const { rows } = await db.getExecutor().executeQuery<Row>({ ...ANY, sql: statement, parameters });
  return rows;
}

/** Runs a constant statement that writes and returns no rows, as `RecordExecutor.executeWrite` describes. */
export async function writeRows(
  db: Kysely<Database>,
  statement: string,
  parameters: readonly Value[] = [],
): Promise<void> {
  await executorOf(db).executeWrite({ ...ANY, sql: statement, parameters });
}

/**
 * The same for queries repeated with the same parameters: cached until somebody writes to the store. All callers share the rows,
 * so do not change them.
 */
export async function readSteadyRows<Row>(
  db: Kysely<Database>,
  statement: string,
  parameters: readonly (string | number)[],
): Promise<readonly Readonly<Row>[]> {
  const { rows } = await executorOf(db).executeCached<Row>({ ...ANY, sql: statement, parameters });
  return rows;
}

/** The list that a constant statement returns as one JSON text, in a column `packed`. */
export async function readPacked<Item>(
  db: Kysely<Database>,
  statement: string,
  parameters: readonly (string | number)[],
): Promise<Item[]> {
  const [row] = await readRows<{ packed: string }>(db, statement, parameters);
  return JSON.parse(row?.packed ?? "[]") as Item[];
}

/** A parameter's value. */
export type Value = string | number | null | Uint8Array;

/** Stands for a parameter in a query that is built before its parameters are known. */
class Slot {
  readonly place: number;

  constructor(place: number) {
    this.place = place;
  }
}

/** Returns the placeholder for the parameter at a position, from 0. */
export type SlotAt = <T extends Value>(place: number) => T;

export type FixedQuery<Row> = (db: Kysely<Database>, ...parameters: readonly Value[]) => Promise<Row[]>;

/**
 * A Kysely query that is built once, at the first call. Its text must not depend on its parameters: they go where `slot` stands.
 */
export function fixedQuery<Row>(
  build: (db: Kysely<Database>, slot: SlotAt) => { compile(db: Kysely<Database>): CompiledQuery<Row> },
): FixedQuery<Row> {
  let compiled: CompiledQuery<Row> | undefined;
  // Kysely passes parameters on unchanged, whatever they are.
  const slot: SlotAt = (place) => new Slot(place) as never;
  return async (db, ...parameters) => {
    compiled ??= build(db, slot).compile(db);
    const values = compiled.parameters.map((value) =>
      value instanceof Slot ? (parameters[value.place] ?? null) : value,
    );
    const { rows } = await db.getExecutor().executeQuery<Row>({ ...compiled, parameters: values });
    return rows;
  };
}
