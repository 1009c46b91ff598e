import { isUtf8 } from "node:buffer";
import { AppError } from "../../../core/errors.js";
import type { SqliteConnection, SqliteStatement, SqliteValue } from "../../../lib/sqlite.js";
import { rollBack } from "../roll-back.js";
import { describeSqliteError } from "../sqlite-errors.js";
import type { MovedStatement, ReadRows, SourceSide, TargetSide } from "./record-side.js";
import {
  type Column,
  type ColumnKind,
  INDEXED_TABLE,
  keyOf,
  type KeyRange,
  type MovedValue,
  onlyMoved,
} from "./table-shape.js";
import type { Row, TableShape } from "./table-shape.js";

const REPLACEMENT = "\uFFFD";
const TABLES = `select name, sql from sqlite_schema
  where type = 'table' and name not like 'sqlite\\_%' escape '\\' and name not like 'text\\_index%' escape '\\'
    and name <> '${INDEXED_TABLE}'`;

/**
 * A record in a SQLite file, as one side of a move.
 * @param connection is closed with it; `file` names it in messages
 */
export function createSqliteSide(connection: SqliteConnection, file: string): SourceSide & TargetSide {
  return new SqliteSide(connection, file);
}

class SqliteSide implements SourceSide, TargetSide {
  readonly database = "sqlite";
  readonly place: string;
  readonly #connection: SqliteConnection;
  #isClosed = false;
  /**
   * Resumes where the last read ended: with stale statistics, SQLite may reach a key by reading all rows before it, which should
   * happen once per table rather than once per block.
   */
  #cursor: Cursor | undefined;

  constructor(connection: SqliteConnection, file: string) {
    this.#connection = connection;
    this.place = file;
  }

  async shapes(): Promise<TableShape[]> {
    return shapesOf((statement, parameters) => this.#all(statement, parameters));
  }

  steadily<T>(work: () => Promise<T>): Promise<T> {
    return this.#begun("begin", () => work().finally(() => this.#endCursor()));
  }

  async query<R>(statement: string, parameters?: readonly MovedValue[]): Promise<R[]> {
    return this.#all(statement, parameters);
  }

  async read(table: TableShape, range: KeyRange, limit: number): Promise<ReadRows> {
    const key = JSON.stringify([table.name, range.after, range.upTo]);
    if (this.#cursor?.key !== key) {
      this.#endCursor();
      const { condition, parameters } = within(table, range);
      const statement = `select ${table.columns.map(selected).join(", ")} from "${table.name}" where ${condition}
          order by ${table.key.join(", ")}`;
      const prepared = this.#guarded(() => this.#connection.prepare(statement));
      this.#cursor = { key, prepared, rows: prepared.iterate(...parameters) };
    }
    const { rows, prepared } = this.#cursor;
    const read = readRows(
      table,
      this.#guarded(() => taken(rows, limit)),
      this.place,
    );
    const last = read.rows.at(-1);
    this.#cursor = {
      key: JSON.stringify([table.name, last === undefined ? null : keyOf(table, last), range.upTo]),
      prepared,
      rows,
    };
    if (read.rows.length < limit) this.#endCursor();
    return read;
  }

  async highest({ name, counted }: TableShape): Promise<number> {
    if (counted === null) return 0;
    const [row] = this.#all<{ highest: number | null }>(
      `select max(coalesce((select max("${counted}") from "${name}"), 0),
          coalesce((select max(seq) from sqlite_sequence where name = ?), 0)) as highest`,
      [name],
    );
    return row?.highest ?? 0;
  }

  async remove(table: TableShape, range: KeyRange): Promise<void> {
    const { condition, parameters } = within(table, range);
    this.#all(`delete from "${table.name}" where ${condition}`, parameters);
  }

  async insert({ name, columns }: TableShape, rows: readonly Row[]): Promise<void> {
    const names = columns.map((column) => `"${column.name}"`).join(", ");
    const insertion = `insert into "${name}" (${names}) values (${columns.map(() => "?").join(", ")})`;
    await this.#begun("begin immediate", () => {
      const statement = this.#connection.prepare(insertion);
      for (const row of rows) statement.run(...row);
    });
  }

  async continueAfter({ name }: TableShape, highest: number): Promise<void> {
    const [numbered] = this.#all(`select 1 from sqlite_schema where name = ? and sql like '%autoincrement%'`, [name]);
    if (numbered === undefined) return;
    await this.#begun("begin immediate", () => {
      this.#all("delete from sqlite_sequence where name = ?", [name]);
      this.#all("insert into sqlite_sequence (name, seq) values (?, ?)", [name, highest]);
    });
  }

  write(statements: readonly MovedStatement[]): Promise<void> {
    return this.#begun("begin immediate", () => {
      for (const { statement, parameters } of statements) this.#all(statement, parameters);
    });
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#endCursor();
    this.#isClosed = true;
    this.#connection.close();
  }

  /** @throws AppError as `describeSqliteError` says */
  #guarded<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw describeSqliteError(error, this.place);
    }
  }

  #all<R>(statement: string, parameters: readonly MovedValue[] = []): R[] {
    return this.#guarded(() => this.#connection.prepare(statement).all(...parameters) as R[]);
  }

  #endCursor(): void {
    this.#cursor?.rows.return?.();
    this.#cursor = undefined;
  }

  async #begun<T>(begin: string, work: () => T | Promise<T>): Promise<T> {
    this.#all(begin);
    try {
      const result = await work();
      this.#all("commit");
      return result;
    } catch (error) {
      rollBack(this.#connection);
      throw describeSqliteError(error, this.place);
    }
  }
}

