import pg from "pg";
import { loadSqlite, type SqliteConnection, type SqliteValue } from "../../src/lib/sqlite.js";

/** All rows of a record by table name, each as one line with column names, sorted. */
export type RecordRows = Readonly<Record<string, readonly string[]>>;

/** Tables whose form differs between databases, and those that only one of them writes. */
const OWN = /^(?:sqlite_|text_index|word_splitting|schema_versions|attempt_counts|moved_words)/;

/** Read independently of the program's own readers: texts as bytes. */
export async function rowsOfStore(file: string): Promise<RecordRows> {
  return withStore(file, (store) => {
    const tables = all<{ name: string }>(store, "select name from sqlite_schema where type = 'table' order by name")
      .map(({ name }) => name)
      .filter((name) => !OWN.test(name));
    return Object.fromEntries(tables.map((name) => [name, linesOf(name, tableRows(store, name))]));
  });
}

export async function withStore<T>(file: string, work: (store: SqliteConnection) => T): Promise<T> {
  const { DatabaseSync } = await loadSqlite();
  const store = new DatabaseSync(file, { timeout: 5_000 });
  try {
    return work(store);
  } finally {
    store.close();
  }
}

export async function rowsOfDatabase(url: string): Promise<RecordRows> {
  return withDatabase(url, async (client) => {
    const { rows: tables } = await client.query<{ name: string }>(
      "select table_name as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE' order by 1",
    );
    const found: [string, string[]][] = [];
    for (const { name } of tables.filter((table) => !OWN.test(table.name))) {
      const { rows } = await client.query<Record<string, unknown>>(`select * from "${name}"`);
      found.push([name, linesOf(name, rows)]);
    }
    return Object.fromEntries(found);
  });
}

export async function withDatabase<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

function tableRows(store: SqliteConnection, table: string): Record<string, unknown>[] {
  const columns = all<{ name: string; type: string }>(
    store,
    `select name, lower(type) as type from pragma_table_info('${table}')`,
  );
  const selected = columns.map(({ name, type }) =>
    type === "text" ? `cast("${name}" as blob) as "${name}"` : `"${name}"`,
  );
  if (table === "connections" || table === "sync_runs") selected.push("rowid");
  const isText = new Set(columns.filter(({ type }) => type === "text").map(({ name }) => name));
  return all<Record<string, SqliteValue>>(store, `select ${selected.join(", ")} from "${table}"`).map((row) =>
    Object.fromEntries(
      Object.entries(row).map(([name, value]) => [
        name,
        isText.has(name) && value instanceof Uint8Array ? Buffer.from(value).toString("utf8") : value,
      ]),
    ),
  );
}

function all<Row>(store: SqliteConnection, statement: string): Row[] {
  return store.prepare(statement).all() as Row[];
}

/** The note about a move is specific to its database. */
function linesOf(table: string, rows: readonly Readonly<Record<string, unknown>>[]): string[] {
  return rows
    .filter((row) => table !== "meta" || row["key"] !== "move")
    .map((row) =>
      JSON.stringify(
        Object.keys(row)
          .toSorted()
          .map((name) => [name, written(row[name])]),
      ),
    )
    .toSorted();
}

function written(value: unknown): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value).toString("hex");
  return typeof value === "number" ? value.toString() : value;
}
