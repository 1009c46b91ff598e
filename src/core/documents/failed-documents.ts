import { iso } from "../../lib/time.js";
import { systemActor } from "../auth.js";
import { dropBlobs } from "./blobs.js";
import type { CoreContext } from "../context.js";
import { removeDocument } from "./documents.js";
import type { Repositories } from "../ports.js";
import type { Actor } from "../types.js";

/** Documents removed per transaction; more would delay other callers. */
const BATCH = 20;

/** Steps that fail because of a service, such as embeddings, when the document's text has already been read. */
const STEPS_BEHIND_THE_TEXT = ["embed: ", "pictures: "];

/**
 * Removes documents whose processing failed longer ago than the retention period (contract 2.10). Documents whose text was read
 * and that failed at a later step stay.
 * @param keepMinutes 0 keeps them for ever
 */
export async function removeFailed(context: CoreContext, keepMinutes: number, signal: AbortSignal): Promise<void> {
  const { store, clock, log, events } = context;
  const actor = systemActor(store.organizationId);
  const before = iso(new Date(clock.now().getTime() - keepMinutes * 60_000));
  let kept = 0;
  while (keepMinutes > 0 && !signal.aborted) {
    const some = { before, offset: kept };
    const { old, ids, files } = await store.transaction((repositories) => removeSome(repositories, actor, some));
    await dropBlobs(context, files);
    for (const id of ids) events.changed(id);
    if (ids.length > 0) log.info("failed documents removed", { count: ids.length });
    if (old < BATCH) return;
    kept += old - ids.length;
  }
}

/** Removes the oldest failures first. */
async function removeSome(
  repositories: Repositories,
  actor: Actor,
  { before, offset }: { readonly before: string; readonly offset: number },
): Promise<{ old: number; ids: readonly string[]; files: readonly string[] }> {
  const { documents } = await repositories.documents.list(actor.organizationId, {
    statuses: ["failed"],
    operator: "any",
    sort: "updatedAt",
    order: "asc",
    offset,
    limit: BATCH,
    includeContent: false,
  });
  const old = documents.filter(({ updatedAt }) => updatedAt <= before);
  const removed = old.filter(({ errorReason }) => !STEPS_BEHIND_THE_TEXT.some((step) => errorReason?.startsWith(step)));
  const files: string[] = [];
  for (const { id } of removed) {
    const document = await repositories.documents.byId(actor.organizationId, id);
    if (document) files.push(...(await removeDocument(repositories, actor, document)));
  }
  return { old: old.length, ids: removed.map(({ id }) => id), files };
}
