import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, readlinkSync, realpathSync } from "node:fs";
import { join, sep } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { loadSqlite, type SqliteConnection } from "../../src/lib/sqlite.js";

/** Opens a SQLite file next to the store that has it open. */
export async function openDatabase(file: string, options: { readOnly?: boolean } = {}): Promise<SqliteConnection> {
  const { DatabaseSync } = await loadSqlite();
  return new DatabaseSync(file, options);
}

/** More rounds than any store has needed; without a limit, a store that is still open would be waited for forever. */
const MOST_ROUNDS = 5;

/**
 * Waits until closed stores of this process release their files in a folder. Prepared statements hold them until they are
 * garbage-collected, which takes long when many tests share a process; another process would not notice.
 */
export async function letGoOfFiles(folder: string): Promise<void> {
  setFlagsFromString("--expose_gc");
  const collect = runInNewContext("gc") as () => void;
  for (let round = 0; round < MOST_ROUNDS && holdsFilesIn(folder); round++) {
    collect();
    await nextTurn();
  }
}

/** Also true when the system does not say which files a process has open. */
function holdsFilesIn(folder: string): boolean {
  const openFiles = "/proc/self/fd";
  if (!existsSync(openFiles)) return true;
  const inside = join(realpathSync(folder), sep);
  return readdirSync(openFiles).some((name) => {
    try {
      return readlinkSync(join(openFiles, name)).startsWith(inside);
    } catch {
      // Closed since the list was made.
      return false;
    }
  });
}

/** Every row of every table, and every word of the text index with its rows, as text. */
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

/** Names, sizes and digests of a folder's contents, to check that nothing was touched. */
export function fingerprintFolder(folder: string): Record<string, string> {
  const entries = readdirSync(folder).map((name) => {
    const bytes = readFileSync(join(folder, name));
    return [name, `${bytes.length} ${createHash("sha256").update(bytes).digest("hex")}`] as const;
  });
  return Object.fromEntries(entries);
}

/** A process of `store-child.mjs`. */
export interface StoreChild {
  /** The next line of its output. */
  nextLine(): Promise<string>;
  /** Its whole output so far, complete lines only. */
  lines(): string[];
  /** Closes its standard input and waits for its end. */
  finish(): Promise<void>;
  /** Kills it immediately, like a power cut, and waits until it is gone. */
  kill(): Promise<void>;
}

export function startStoreChild(...parameters: readonly string[]): StoreChild {
  const child = spawn(process.execPath, [join(import.meta.dirname, "store-child.mjs"), ...parameters], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const ended = once(child, "close");
  let said = "";
  child.stdout.setEncoding("utf8");
  child.stdout.on("data", (text: string) => {
    said += text;
  });
  let taken = 0;
  const lines = (): string[] => said.split("\n").slice(0, -1);
  return {
    lines,
    async nextLine() {
      while (lines().length <= taken) {
        const end = child.exitCode ?? child.signalCode;
        if (end !== null) throw new Error(`The process ended with ${end}`);
        await Promise.race([once(child.stdout, "data"), ended]);
      }
      taken += 1;
      return lines()[taken - 1] ?? "";
    },
    async finish() {
      child.stdin.end();
      await ended;
    },
    async kill() {
      child.kill("SIGKILL");
      await ended;
    },
  };
}
