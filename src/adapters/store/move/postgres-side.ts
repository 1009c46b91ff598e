import { CompiledQuery } from "kysely";
import type pg from "pg";
import { AppError } from "../../../core/errors.js";
import { describePostgresError } from "../postgres/errors.js";
import { runOn, TYPES } from "../postgres/session.js";
import type { MovedStatement, ReadRows, SourceSide, TargetSide } from "./record-side.js";
import {
  type Column,
  type ColumnKind,
  type KeyRange,
  type MovedValue,
  onlyMoved,
  type Row,
  type TableShape,
} from "./table-shape.js";

const SHAPES = `select columns.table_name as table, column_name as name, data_type as type, is_identity = 'YES' as numbered,
    (select array_position(indkey::int2[], attnum) from pg_index join pg_attribute on attrelid = indrelid
      where indrelid = format('%I', columns.table_name)::regclass and indisprimary and attname = column_name) as place
  from information_schema.columns join information_schema.tables using (table_schema, table_name)
  where table_schema = current_schema() and table_type = 'BASE TABLE' and table_name <> 'text_index'
  order by columns.table_name, ordinal_position`;

/** Whatever a power failure takes of it is written again: it is compared before it counts. */
const BEGIN_WRITING = "begin; set local synchronous_commit = off";

const KINDS: Readonly<Record<string, ColumnKind>> = {
  bigint: "integer",
  integer: "integer",
  "double precision": "real",
  text: "text",
  bytea: "blob",
};
const TYPE_NAMES: Readonly<Record<ColumnKind, string>> = {
  integer: "bigint",
  real: "double precision",
  text: "text",
  blob: "bytea",
};

interface FoundColumn {
  readonly table: string;
  readonly name: string;
  readonly type: string;
  readonly numbered: boolean;
  /** Position in the primary key, from 0. */
  readonly place: number | null;
}

/**
 * A record in a PostgreSQL database, as one side of a move.
 * @param client is closed with it; `place` names the database in messages
 */
export function createPostgresSide(client: pg.Client, place: string): SourceSide & TargetSide {
  return new PostgresSide(client, place);
}

class PostgresSide implements SourceSide, TargetSide {
  readonly database = "postgres";
  readonly place: string;
  readonly #client: pg.Client;

  constructor(client: pg.Client, place: string) {
    this.#client = client;
    this.place = place;
  }

