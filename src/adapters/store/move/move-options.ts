import { AppError } from "../../../core/errors.js";
import { sleep } from "../../../lib/time.js";
import type { MoveProgress, SettledRecord } from "./settle-record.js";

export interface MoveOptions {
  readonly dataDirectory: string;
  /** URL of the PostgreSQL database at the other end. */
  readonly url: string;
  /** Quota of a store in the data folder; 0 for none. */
  readonly maxMegabytes: number;
  /** False to fail where a running service would have to be waited for. */
  readonly waits: boolean;
  readonly signal: AbortSignal;
  readonly tell: (progress: MoveProgress) => void;
  /** Takes the data folder for this process, or returns where its owner answers. */
  readonly takeFolder: () => Promise<{ readonly release: () => void } | { readonly owner: string | null }>;
}

/** A record that has moved to another place. */
export interface MovedRecord extends SettledRecord {
  readonly from: string;
  readonly to: string;
  /** Where the original is still kept; null where it stays in its database. */
  readonly setAside: string | null;
  /** True where an earlier run had done everything, or everything but the end. */
  readonly wasMoved: boolean;
}

const LOOKS_AGAIN_MS = 500;

/**
 * Waits until nobody else uses the data folder, and takes it.
 * @throws AppError `unavailable` where it has an owner and waiting is off; the signal's reason
 */
export async function folderOnceFree({
  takeFolder,
  waits,
  signal,
  tell,
}: MoveOptions): Promise<{ release: () => void }> {
  for (;;) {
    signal.throwIfAborted();
    const taken = await takeFolder();
    if ("release" in taken) return taken;
    if (!waits) throw stillServed(taken.owner);
    tell({ step: "waiting", of: taken.owner ?? "the data folder", rows: 0 });
    await sleep(LOOKS_AGAIN_MS, { signal });
  }
}

function stillServed(owner: string | null): AppError {
  return new AppError(
    "unavailable",
    `Everything so far is copied, and the record is still where it was: ${owner === null ? "a process is using the data folder" : `a service answers at ${owner}`}. Stop it, and the clients that started one, and move again: then only what changed in the meantime is copied.`,
  );
}
