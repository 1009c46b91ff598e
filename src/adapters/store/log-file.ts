import { existsSync, statSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { dirname } from "node:path";
import { AppError } from "../../core/errors.js";
import { syncFolder } from "../../lib/sync-folder.js";

/** The log beside a store, which receives every commit first (https://www.sqlite.org/wal.html). */
export interface LogFile {
  /** Resolves when everything committed before the call is on disk. @throws AppError `unavailable` */
  sync(): Promise<void>;
  /** Bytes. */
  size(): number;
  close(): Promise<void>;
}

/**
 * SQLite itself would wait for the disk within the commit and block the whole process. Calls that arrive during one sync share
 * the next.
 */
export function openLogFile(file: string): LogFile {
  const path = `${file}-wal`;
  let opening: Promise<FileHandle> | undefined;
  let running: Promise<void> | undefined;
  let next: Promise<void> | undefined;

  async function openLog(): Promise<FileHandle> {
    const log = await open(path, "r+");
    await syncFolder(dirname(path));
    return log;
  }

  async function syncOnce(): Promise<void> {
    try {
      const log = await (opening ??= openLog());
      await log.datasync();
    } catch (error) {
      const failed = opening;
      opening = undefined;
      await failed?.then((log) => log.close()).catch(() => undefined);
      throw new AppError(
        "unavailable",
        `What was just written to the store ${file} may not survive a power failure: its disk does not confirm it (${codeOf(error)}). Check the disk, then write it again.`,
        { paths: [file], cause: error },
      );
    }
  }

  function begin(): Promise<void> {
    const sync = syncOnce().finally(() => {
      if (running === sync) running = undefined;
    });
    running = sync;
    return sync;
  }

  async function beginAfter(earlier: Promise<void>): Promise<void> {
    await earlier.catch(() => undefined);
    next = undefined;
    return begin();
  }

  return {
    sync: () => (running ? (next ??= beginAfter(running)) : begin()),
    size: () => (existsSync(path) ? statSync(path).size : 0),
    async close() {
      await Promise.allSettled([running, next]);
      const log = await opening?.catch(() => undefined);
      await log?.close();
    },
  };
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : String(error);
}