  async query<R>(statement: string, parameters: readonly MovedValue[] = []): Promise<R[]> {
    return (await runOn<R>(this.#client, CompiledQuery.raw(statement, [...parameters]), this.place)).rows;
  }

  steadily<T>(work: () => Promise<T>): Promise<T> {
    return this.#begun("begin isolation level repeatable read read only", work);
  }

  async shapes(): Promise<TableShape[]> {
    return shapesOf(await this.#ask<FoundColumn & pg.QueryResultRow>(SHAPES));
  }

  async read(table: TableShape, range: KeyRange, limit: number): Promise<ReadRows> {
    const { condition, values } = within(table, range);
    const text = `select ${namesOf(table.columns)} from "${table.name}" where ${condition}
        order by ${table.key.join(", ")} limit ${limit}`;
    try {
      const { rows } = await this.#client.query<MovedValue[]>({ text, values, types: TYPES, rowMode: "array" });
      return { rows, replaced: 0 };
    } catch (error) {
      throw describePostgresError(error, this.place);
    }
  }

  async highest({ name, counted }: TableShape): Promise<number> {
    if (counted === null) return 0;
    const sequence = await this.#sequenceOf(name, counted);
    const [row] = await this.#ask<{ highest: number }>(
      `select greatest((select coalesce(max("${counted}"), 0) from "${name}"),
          (select case when is_called then last_value else 0 end from ${sequence})) as highest`,
    );
    return row?.highest ?? 0;
  }

  async remove(table: TableShape, range: KeyRange): Promise<void> {
    const { condition, values } = within(table, range);
    await this.#writing(`delete from "${table.name}" where ${condition}`, values);
  }

  async insert(table: TableShape, rows: readonly Row[]): Promise<void> {
    const lists = table.columns.map((column, place) => `$${place + 1}::${TYPE_NAMES[column.kind]}[]`);
    await this.#writing(
      `insert into "${table.name}" (${namesOf(table.columns)}) select * from unnest(${lists.join(", ")})`,
      table.columns.map((_column, place) => rows.map((row) => toParameter(row[place] ?? null))),
    ).catch((error: unknown) => {
      throw refuseRows(error, table, this.place);
    });
  }

  async continueAfter({ name, counted }: TableShape, highest: number): Promise<void> {
    if (counted === null) return;
    const sequence = await this.#sequenceOf(name, counted);
    await this.#ask("select setval($1::regclass, greatest($2::bigint, 1), $2::bigint > 0)", [sequence, highest]);
  }

  write(statements: readonly MovedStatement[]): Promise<void> {
    return this.#begun(BEGIN_WRITING, async () => {
      for (const { statement, parameters } of statements) await this.query(statement, parameters);
    });
  }

  close(): Promise<void> {
    return this.#client.end();
  }

  /** @throws AppError as `describePostgresError` says */
  async #ask<R extends pg.QueryResultRow>(text: string, values: readonly unknown[] = []): Promise<R[]> {
    try {
      return (await this.#client.query<R>({ text, values: [...values], types: TYPES })).rows;
    } catch (error) {
      throw describePostgresError(error, this.place);
    }
  }

  async #sequenceOf(table: string, column: string): Promise<string> {
    const [row] = await this.#ask<{ sequence: string }>(
      "select pg_get_serial_sequence(format('%I', $1::text), $2) as sequence",
      [table, column],
    );
    if (row === undefined) throw new Error(`The column ${column} of ${table} has no sequence.`);
    return row.sequence;
  }

  async #begun<T>(begin: string, work: () => Promise<T>): Promise<T> {
    await this.#ask(begin);
    try {
      const result = await work();
      await this.#ask("commit");
      return result;
    } catch (error) {
      await this.#client.query("rollback").catch(() => undefined);
      throw error;
    }
  }

  #writing(text: string, values: readonly unknown[]): Promise<void> {
    return this.#begun(BEGIN_WRITING, async () => void (await this.#ask(text, values)));
  }
}

function shapesOf(found: readonly FoundColumn[]): TableShape[] {
  const names = [...new Set(found.map(({ table }) => table))];
  const tables = names.map((name) => ({ name, columns: found.filter(({ table }) => table === name) }));
  return tables.map(({ name, columns }) => ({
    name,
    columns: columns.map((column) => ({ name: column.name, kind: KINDS[column.type] ?? "text" })),
    key: columns
      .flatMap((column) => (column.place === null ? [] : [{ name: column.name, place: column.place }]))
      .toSorted((a, b) => a.place - b.place)
      .map((column) => column.name),
    counted: columns.find(({ numbered }) => numbered)?.name ?? null,
  }));
}

function namesOf(columns: readonly Column[]): string {
  return columns.map(({ name }) => `"${name}"`).join(", ");
}

function within(table: TableShape, { after, upTo }: KeyRange): { condition: string; values: MovedValue[] } {
  const key = `(${table.key.join(", ")})`;
  const listed = (from: number): string => `(${table.key.map((_name, place) => `$${from + place}`).join(", ")})`;
  const condition = [
    "true",
    ...(after === null ? [] : [`${key} > ${listed(1)}`]),
    ...(upTo === null ? [] : [`${key} <= ${listed(1 + (after?.length ?? 0))}`]),
  ];
  return { condition: `${condition.join(" and ")} ${onlyMoved(table)}`, values: [...(after ?? []), ...(upTo ?? [])] };
}

function toParameter(value: Row[number]): unknown {
  return value instanceof Uint8Array ? Buffer.from(value.buffer, value.byteOffset, value.byteLength) : value;
}

/** PostgreSQL's errors about rows name a table and a constraint, and may quote content in their details. */
function refuseRows(error: unknown, { name }: TableShape, place: string): unknown {
  if (error instanceof AppError || !(error instanceof Error)) return error;
  return new AppError(
    "conflict",
    `Rows of the table ${name} cannot be written to the database ${place}: ${error.message}. The source was not changed.`,
    { cause: error },
  );
}