interface Cursor {
  /** The table, and the keys between which it resumes. */
  readonly key: string;
  readonly rows: Iterator<unknown>;
  /** Must stay referenced: garbage collection would take the rows with it. */
  readonly prepared: SqliteStatement;
}

function taken(rows: Iterator<unknown>, limit: number): Record<string, SqliteValue>[] {
  const found: Record<string, SqliteValue>[] = [];
  while (found.length < limit) {
    const next = rows.next();
    if (next.done) break;
    found.push(next.value as Record<string, SqliteValue>);
  }
  return found;
}

function shapesOf(all: <R>(statement: string, parameters?: readonly MovedValue[]) => R[]): TableShape[] {
  return all<{ name: string; sql: string }>(TABLES).map(({ name, sql }) => {
    const columns = all<{ name: string; type: string; pk: number }>(
      "select name, lower(type) as type, pk from pragma_table_info(?)",
      [name],
    );
    const key = columns.filter(({ pk }) => pk > 0).toSorted((a, b) => a.pk - b.pk);
    const numbers: Column[] = /without rowid/i.test(sql) ? [] : [{ name: "rowid", kind: "integer" }];
    return {
      name,
      columns: [...columns.map((column) => ({ name: column.name, kind: kindOf(column.type) })), ...numbers],
      key: key.map((column) => column.name),
      counted: null,
    };
  });
}

function kindOf(type: string): ColumnKind {
  if (type === "integer" || type === "real" || type === "text" || type === "blob") return type;
  throw new Error(`A column of type ${type} cannot be moved.`);
}

/** Reads text as bytes: for some of the modules that read it, the character 0 ends a text. */
function selected({ name, kind }: Column): string {
  return kind === "text" ? `cast("${name}" as blob) as "${name}"` : `"${name}"`;
}

function within(table: TableShape, { after, upTo }: KeyRange): { condition: string; parameters: MovedValue[] } {
  const key = `(${table.key.join(", ")})`;
  const values = `(${table.key.map(() => "?").join(", ")})`;
  const condition = [
    "true",
    ...(after === null ? [] : [`${key} > ${values}`]),
    ...(upTo === null ? [] : [`${key} <= ${values}`]),
  ];
  return {
    condition: `${condition.join(" and ")} ${onlyMoved(table)}`,
    parameters: [...(after ?? []), ...(upTo ?? [])],
  };
}

function readRows(table: TableShape, found: readonly Record<string, SqliteValue>[], file: string): ReadRows {
  let replaced = 0;
  const rows = found.map((record) => {
    let isReplaced = false;
    const row: Row = table.columns.map(({ name, kind }) => {
      const value = record[name] ?? null;
      if (kind !== "text" || !(value instanceof Uint8Array)) return value;
      const { text, isWhole } = decoded(value);
      if (!isWhole && table.key.includes(name)) throw refuseKey(table, name, file);
      isReplaced ||= !isWhole;
      return text;
    });
    if (isReplaced) replaced += 1;
    return row;
  });
  return { rows, replaced };
}

/** A text as PostgreSQL can hold it. */
function decoded(bytes: Uint8Array): { text: string; isWhole: boolean } {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const text = buffer.toString("utf8");
  const hasZero = text.includes("\0");
  const isWhole = !hasZero && (!text.includes(REPLACEMENT) || isUtf8(buffer));
  return { text: hasZero ? text.replaceAll("\0", REPLACEMENT) : text, isWhole };
}

/** A key with a replacement would sort elsewhere, and might equal another row's. */
function refuseKey(table: TableShape, column: string, file: string): AppError {
  return new AppError(
    "conflict",
    `In the store ${file}, a row of the table ${table.name} has the character U+0000 or half a character in ${column}, one of its key columns, which PostgreSQL cannot store. Nothing was changed. Remove what it belongs to, then move again.`,
    { paths: [file] },
  );
}
