import { type Kysely, type RawBuilder, sql } from "kysely";
import type { FilterExpression } from "../../core/types.js";
import { documentFilterSql, memoryFilterSql } from "./filters.js";
import { fixedQuery } from "./fixed-query.js";
import { listParameter } from "./json.js";
import { executorOf } from "./record-executor.js";
import type { Database } from "./schema.js";
import { Slices } from "./slices.js";

interface Filtering {
  readonly filters: FilterExpression;
  /** As `SlicedRead` has it. */
  readonly scope: string;
  /** Stops when so many are found. */
  readonly most?: number;
}

/** Those of these documents, as `seq`, whose metadata satisfies a filter; in the same order. */
export function filterDocuments(
  db: Kysely<Database>,
  seqs: readonly number[],
  filtering: Filtering,
): Promise<number[]> {
  const condition = documentFilterSql(executorOf(db).database, filtering.filters, sql`documents.metadata`);
  return filterRows(db, seqs, { ...filtering, table: sql.table("documents"), condition });
}

/** The same for memories. */
export function filterMemories(db: Kysely<Database>, seqs: readonly number[], filtering: Filtering): Promise<number[]> {
  const condition = memoryFilterSql(executorOf(db).database, filtering.filters);
  return filterRows(db, seqs, { ...filtering, table: sql.table("memories"), condition });
}

function filterRows(
  db: Kysely<Database>,
  seqs: readonly number[],
  {
    scope,
    most,
    table,
    condition,
  }: Filtering & { readonly table: RawBuilder<unknown>; readonly condition: RawBuilder<boolean> },
): Promise<number[]> {
  const select = fixedQuery<{ seq: number }>(
    (_, slot) => sql`select ${table}.seq as seq from json_each(${slot(0)}) wanted
      cross join ${table} on ${table}.seq = cast(wanted.value as bigint) where ${condition}`,
  );
  const look = async (db: Kysely<Database>, some: readonly number[]): Promise<number[]> => {
    const rows = await select(db, listParameter(some));
    return rows.map(({ seq }) => seq);
  };
  return new Slices(db, scope).among(seqs, look, most);
}
