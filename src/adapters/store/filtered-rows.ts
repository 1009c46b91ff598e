import { type Kysely, type RawBuilder, sql } from "kysely";
import { fixedQuery } from "./fixed-query.js";
import { listParameter } from "./json.js";
import type { Database } from "./schema.js";
import type { Slices } from "./slices.js";

interface Filtering {
  readonly table: "documents" | "memories";
  readonly condition: RawBuilder<boolean>;
  readonly slices: Slices;
}

/** Finds those of some rows, as `seq`, that satisfy a filter: the first ones, in the same order. */
export type RowFilter = (seqs: readonly number[], most?: number) => Promise<number[]>;

export function filterRows({ table, condition, slices }: Filtering): RowFilter {
  const seq = sql.ref(`${table}.seq`);
  const select = fixedQuery<{ seq: number }>(
    (_, slot) => sql`select ${seq} as seq from json_each(${slot(0)}) wanted
      cross join ${sql.table(table)} on ${seq} = cast(wanted.value as bigint) where ${condition}`,
  );
  const look = async (db: Kysely<Database>, some: readonly number[]): Promise<number[]> => {
    const rows = await select(db, listParameter(some));
    return rows.map((row) => row.seq);
  };
  return (seqs, most) => slices.among(seqs, look, most);
}

/** The rows of a list, as `seq`. @param query returns them in order, in one JSON text `packed` */
export async function readCandidates(db: Kysely<Database>, query: RawBuilder<unknown>): Promise<number[]> {
  const { rows } = await sql<{ packed: string }>`${query}`.execute(db);
  return JSON.parse(rows[0]?.packed ?? "[]") as number[];
}

/** @param seq the column of the row numbers */
export function isOneOf(seq: "documents.seq" | "memories.seq", seqs: readonly number[]): RawBuilder<boolean> {
  return sql<boolean>`${sql.ref(seq)} in (select cast(value as bigint) from json_each(${listParameter(seqs)}))`;
}
