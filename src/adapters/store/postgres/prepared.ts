import type pg from "pg";
import { isDirect } from "./direct-connection.js";

/** Statements that a connection keeps at most: each takes memory of the server until the connection ends. */
const MOST_PREPARED = 400;
/** What is asked no more often, such as searches whose conditions are always others, is not worth it. */
const ASKED_BEFORE = 5;
const COUNTED = 2_000;

/** Others may be worth it as well; of these it is known. */
const PREPARABLE = /^\s*(?:select|with|insert|update|delete)\b/i;
/** A later version that migrates while this one runs beside it may add columns, and what was prepared would fail. */
const ALL_COLUMNS = /[\s.]\*\s*(?:,|from\b|$)/i;

/** Connections on which a statement is found again: nothing between lends them out. */
const own = new WeakSet<Connection>();
const names = new Map<string, string>();
const asked = new Map<string, number>();

type Connection = Pick<pg.ClientBase, "query">;

/**
 * To be awaited before anything is asked of a connection.
 * @param settings statements that set what else is wanted of it
 */
export async function beginSession(client: Connection, settings: string): Promise<void> {
  await client.query(settings);
  if (await isDirect(client)) own.add(client);
}

/**
 * The name under which a connection keeps a statement once it is parsed; undefined where it is parsed each time.
 * @param statement in PostgreSQL's dialect
 */
export function preparedName(client: Connection, statement: string): string | undefined {
  if (!own.has(client)) return undefined;
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
