import { watch, type FSWatcher } from "node:fs";

/** After the last sign of a change, so that what is being written is whole. */
const QUIET_MS = 300;
/** What is written to all the time is looked at in between. */
const LONGEST_RESTLESS_MS = 5_000;
/** Systems allow a limited number; beyond it, time alone leads to a look. */
const MOST_WATCHED = 4_000;

/** Tells when something in some folders changes, as far as the system says so. */
export interface FolderAlarm {
  /** Listens to these folders, and no others any more. */
  listenTo(folders: readonly string[]): void;
  /** Resolves once there was a change and then nothing for a moment, the time is over, or the signal came. */
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
      // A folder that went away is noticed by the next look.
      watcher.on("error", () => drop(folder));
      watchers.set(folder, watcher);
    } catch {
      // The system has no more room for it, or it is gone again.
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
