import type { CompiledQuery, QueryResult } from "kysely";
import pg from "pg";
import { describePostgresError } from "./errors.js";
import { translate } from "./translate.js";

const { builtins } = pg.types;

/** Values as the repositories expect them, which are SQLite's: numbers, text and bytes, and JSON as text. */
const PARSERS = new Map<number, (text: string) => unknown>([
  [builtins.INT8, Number],
  [builtins.NUMERIC, Number],
  [builtins.BOOL, (text) => (text === "t" ? 1 : 0)],
  [builtins.JSON, (text) => text],
  [builtins.JSONB, (text) => text],
]);

export const TYPES: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: "text" | "binary") =>
    PARSERS.get(oid) ?? pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser,
};

/** In the place of the character 0, which PostgreSQL's text cannot hold. */
const REPLACEMENT = "\uFFFD";

/** What runs a statement: the pool, or one connection of it. */
export type Runner = Pick<pg.Pool | pg.PoolClient, "query">;

/**
 * Runs a statement of SQLite's dialect.
 * @param place names the database in messages
 * @throws AppError as `describePostgresError` says
 */
export async function runOn<R>(runner: Runner, query: CompiledQuery, place: string): Promise<QueryResult<R>> {
  try {
    const { rows, rowCount, command } = await runner.query({
      text: translate(query.sql),
      values: query.parameters.map(toPostgresValue),
      types: TYPES,
    });
    const isRead = command === "SELECT" || rows.length > 0;
    return isRead ? { rows: rows as R[] } : { rows: [], numAffectedRows: BigInt(rowCount ?? 0) };
  } catch (error) {
    throw describePostgresError(error, place);
  }
}

function toPostgresValue(value: unknown): unknown {
  if (typeof value === "string") return value.replaceAll("\0", REPLACEMENT);
  if (typeof value === "boolean") return value ? 1 : 0;
  if (value instanceof Uint8Array) return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  return value;
}
