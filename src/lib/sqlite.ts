import { createRequire } from "node:module";
import { loadOnce } from "./load-once.js";

/** A value that SQLite stores or returns; whole numbers beyond 2^53 are not used here. */
export type SqliteValue = null | number | string | Uint8Array;

/** The part of the `node:sqlite` API in use, so that any module with that API fits. */
export interface SqliteStatement {
  all(...parameters: SqliteValue[]): unknown[];
  iterate(...parameters: SqliteValue[]): Iterator<unknown>;
  run(...parameters: SqliteValue[]): { changes: number | bigint; lastInsertRowid: number | bigint };
  columns(): unknown[];
}

export interface SqliteConnection {
  exec(sql: string): void;
  prepare(sql: string): SqliteStatement;
  function(name: string, options: { deterministic: boolean }, run: (...values: SqliteValue[]) => SqliteValue): void;
  close(): void;
}

export interface SqliteModule {
  DatabaseSync: new (path: string, options?: { timeout?: number; readOnly?: boolean }) => SqliteConnection;
}

/** Result codes of https://www.sqlite.org/rescode.html that are distinguished. */
export const SQLITE_CODES = {
  busy: 5,
  locked: 6,
  readOnly: 8,
  inputOutput: 10,
  corrupt: 11,
  full: 13,
  cannotOpen: 14,
  notADatabase: 26,
} as const;

function isSqliteModule(value: unknown): value is SqliteModule {
  return typeof value === "object" && value !== null && "DatabaseSync" in value;
}

async function importSqlite(): Promise<unknown> {
  return loadBuiltIn() ?? (await import("@photostructure/sqlite"));
}

/** Node warns on every load that its SQLite is experimental, which users of this program can do nothing about. */
function loadBuiltIn(): unknown {
  if (typeof process.getBuiltinModule !== "function") return undefined;
  const emitWarning = process.emitWarning.bind(process);
  process.emitWarning = () => undefined;
  try {
    return process.getBuiltinModule("node:sqlite");
  } finally {
    process.emitWarning = emitWarning;
  }
}

/** Path of the module that `loadSqlite` loads, for another thread; null for the built-in one. */
export function sqliteModule(): string | null {
  if (loadBuiltIn() !== undefined) return null;
  return createRequire(import.meta.url).resolve("@photostructure/sqlite");
}

/** The runtime's SQLite if it has one, else the bundled prebuilt one with the same API. Loaded once. */
export const loadSqlite = loadOnce(async (): Promise<SqliteModule> => {
  const module: unknown = await importSqlite();
  if (isSqliteModule(module)) return module;
  throw new Error("The SQLite module has no DatabaseSync; reinstall the dependencies.");
});

/** The messages of these codes, for query errors of the bundled module that lack the code. */
const MESSAGES: readonly (readonly [RegExp, number])[] = [
  [/^database is locked/, SQLITE_CODES.busy],
  [/^database (table|schema) is locked/, SQLITE_CODES.locked],
  [/^attempt to write a readonly database/, SQLITE_CODES.readOnly],
  [/^disk I\/O error/, SQLITE_CODES.inputOutput],
  [/^database disk image is malformed|^malformed database schema|^(fts5|vtable).*corrupt/i, SQLITE_CODES.corrupt],
  [/^database or disk is full/, SQLITE_CODES.full],
  [/^unable to open database/, SQLITE_CODES.cannotOpen],
  [/^file is not a database|^unsupported file format/, SQLITE_CODES.notADatabase],
];

/** The primary result code of an error thrown by SQLite, or undefined for any other error. */
export function sqliteCodeOf(error: unknown): number | undefined {
  if (!(error instanceof Error) || !("code" in error) || error.code !== "ERR_SQLITE_ERROR") return undefined;
  const known = MESSAGES.find(([pattern]) => pattern.test(error.message))?.[1];
  if (!("errcode" in error) || typeof error.errcode !== "number") return known;
  const primary = error.errcode & 0xff;
  return primary === 1 ? (known ?? primary) : primary;
}
