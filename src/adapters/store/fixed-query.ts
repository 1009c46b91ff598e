import { CompiledQuery, type Kysely } from "kysely";
import type { Database } from "./schema.js";

/**
 * Rows of a statement that is always the same, for what every search asks: to put such a statement together anew costs more
 * than to run it. The caller names the columns as it reads them.
 */
export async function readRows<Row>(
  db: Kysely<Database>,
  statement: string,
  parameters: readonly (string | number)[] = [],
): Promise<Row[]> {
  const { rows } = await db.executeQuery(CompiledQuery.raw(statement, [...parameters]));
  return rows as Row[];
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
