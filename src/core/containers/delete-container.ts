import * as z from "zod";
import { createId } from "../../lib/ids.js";
import { yieldTurn } from "../../lib/time.js";
import { requireAllContainers } from "../auth.js";
import { dropBlobs } from "../documents/blobs.js";
import { containerByTagSchema, noteContainer } from "./containers.js";
import type { AuthorizedCall, CoreContext } from "../context.js";
import { settleCustomId } from "../documents/custom-ids.js";
import { removeDocument } from "../documents/documents.js";
import { noteDocument } from "../documents/revise-document.js";
import { notFound } from "../errors.js";
import { stateOf } from "../memories/memory-state.js";
import { goneWith } from "../memories/set-aside.js";
import { parseInput } from "../input.js";
import { followContainers } from "../connections/follow-containers.js";
import { refuseMergeTarget, refuseMerging } from "./merge.js";
import { runOnce } from "../operations.js";
import type { Repositories } from "../ports.js";
import { unitOf, type Actor } from "../types.js";

/** How long an answer waits for the container to be emptied, in milliseconds; after that a job continues. */
const PATIENCE_MS = 10_000;
/** Documents removed per transaction; more would delay other callers. */
const DOCUMENT_BATCH = 20;
const MEMORY_BATCH = 200;

/** A container marked as deleted that is to be emptied. */
export const deletedContainerSchema = z.object({
  containerId: z.number().int(),
  tag: z.string(),
  /** Name of the actor who asked. */
  by: z.string(),
});
type DeletedContainer = z.output<typeof deletedContainerSchema>;

export interface ContainerDeletion {
  readonly containerTag: string;
  /** Number of documents that were only in this container. Those also in others were only removed from it. */
  readonly deletedDocuments: number;
  readonly deletedMemories: number;
}

/**
 * Deletes a container: it is gone with the first commit, which also writes the job that empties it. The answer usually comes
 * when that is done, and after ten seconds at the latest.
 * @throws AppError `not_found`, `forbidden` for a restricted caller, `conflict` while the container is being merged
 */
export async function deleteContainer(
  context: CoreContext,
  call: AuthorizedCall,
  raw: unknown,
): Promise<ContainerDeletion> {
  const { containerTag } = parseInput(containerByTagSchema, raw);
  requireAllContainers(call.actor);
  const { deleted, deletion } = await runOnce(context, call, "deleteContainer", (repositories) =>
    markDeleted(context, repositories, call.actor, containerTag),
  );
  await finishDeletion(context, deleted);
  return deletion;
}

/** Empties the container while the caller waits, and leaves the rest to the job. */
export async function finishDeletion(context: CoreContext, deleted: DeletedContainer): Promise<void> {
  await emptyContainer(context, deleted, { deadline: context.clock.now().getTime() + PATIENCE_MS });
  context.wakeJobs();
}

/** The deciding commit: detaches the container from its tag and writes the job that empties it. */
export async function markDeleted(
  context: CoreContext,
  repositories: Repositories,
  actor: Actor,
  containerTag: string,
): Promise<{ deleted: DeletedContainer; deletion: ContainerDeletion }> {
  const { organizationId } = actor;
  const [container] = await repositories.containers.list(organizationId, [containerTag]);
  if (!container) throw notFound("container", containerTag);
  await refuseMerging(repositories, actor, [containerTag]);
  await refuseMergeTarget(repositories, actor, containerTag);
  const deletion = {
    containerTag,
    deletedDocuments: await repositories.containers.countOwnDocuments(organizationId, container.id),
    deletedMemories: container.memoryCount,
  };
  await repositories.containers.remove(organizationId, containerTag);
  await followContainers(repositories, organizationId, { from: [containerTag], to: null });
  await noteContainer(repositories, actor, container, {
    action: "container.deleted",
    before: { name: container.name },
    after: deletion,
  });
  const deleted = { containerId: container.id, tag: containerTag, by: actor.name };
  await repositories.jobs.enqueue([
    {
      kind: "empty-container",
      payload: deleted,
      group: containerTag,
      key: `empty-container:${container.id}`,
      runAt: new Date(context.clock.now().getTime() + PATIENCE_MS),
    },
  ]);
  return { deleted, deletion };
}

