import * as z from "zod";
import { yieldTurn } from "../../lib/time.js";
import { dropWebhooks } from "../connections/webhooks.js";
import { requireAllContainers } from "../auth.js";
import { dropLostBlobs } from "../documents/blobs.js";
import type { AuthorizedCall, CoreContext } from "../context.js";
import { invalid, noteSchema, parseInput } from "../input.js";
import { findDone, runOnce } from "../operations.js";
import type { Store, Repositories } from "../ports.js";
import { DEFAULT_CONTAINER } from "../containers/usual-container.js";
import { ORGANIZATION_NAME } from "./status.js";

/** Documents removed per transaction; more would delay other callers. */
const DOCUMENT_BATCH = 50;
const MEMORY_BATCH = 500;

export const resetSchema = z.object({ confirmation: noteSchema(1_000).min(1, "must not be empty") });

export interface ResetCounts {
  readonly documents: number;
  readonly documentBatches: number;
  /** Rows: every version, including forgotten ones. */
  readonly memories: number;
  /** Containers besides the default one. */
  readonly containers: number;
  /** True when the default container had a prompt. */
  readonly clearedDefaultContext: boolean;
}

/**
 * Removes all documents, memories, containers and settings without a trace; keys stay, and so does the default container,
 * empty. An interrupted call is repeated for the rest.
 * @throws AppError `invalid` when the confirmation is neither the name nor the slug of the organisation, `forbidden` for a
 * restricted caller
 */
export async function resetOrganization(
  context: CoreContext,
  call: AuthorizedCall,
  raw: unknown,
): Promise<ResetCounts> {
  const { confirmation } = parseInput(resetSchema, raw);
  requireAllContainers(call.actor);
  const { store } = context;
  const { organizationId } = call.actor;
  const accepted = [ORGANIZATION_NAME, organizationId];
  if (!accepted.includes(confirmation.trim()))
    throw invalid([
      {
        path: ["confirmation"],
        message: `must be the name of the organisation, ${ORGANIZATION_NAME}, or its slug, ${organizationId}; this deletes everything`,
      },
    ]);
  // What was added since the first call was answered must not be removed by its repetition.
  const done = await findDone<ResetCounts>(context, call, { useCase: "resetOrganization" });
  if (done) return done.result;
  await store.transaction(async (repositories) => {
    await endMerges(repositories, organizationId);
    // Nothing more may be imported.
    for (const { id } of await repositories.connections.list(organizationId))
      await repositories.connections.update(organizationId, id, { state: "paused" });
  });
  for (const connection of await store.connections.list(organizationId)) await dropWebhooks(context, connection);
  const standard = await store.containers.get(organizationId, DEFAULT_CONTAINER);
  const rows = await store.containers.findEvery(organizationId);
  const counts = { documents: 0, documentBatches: 0, memories: 0 };
  for (const { id } of rows) {
    const documents = await repeat(store, (repositories) => removeDocuments(repositories, organizationId, id));
    counts.documents += documents.total;
    counts.documentBatches += documents.batches;
    const memories = await repeat(store, (repositories) =>
      repositories.memories.purge(organizationId, id, MEMORY_BATCH),
    );
    counts.memories += memories.total;
  }
  for (const tag of new Set(rows.map((row) => row.tag))) {
    await yieldTurn();
    await store.containers.purge(organizationId, tag);
  }
  await dropLostBlobs(context);
  return runOnce(context, call, "resetOrganization", async (repositories) => {
    if (standard) await repositories.containers.ensure(organizationId, [DEFAULT_CONTAINER]);
    await repositories.settings.clear(organizationId);
    for (const { id } of await repositories.connections.list(organizationId))
      await repositories.connections.remove(organizationId, id);
    return {
      ...counts,
      containers: rows.filter(({ tag, isDeleted }) => !isDeleted && tag !== DEFAULT_CONTAINER).length,
      clearedDefaultContext: standard?.entityContext != null,
    };
  });
}

async function endMerges(repositories: Repositories, organizationId: string): Promise<void> {
  for (const { id } of await repositories.merges.open(organizationId))
    await repositories.merges.update(organizationId, id, {
      status: "failed",
      lastError: "The organisation was reset.",
    });
}

async function removeDocuments(
  repositories: Repositories,
  organizationId: string,
  containerId: number,
): Promise<number> {
  const ids = await repositories.containers.documentsIn(organizationId, containerId, DOCUMENT_BATCH);
  for (const id of ids) {
    await repositories.documents.remove(organizationId, id);
    await repositories.jobs.dropDead(id);
  }
  return ids.length;
}

/** Runs batches, each in a transaction of its own, until one finds nothing. */
async function repeat(
  store: Store,
  batch: (repositories: Repositories) => Promise<number>,
): Promise<{ total: number; batches: number }> {
  for (let total = 0, batches = 0; ; batches += 1) {
    await yieldTurn();
    const count = await store.transaction(batch);
    if (count === 0) return { total, batches };
    total += count;
  }
}
