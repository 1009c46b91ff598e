import type { SqliteConnection } from "../../src/lib/sqlite.js";

/** Characters of various lengths in bytes, syntax characters of other programs, and invisible characters. */
const ODD = "é 日本 🜁 'quote\" \\back\\slash {brace,} %s $1 \t\r\n\u0001 \u{10ffff} NULL \u{feff}";

interface ColumnInfo {
  readonly name: string;
  readonly type: string;
  readonly pk: number;
  readonly nullable: number;
}

/** Writes some rows with odd values into every empty table of a store, based only on its columns. */
export function fillEmptyTables(store: SqliteConnection, rowsPerTable: number): void {
  const tables = store
    .prepare(
      `select name from sqlite_schema where type = 'table' and name not like 'sqlite\\_%' escape '\\'
        and name not like 'text\\_index%' escape '\\' and name not in ('metadata_values', 'word_splitting')`,
    )
    .all() as { name: string }[];
  for (const { name } of tables) {
    const [found] = store.prepare(`select count(*) as n from "${name}"`).all() as { n: number }[];
    if (found?.n === 0) fill(store, name, rowsPerTable);
  }
}

function fill(store: SqliteConnection, table: string, rows: number): void {
  const columns = store
    .prepare(`select name, lower(type) as type, pk, not "notnull" as nullable from pragma_table_info('${table}')`)
    .all() as ColumnInfo[];
  const insertion = store.prepare(`insert into "${table}" values (${columns.map(() => "?").join(", ")})`);
  store.exec("begin");
  for (let row = 1; row <= rows; row += 1) insertion.run(...columns.map((column) => valueOf(column, row)));
  store.exec("commit");
}

function valueOf({ name, type, pk, nullable }: ColumnInfo, row: number): string | number | Uint8Array | null {
  // A third of the optional values are missing.
  if (nullable === 1 && pk === 0 && row % 3 === 0) return null;
  if (type === "integer") return row;
  if (type === "real") return row / 3 + 1e-9;
  if (type === "blob") return Buffer.from([0, 255, row % 256, 39, 92]);
  return `${name} ${ODD} ${row}`;
}
