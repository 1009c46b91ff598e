import type pg from "pg";
import { isDirect } from "./direct-connection.js";

/** How many statements are prepared: each takes memory on the server until its connection ends. */
const MOST_PREPARED = 400;
/** A statement that has run no more often, such as a search whose conditions always differ, is not worth preparing. */
const ASKED_BEFORE = 5;
/** Characters; longer ones are filters with many conditions, whose plans take megabytes each. */
const LONGEST_PREPARED = 10_000;
/** How many statements have their runs counted; beyond that, counting starts over. */
const COUNTED = 2_000;

/** Statements for which preparing helps; `begin`, `set` and the like have no plan. */
const PREPARABLE = /^\s*(?:select|with|insert|update|delete)\b/i;
/** A later version that migrates while this one still runs may add columns, and a prepared `select *` would then fail. */
const ALL_COLUMNS = /[\s.]\*\s*(?:,|from\b|$)/i;

/** Connections not shared through a pooler, so that a prepared statement is still there the next time. */
const own = new WeakSet<Connection>();
const names = new Map<string, string>();
const asked = new Map<string, number>();

type Connection = Pick<pg.ClientBase, "query">;

/**
 * Sets up a new connection. Await it before the connection runs anything else.
 * @param settings `set` statements to begin with
 */
export async function beginSession(client: Connection, settings: string): Promise<void> {
  await client.query(settings);
  if (await isDirect(client)) own.add(client);
}

/**
 * The name to prepare a statement under; undefined to have it parsed each time.
 * @param statement in PostgreSQL's dialect
 */
export function preparedName(client: Connection, statement: string): string | undefined {
  if (!own.has(client) || statement.length > LONGEST_PREPARED) return undefined;
  return names.get(statement) ?? nameOfFrequent(statement);
}

function nameOfFrequent(statement: string): string | undefined {
  if (names.size >= MOST_PREPARED) return undefined;
  const times = (asked.get(statement) ?? 0) + 1;
  if (times <= ASKED_BEFORE || !PREPARABLE.test(statement) || ALL_COLUMNS.test(statement)) {
    if (asked.size >= COUNTED) asked.clear();
    asked.set(statement, times);
    return undefined;
  }
  asked.delete(statement);
  const name = `recollect_${names.size}`;
  names.set(statement, name);
  return name;
}
