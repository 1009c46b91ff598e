import type { SqliteConnection, SqliteValue } from "../../lib/sqlite.js";

/**
 * The first value of a query, without a prepared statement: those live until they are garbage-collected, and keep a closed file
 * open that long.
 */
export function readValue(connection: SqliteConnection, expression: string, source: string): SqliteValue | undefined {
  let found: SqliteValue | undefined;
  connection.function("read_value", { deterministic: false }, (value) => {
    found = value;
    return null;
  });
  connection.exec(`select read_value(value) from (select ${expression} as value from ${source} limit 1)`);
  return found;
}
