import type { CoreContext } from "../context.js";
import { dropLostBlobs } from "../documents/blobs.js";
import { expireMemory } from "../memories/expire.js";
import { AUDIT_KEPT, AUDIT_KEPT_MS } from "../journal/audit.js";
import { endDeadGrants } from "../access/app-grants.js";
import { resumePurges } from "./purge.js";
import { REQUESTS_KEPT, REQUESTS_KEPT_MS } from "../usage/requests.js";

/** A caller that lost its answer asks again within minutes, not days. */
const KEEP_OPERATIONS_MS = 24 * 60 * 60 * 1_000;
const EXPIRY_BATCH = 200;
/** In-memory followers further behind than this reload everything. */
const KEEP_VECTOR_CHANGES = 20_000;

/**
 * Deletes what is no longer needed: results of old operations, old requests, old entries of the vector log, and the bytes of
 * files whose documents are gone. Resumes abandoned purges.
 */
export async function cleanUp(context: CoreContext, signal?: AbortSignal): Promise<void> {
  const { store, clock, log } = context;
  const operations = await store.operations.dropBefore(new Date(clock.now().getTime() - KEEP_OPERATIONS_MS));
  const tooOld = await store.requests.dropBefore(
    store.organizationId,
    new Date(clock.now().getTime() - REQUESTS_KEPT_MS),
  );
  const tooMany = await store.requests.dropBeyond(store.organizationId, REQUESTS_KEPT);
  const audit =
    (await store.audit.dropBefore(store.organizationId, new Date(clock.now().getTime() - AUDIT_KEPT_MS))) +
    (await store.audit.dropBeyond(store.organizationId, AUDIT_KEPT));
  let changes = 0;
  for (const space of await store.vectors.spaces()) changes += await store.vectors.trim(space.id, KEEP_VECTOR_CHANGES);
  const signIns = await store.signIns.dropOver(clock.now());
  const oauth = (await store.oauth.dropOver(clock.now())) + (await endDeadGrants(context));
  const devices = await store.deviceRequests.dropOver(clock.now());
  const files = await dropLostBlobs(context, signal);
  await resumePurges(context);
  log.debug("cleaned up", { operations, requests: tooOld + tooMany, audit, changes, signIns, devices, oauth, files });
}

/** Marks expired memories as forgotten, which search already leaves out. */
export async function forgetExpired(context: CoreContext, signal: AbortSignal): Promise<void> {
  const { store, clock, log } = context;
  const { organizationId } = store;
  for (;;) {
    if (signal.aborted) return;
    // Read inside: a memory restated meanwhile with a later expiry has not expired.
    const count = await store.transaction(async (repositories) => {
      const expired = await repositories.memories.expired(organizationId, clock.now(), EXPIRY_BATCH);
      for (const memory of expired) await expireMemory(repositories, organizationId, memory, clock.now());
      return expired.length;
    });
    if (count === 0) break;
    log.info("memories expired", { count });
  }
  await forgetExpiredDocuments(context, signal);
}

/** One by one: a document may have many chunks. */
async function forgetExpiredDocuments({ store, clock, log }: CoreContext, signal: AbortSignal): Promise<void> {
  const { organizationId } = store;
  while (!signal.aborted) {
    const id = await store.transaction(async (repositories) => {
      const [first] = await repositories.documents.expired(organizationId, clock.now(), 1);
      if (first !== undefined) await repositories.units.setDocumentForgotten(organizationId, first, true);
      return first;
    });
    if (id === undefined) return;
    log.info("document expired", { documentId: id });
  }
}