/**
 * Empties a deleted container in batches, each in a transaction of its own: memories, which stay in the record as forgotten,
 * documents that are in no other container, and the links of other documents to it. If called again, continues with what is
 * left.
 */
export async function emptyContainer(
  context: CoreContext,
  deleted: DeletedContainer,
  limits: { signal?: AbortSignal; deadline?: number } = {},
): Promise<void> {
  for (;;) {
    await yieldTurn(limits.signal);
    if (limits.deadline !== undefined && context.clock.now().getTime() > limits.deadline) return;
    const { isEmpty, files } = await context.store.transaction((repositories) =>
      emptyBatch(context, repositories, deleted),
    );
    await dropBlobs(context, files);
    if (isEmpty) return;
  }
}

interface Emptied {
  readonly isEmpty: boolean;
  /** Keys of files whose bytes may be deleted. */
  readonly files: readonly string[];
}

/** Memories first: those of a removed document would be looked up under a tag that may belong to another container by now. */
async function emptyBatch(
  context: CoreContext,
  repositories: Repositories,
  deleted: DeletedContainer,
): Promise<Emptied> {
  if ((await forgetAll(context, repositories, deleted)) > 0) return { isEmpty: false, files: [] };
  const { organizationId } = context.store;
  const ids = await repositories.containers.documentsIn(organizationId, deleted.containerId, DOCUMENT_BATCH);
  const files: string[] = [];
  for (const id of ids) {
    files.push(...(await takeOut(context, repositories, deleted, id)));
    context.events.changed(id);
  }
  return { isEmpty: ids.length === 0, files };
}

/** @returns the keys of files removed with the document */
async function takeOut(
  { store }: CoreContext,
  repositories: Repositories,
  { tag, by }: DeletedContainer,
  id: string,
): Promise<string[]> {
  const { organizationId } = store;
  const others = await repositories.containers.ofDocument(organizationId, id);
  const document = others.length === 0 ? await repositories.documents.byId(organizationId, id) : null;
  const actor: Actor = { organizationId, name: by, containers: "all" };
  if (document) return removeDocument(repositories, actor, { ...document, containerTags: [tag] });
  await repositories.containers.relocate(
    organizationId,
    id,
    others.map((container) => container.id),
  );
  await settleLeft(repositories, actor, id);
  return [];
}

/** A document that belonged to the deleted container now belongs to its next one, where its customId may be taken. */
async function settleLeft(repositories: Repositories, actor: Actor, id: string): Promise<void> {
  const document = await repositories.documents.byId(actor.organizationId, id);
  if (!document) return;
  const customId = await settleCustomId(repositories, document, document.containerTags);
  if (customId === document.customId) return;
  const before = { customId: document.customId };
  await noteDocument(repositories, actor, { ...document, customId }, { action: "document.updated", before });
}

/** Forgets without a place in the index: the container can no longer be searched. */
async function forgetAll(context: CoreContext, repositories: Repositories, deleted: DeletedContainer): Promise<number> {
  const { organizationId } = context.store;
  const { containerId, tag, by } = deleted;
  const memories = await repositories.memories.inContainer(organizationId, containerId, {
    activeOnly: true,
    limit: MEMORY_BATCH,
  });
  const cause = goneWith(tag);
  const batchId = createId();
  for (const memory of memories) {
    await repositories.memories.update(organizationId, memory.id, { isForgotten: true, forgetReason: cause });
    await repositories.units.unindex(unitOf("memory", memory.seq));
  }
  await repositories.journal.append(
    organizationId,
    memories.map((memory) => ({
      batchId,
      actor: by,
      action: "memory.forgotten",
      subject: "memory" as const,
      subjectId: memory.id,
      containerTag: tag,
      cause,
      before: stateOf(memory),
      after: stateOf({ ...memory, isForgotten: true, forgetReason: cause }),
    })),
  );
  return memories.length;
}
