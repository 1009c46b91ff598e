import { sleep } from "../../../lib/time.js";
import { createFolderAlarm } from "./folder-alarm.js";
import {
  changesSince,
  fingerprint,
  hasNoDocument,
  requireRoot,
  scanFolder,
  type Changes,
  type WatchedRoot,
  type SeenFile,
  type SeenFolder,
} from "./scan-folder.js";

/** Systems do not report every change, so the folder is scanned from time to time. */
const LOOK_MS = 4_000;
/** A large folder is scanned less often: at most this share of the time. */
const MOST_OF_TIME = 1 / 20;
/** A folder that is being removed loses its files first, and a file that is being replaced may be missing for a moment. */
const SURELY_GONE_MS = 1_000;

/** Keeps a copy in step with a folder. */
export interface Mirror {
  /** Applies changes of files. @returns the paths to retry at the next scan */
  apply(changes: Changes, moves: ReadonlyMap<string, string>, seen: SeenFolder): Promise<ReadonlySet<string>>;
}

/**
 * Follows a folder, starting from what was known of it, until the signal comes.
 * @throws AppError `not_found` when the folder no longer exists, and what the mirror throws
 */
export async function followFolder(
  root: WatchedRoot,
  first: SeenFolder,
  mirror: Mirror,
  signal: AbortSignal,
): Promise<void> {
  const alarm = createFolderAlarm(signal);
  const known = new Map(first.files);
  alarm.listenTo(first.folders);
  try {
    while (!signal.aborted) {
      const began = performance.now();
      const seen = await look(root);
      // Only the scan counts: sending a recording may take an hour, and says nothing about the folder's size.
      const lookMs = performance.now() - began;
      alarm.listenTo(seen.folders);
      const changes = await confirmed(root, known, seen);
      if (signal.aborted) return;
      if (changes.added.length + changes.changed.length + changes.deleted.length > 0) {
        const again = await mirror.apply(changes, movesIn(known, seen, changes), seen);
        learn(known, seen, changes, again);
      }
      await alarm.next(Math.max(LOOK_MS, lookMs / MOST_OF_TIME));
    }
  } finally {
    alarm.close();
  }
}

async function look(root: WatchedRoot): Promise<SeenFolder> {
  await requireRoot(root);
  return scanFolder(root.path);
}

/** The changes, without files that came back, and only if the folder still exists. */
async function confirmed(root: WatchedRoot, known: ReadonlyMap<string, SeenFile>, seen: SeenFolder): Promise<Changes> {
  const changes = await changesSince(known, seen);
  if (changes.deleted.length === 0) return changes;
  await sleep(SURELY_GONE_MS);
  await requireRoot(root);
  const deleted: string[] = [];
  for (const path of changes.deleted) {
    const before = known.get(path);
    if (before && (await hasNoDocument(path, before, seen))) deleted.push(path);
  }
  return { ...changes, deleted };
}

/** Files that now have another name: new paths by old ones. */
function movesIn(
  known: ReadonlyMap<string, SeenFile>,
  { files }: SeenFolder,
  { added, deleted }: Changes,
): ReadonlyMap<string, string> {
  const byFile = new Map(added.map((path) => [fingerprint(files.get(path)), path]));
  const moves = new Map<string, string>();
  for (const path of deleted) {
    const now = byFile.get(fingerprint(known.get(path)));
    if (now !== undefined) moves.set(path, now);
  }
  return moves;
}

function learn(
  known: Map<string, SeenFile>,
  { files }: SeenFolder,
  { added, changed, deleted }: Changes,
  again: ReadonlySet<string>,
): void {
  for (const path of [...added, ...changed]) {
    const now = files.get(path);
    if (now && !again.has(path)) known.set(path, now);
  }
  for (const path of deleted) if (!again.has(path)) known.delete(path);
}
