import * as z from "zod";
import { createId } from "../lib/ids.js";
import { yieldTurn } from "../lib/time.js";
import { requireAllContainers } from "./auth.js";
import { containerByTagSchema, noteContainer } from "./containers.js";
import type { Call, CoreContext } from "./context.js";
import { AppError, notFound } from "./errors.js";
import { forgetMemories } from "./forget.js";
import { parseInput } from "./input.js";
import { refuseMerging } from "./merge.js";
import { once } from "./operations.js";
import type { StoreNouns } from "./ports.js";
import { unitOf, type Actor } from "./types.js";
import { noteDocument } from "./write-document.js";

/** How long an answer waits for the emptying, in milliseconds; a job goes on after that. */
const PATIENCE_MS = 10_000;
/** What is removed in one transaction; more would hold up other callers. */
const DOCUMENT_BATCH = 20;
const MEMORY_BATCH = 200;

/** A container that was marked as deleted and is to be emptied. */
export const deletedContainerSchema = z.object({
  containerId: z.number().int(),
  tag: z.string(),
  /** Name of the actor who asked. */
  by: z.string(),
});
type DeletedContainer = z.output<typeof deletedContainerSchema>;

export interface ContainerDeletion {
  readonly containerTag: string;
  /** Documents that lay in this container alone. Those in others too were only taken out of it. */
  readonly deletedDocuments: number;
  readonly deletedMemories: number;
}

/**
 * Deletes a container: it is gone with the first commit, which also writes the job that empties it. The answer usually
 * comes when that is done, and after ten seconds at the latest.
 * @throws AppError `not_found`, `forbidden` for a restricted caller, `conflict` while the container is being merged
 */
export async function deleteContainer(context: CoreContext, call: Call, raw: unknown): Promise<ContainerDeletion> {
  const { containerTag } = parseInput(containerByTagSchema, raw);
  requireAllContainers(call.actor);
  const { deleted, deletion } = await once(context, call, "deleteContainer", (nouns) =>
    markDeleted(context, nouns, call.actor, containerTag),
  );
  await finishDeletion(context, deleted);
  return deletion;
}

/** Empties in the time that a caller waits, and leaves the rest to the job. */
export async function finishDeletion(context: CoreContext, deleted: DeletedContainer): Promise<void> {
  await emptyContainer(context, deleted, { deadline: context.clock.now().getTime() + PATIENCE_MS });
  context.wakeJobs();
}

/** The commit that counts: takes the container away from its tag and writes the job that empties it. */
export async function markDeleted(
  context: CoreContext,
  nouns: StoreNouns,
  actor: Actor,
  containerTag: string,
): Promise<{ deleted: DeletedContainer; deletion: ContainerDeletion }> {
  const { organizationId } = actor;
  const [container] = await nouns.containers.list(organizationId, [containerTag]);
  if (!container) throw notFound("container", containerTag);
  await refuseMerging(nouns, organizationId, [containerTag]);
  await refuseMergeTarget(nouns, organizationId, containerTag);
  const deletion = {
    containerTag,
    deletedDocuments: await nouns.containers.countOwnDocuments(organizationId, container.id),
    deletedMemories: container.memoryCount,
  };
  await nouns.containers.remove(organizationId, containerTag);
  await noteContainer(nouns, actor, container, {
    action: "container.deleted",
    before: { name: container.name },
    after: deletion,
  });
  const deleted = { containerId: container.id, tag: containerTag, by: actor.name };
  await nouns.jobs.enqueue([
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

async function refuseMergeTarget(nouns: StoreNouns, organizationId: string, tag: string): Promise<void> {
  const merge = (await nouns.merges.open(organizationId)).find(({ targetTag }) => targetTag === tag);
  if (merge)
    throw new AppError(
      "conflict",
      `${merge.sourceTags.join(", ")} is being merged into the container ${tag}. Try again when that is done.`,
      { retryAfter: 1 },
    );
}

/**
 * Removes what lies in a deleted container, batch by batch, each in a transaction of its own: documents that lie nowhere
 * else, the way of the others into it, and the memories, which stay in the record as forgotten. Does what is left when
 * it is called again.
 */
export async function emptyContainer(
  context: CoreContext,
  deleted: DeletedContainer,
  limits: { signal?: AbortSignal; deadline?: number } = {},
): Promise<void> {
  for (;;) {
    await yieldTurn(limits.signal);
    if (limits.deadline !== undefined && context.clock.now().getTime() > limits.deadline) return;
    const isEmpty = await context.store.transaction(
      async (nouns) =>
        (await removeDocuments(context, nouns, deleted)) === 0 && (await forgetAll(context, nouns, deleted)) === 0,
    );
    if (isEmpty) return;
  }
}

async function removeDocuments(context: CoreContext, nouns: StoreNouns, deleted: DeletedContainer): Promise<number> {
  const { organizationId } = context.store;
  const ids = await nouns.containers.documentsIn(organizationId, deleted.containerId, DOCUMENT_BATCH);
  for (const id of ids) {
    const others = await nouns.containers.ofDocument(organizationId, id);
    const elsewhere = others.map((container) => container.id).filter((one) => one !== deleted.containerId);
    if (elsewhere.length > 0) await nouns.containers.relocate(organizationId, id, elsewhere);
    else await removeDocument(nouns, actorOf(context, deleted), deleted, id);
    context.events.changed(id);
  }
  return ids.length;
}

/** A fact that this document alone states goes with it, in whatever container it lies. */
async function removeDocument(nouns: StoreNouns, actor: Actor, deleted: DeletedContainer, id: string): Promise<void> {
  const { organizationId } = actor;
  const document = await nouns.documents.byId(organizationId, id);
  if (!document) return;
  const stated = await nouns.memories.ofDocument(organizationId, id);
  const orphans = stated.filter(
    (memory) =>
      memory.sourceCount <= 1 && memory.isLatest && !memory.isForgotten && memory.containerTag !== deleted.tag,
  );
  await nouns.documents.remove(organizationId, id);
  await nouns.jobs.dropDead(id);
  await noteDocument(nouns, actor, document, "document.deleted", { title: document.title });
  await forgetMemories(nouns, actor, orphans, `document ${id} was deleted`);
}

/** Forgets without a place in the index: nobody can search the container any more. */
async function forgetAll(context: CoreContext, nouns: StoreNouns, deleted: DeletedContainer): Promise<number> {
  const { organizationId } = context.store;
  const { containerId, tag, by } = deleted;
  const memories = await nouns.memories.inContainer(organizationId, containerId, {
    activeOnly: true,
    limit: MEMORY_BATCH,
  });
  const cause = `the container ${tag} was deleted`;
  const batchId = createId();
  for (const memory of memories) {
    await nouns.memories.update(organizationId, memory.id, { isForgotten: true, forgetReason: cause });
    await nouns.units.unindex(unitOf("memory", memory.seq));
  }
  await nouns.journal.append(
    organizationId,
    memories.map((memory) => ({
      batchId,
      actor: by,
      action: "memory.forgotten",
      subject: "memory" as const,
      subjectId: memory.id,
      containerTag: tag,
      cause,
      before: { isForgotten: false, forgetReason: memory.forgetReason },
      after: { isForgotten: true, forgetReason: cause },
    })),
  );
  return memories.length;
}

function actorOf({ store }: CoreContext, { by }: DeletedContainer): Actor {
  return { organizationId: store.organizationId, name: by, containers: "all" };
}
