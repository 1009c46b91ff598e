import { type Compilable, CompiledQuery, type Kysely } from "kysely";
import { executorOf } from "./record-executor.js";
import type { Database } from "./schema.js";

/** What a statement has besides its text and its parameters; only plugins of Kysely ask for that. */
const ANY: CompiledQuery<never> = CompiledQuery.raw("");

/**
 * Rows of a statement that is always the same, for what every search asks: to put such a statement together anew costs more
 * than to run it. The caller names the columns as it reads them. A limit that is a parameter is written `limit ? + 0`: of a
 * bare one SQLite plans the statement anew each time.
 */
export async function readRows<Row>(
  db: Kysely<Database>,
  statement: string,
  parameters: readonly Value[] = [],
): Promise<Row[]> {
  const { rows } = await db.getExecutor().executeQuery<Row>({ ...ANY, sql: statement, parameters });
  return rows;
}

/** Runs such a statement that writes and returns no rows, as `RecordExecutor.executeWrite` says. */
export async function writeRows(
  db: Kysely<Database>,
  statement: string,
  parameters: readonly Value[] = [],
): Promise<void> {
  await executorOf(db).executeWrite({ ...ANY, sql: statement, parameters });
}

/**
 * The same for what is asked again and again with the same parameters: remembered for as long as nobody writes to the store.
 * The rows belong to all who ask.
 */
export async function readSteadyRows<Row>(
  db: Kysely<Database>,
  statement: string,
  parameters: readonly (string | number)[],
): Promise<readonly Readonly<Row>[]> {
  const { rows } = await executorOf(db).executeCached<Row>({ ...ANY, sql: statement, parameters });
  return rows;
}

/** The list that such a statement gives as one JSON text, in a column `packed`. */
export async function readPacked<Item>(
  db: Kysely<Database>,
  statement: string,
  parameters: readonly (string | number)[],
): Promise<Item[]> {
  const [row] = await readRows<{ packed: string }>(db, statement, parameters);
  return JSON.parse(row?.packed ?? "[]") as Item[];
}

/** What stands for a parameter. */
export type Value = string | number | null | Uint8Array;

/** Stands for a parameter in a query that is put together before its parameters are known. */
class Slot {
  readonly place: number;

  constructor(place: number) {
    this.place = place;
  }
}

/** Gives what stands for the parameter at a place, from 0. */
export type SlotAt = <T extends Value>(place: number) => T;

/**
 * A query of Kysely that is put together once, at the first call. Its text must not depend on its parameters: they go where
 * `slot` stands.
 */
export function fixedQuery<Row>(
  build: (db: Kysely<Database>, slot: SlotAt) => Compilable<Row>,
): (db: Kysely<Database>, ...parameters: readonly Value[]) => Promise<Row[]> {
  let compiled: CompiledQuery<Row> | undefined;
  // Kysely hands parameters on as they are, whatever they are.
  const slot: SlotAt = (place) => new Slot(place) as never;
  return async (db, ...parameters) => {
    compiled ??= build(db, slot).compile();
    const values = compiled.parameters.map((value) =>
      value instanceof Slot ? (parameters[value.place] ?? null) : value,
    );
    const { rows } = await db.getExecutor().executeQuery<Row>({ ...compiled, parameters: values });
    return rows;
  };
}
