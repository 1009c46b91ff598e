import { watch, type FSWatcher } from "node:fs";

/** After the last sign of a change, so that files being written are complete. */
const QUIET_MS = 300;
/** What is written to all the time is scanned in between. */
const LONGEST_RESTLESS_MS = 5_000;
/** Systems limit the number of watches; beyond it, folders are only scanned at intervals. */
const MOST_WATCHED = 4_000;

/** Reports changes in some folders, as far as the system notices them. */
export interface FolderAlarm {
  /** Listens to these folders only. */
  listenTo(folders: readonly string[]): void;
  /** Resolves once a change was followed by a quiet moment, the time is over, or the signal came. */
  next(longestMs: number): Promise<void>;
  close(): void;
}

export function createFolderAlarm(signal: AbortSignal): FolderAlarm {
  const watchers = new Map<string, FSWatcher>();
  let firstSign: number | null = null;
  let onSign: () => void = () => undefined;

  const sign = (): void => {
    firstSign ??= Date.now();
    onSign();
  };
  const drop = (folder: string): void => {
    watchers.get(folder)?.close();
    watchers.delete(folder);
  };

  function listen(folder: string): void {
    try {
      const watcher = watch(folder, { persistent: false }, sign);
      // The next scan notices a folder that has gone.
      watcher.on("error", () => drop(folder));
      watchers.set(folder, watcher);
    } catch {
      // The system allows no more watches, or the folder has gone again.
    }
  }

  return {
    listenTo(folders) {
      const wanted = new Set(folders.slice(0, MOST_WATCHED));
      for (const folder of watchers.keys()) if (!wanted.has(folder)) drop(folder);
      for (const folder of wanted) if (!watchers.has(folder)) listen(folder);
    },
    next(longestMs) {
      return new Promise<void>((resolve) => {
        let quiet: NodeJS.Timeout | undefined;
        const settle = (): void => {
          clearTimeout(late);
          clearTimeout(quiet);
          signal.removeEventListener("abort", settle);
          onSign = () => undefined;
          firstSign = null;
          resolve();
        };
        const late = setTimeout(settle, longestMs);
        signal.addEventListener("abort", settle, { once: true });
        onSign = () => {
          clearTimeout(quiet);
          const restlessMs = Date.now() - (firstSign ?? Date.now());
          quiet = setTimeout(settle, Math.max(0, Math.min(QUIET_MS, LONGEST_RESTLESS_MS - restlessMs)));
        };
        if (firstSign !== null) onSign();
        if (signal.aborted) settle();
      });
    },
    close() {
      for (const folder of watchers.keys()) drop(folder);
    },
  };
}
