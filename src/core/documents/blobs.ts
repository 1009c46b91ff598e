import type { CoreContext } from "../context.js";
import { AppError } from "../errors.js";
import type { BlobStore, ListedBlob } from "../ports.js";

/** Keys looked up at once. */
const BATCH = 500;
/** A file that is being uploaded has no row yet. */
const GRACE_MS = 60 * 60 * 1_000;

/** Removes the bytes of files that are no longer in the record. Failures are left to the next `dropLostBlobs`. */
export async function dropBlobs({ blobs, log }: CoreContext, keys: readonly string[]): Promise<void> {
  for (const key of keys)
    await blobs.remove(key).catch((error: unknown) => {
      log.warn("a file was not removed", { error });
    });
}

/**
 * Removes files that no document names any more, and bytes without a row for an hour: from failed uploads, and from documents
 * deleted with their container.
 * @returns how many
 */
export async function dropLostBlobs(context: CoreContext, signal?: AbortSignal): Promise<number> {
  const { store, blobs, uploads } = context;
  const { organizationId } = store;
  let dropped = 0;
  for (const { key } of (await uploads.list()).filter(isOld)) await uploads.remove(key);
  for (;;) {
    const keys = await store.files.dropUnnamed(organizationId, BATCH);
    await dropBlobs(context, keys);
    dropped += keys.length;
    if (keys.length < BATCH || signal?.aborted) break;
  }
  const old = (await blobs.list()).filter(isOld).map(({ key }) => key);
  for (let start = 0; start < old.length && !signal?.aborted; start += BATCH) {
    const some = old.slice(start, start + BATCH);
    const known = await store.files.knownKeys(organizationId, some);
    const lost = some.filter((key) => !known.has(key));
    await dropBlobs(context, lost);
    dropped += lost.length;
  }
  return dropped;
}

function isOld({ ageMs }: ListedBlob): boolean {
  return ageMs > GRACE_MS;
}

/** Bytes of a file read from a remote store at once. */
const PIECE_BYTES = 4 * 1024 * 1024;

/**
 * Provides the bytes under a key as a local file while `use` runs, without loading them into memory.
 * @throws AppError `not_found` when they are gone, and what `use` throws
 */
export async function withBlobFile<T>(
  { blobs, uploads }: Pick<CoreContext, "blobs" | "uploads">,
  { key, bytes }: { readonly key: string; readonly bytes: number },
  use: (path: string) => Promise<T>,
): Promise<T> {
  const path = await blobs.pathOf(key);
  if (path !== null) return use(path);
  const copy = await uploads.receive(piecesOf(blobs, key, bytes));
  try {
    return await use(uploads.pathOf(copy.key));
  } finally {
    await uploads.remove(copy.key);
  }
}

async function* piecesOf(blobs: BlobStore, key: string, bytes: number): AsyncGenerator<Uint8Array> {
  for (let start = 0; ; start += PIECE_BYTES) {
    const piece = await blobs.read(key, start, Math.min(PIECE_BYTES, bytes - start));
    if (piece === null) throw noFile();
    yield piece;
    if (start + PIECE_BYTES >= bytes) return;
  }
}

/** The error for a file that has a row but no bytes. */
export function noFile(): AppError {
  return new AppError("not_found", "The file no longer exists. Send it again.");
}
