import type { CoreContext } from "../context.js";

/** Keys that are looked up at once. */
const BATCH = 500;
/** A file that is being uploaded has no row yet. */
const GRACE_MS = 60 * 60 * 1_000;

/** Removes the bytes of files that are no longer in the record. What fails is left to the next `dropLostBlobs`. */
export async function dropBlobs({ blobs, log }: CoreContext, keys: readonly string[]): Promise<void> {
  for (const key of keys)
    await blobs.remove(key).catch((error: unknown) => {
      log.warn("a file was not removed", { error });
    });
}

/**
 * Removes files that no document names any more, and bytes that are in no row for an hour: of uploads that came to
 * nothing, and of documents that went with their container. @returns how many
 */
export async function dropLostBlobs(context: CoreContext, signal?: AbortSignal): Promise<number> {
  const { store, blobs } = context;
  const { organizationId } = store;
  let dropped = 0;
  for (;;) {
    const keys = await store.files.dropUnnamed(organizationId, BATCH);
    await dropBlobs(context, keys);
    dropped += keys.length;
    if (keys.length < BATCH || signal?.aborted) break;
  }
  const old = (await blobs.list()).filter(({ ageMs }) => ageMs > GRACE_MS).map(({ key }) => key);
  for (let start = 0; start < old.length && !signal?.aborted; start += BATCH) {
    const some = old.slice(start, start + BATCH);
    const known = await store.files.knownKeys(organizationId, some);
    const lost = some.filter((key) => !known.has(key));
    await dropBlobs(context, lost);
    dropped += lost.length;
  }
  return dropped;
}
