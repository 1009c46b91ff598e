import type { CompiledQuery, QueryResult } from "kysely";
import pg from "pg";
import { describePostgresError } from "./errors.js";
import { preparedName } from "./prepared.js";
import { translate } from "./translate.js";

const { builtins } = pg.types;

/** Values as the repositories expect them from SQLite: numbers, text and bytes, with JSON as text. */
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

/** Replaces the character 0, which PostgreSQL's text cannot hold. */
const REPLACEMENT = "\uFFFD";

/**
 * Runs a statement in SQLite's dialect on one connection.
 * @param place names the database in messages
 * @throws AppError as `describePostgresError` says
 */
export async function runOn<R>(client: pg.ClientBase, query: CompiledQuery, place: string): Promise<QueryResult<R>> {
  try {
    const text = translate(query.sql);
    const name = preparedName(client, text);
    const { rows, rowCount, command } = await client.query({
      text,
      ...(name !== undefined && { name }),
      values: query.parameters.map(toPostgresValue),
      types: TYPES,
    });
    const isRead = command === "SELECT" || rows.length > 0;
    return isRead ? { rows: rows as R[] } : { rows: [], numAffectedRows: BigInt(rowCount ?? 0) };
  } catch (error) {
    throw describePostgresError(error, place);
  }
}

/** The same on any connection of a pool, which closes a connection that fails. */
export async function runOnAny<R>(pool: pg.Pool, query: CompiledQuery, place: string): Promise<QueryResult<R>> {
  const client = await pool.connect().catch((error: unknown) => {
    throw describePostgresError(error, place);
  });
  let isBroken = true;
  try {
    const result = await runOn<R>(client, query, place);
    isBroken = false;
    return result;
  } finally {
    client.release(isBroken);
  }
}

function toPostgresValue(value: unknown): unknown {
  if (typeof value === "string") return value.replaceAll("\0", REPLACEMENT);
  if (typeof value === "boolean") return value ? 1 : 0;
  if (value instanceof Uint8Array) return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  return value;
}
