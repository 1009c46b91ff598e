import { iso } from "../../lib/time.js";
import { systemActor } from "../auth.js";
import { dropBlobs } from "./blobs.js";
import type { CoreContext } from "../context.js";
import { removeDocument } from "./documents.js";
import type { Repositories } from "../ports.js";
import type { Actor } from "../types.js";

/** What is removed in one transaction; more would hold up other callers. */
const BATCH = 20;

/**
 * Removes documents whose processing failed longer ago than they are kept (contract 2.10).
 * @param keepMinutes 0 keeps them for ever
 */
export async function removeFailed(context: CoreContext, keepMinutes: number, signal: AbortSignal): Promise<void> {
  const { store, clock, log, events } = context;
  const actor = systemActor(store.organizationId);
  const before = iso(new Date(clock.now().getTime() - keepMinutes * 60_000));
  while (keepMinutes > 0 && !signal.aborted) {
    const { ids, files } = await store.transaction((repositories) => removeSome(repositories, actor, before));
    await dropBlobs(context, files);
    for (const id of ids) events.changed(id);
    if (ids.length > 0) log.info("failed documents removed", { count: ids.length });
    if (ids.length < BATCH) return;
  }
}

/** Those that failed first. */
async function removeSome(
  repositories: Repositories,
  actor: Actor,
  before: string,
): Promise<{ ids: readonly string[]; files: readonly string[] }> {
  const { documents } = await repositories.documents.list(actor.organizationId, {
    statuses: ["failed"],
    operator: "any",
    sort: "updatedAt",
    order: "asc",
    offset: 0,
    limit: BATCH,
    includeContent: false,
  });
  const old = documents.filter(({ updatedAt }) => updatedAt <= before);
  const files: string[] = [];
  for (const { id } of old) {
    const document = await repositories.documents.byId(actor.organizationId, id);
    if (document) files.push(...(await removeDocument(repositories, actor, document)));
  }
  return { ids: old.map(({ id }) => id), files };
}
