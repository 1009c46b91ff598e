import { loadSqlite, type SqliteConnection } from "../../src/lib/sqlite.js";

/** Opens a SQLite file beside the store that has it open. */
export async function openDatabase(file: string, options: { readOnly?: boolean } = {}): Promise<SqliteConnection> {
  const { DatabaseSync } = await loadSqlite();
  return new DatabaseSync(file, options);
}

/** Every row of every table, and every word of the text index with the rows it stands in, as text. */
export async function dumpDatabase(file: string): Promise<string> {
  const connection = await openDatabase(file, { readOnly: true });
  try {
    const rowsOf = (sql: string): unknown[] => connection.prepare(sql).all();
    const tables = rowsOf(
      "select name from sqlite_schema where type = 'table' and name not like 'text_index%' and name not like 'sqlite_%'",
    ) as { name: string }[];
    const parts = tables.map(({ name }) => `${name}: ${JSON.stringify(rowsOf(`select * from ${name}`))}`);
    connection.exec("create virtual table temp.words using fts5vocab(main, text_index, instance)");
    parts.push(`text_index: ${JSON.stringify(rowsOf("select term, doc, col from temp.words"))}`);
    parts.push(`text_index_docsize: ${JSON.stringify(rowsOf("select id from text_index_docsize"))}`);
    return parts.join("\n");
  } finally {
    connection.close();
  }
}
