import { systemActor } from "../auth.js";
import { MISSING_JOB } from "../embeddings/roles.js";
import type { Repositories } from "../ports.js";
import { unitOf, type Actor, type Memory } from "../types.js";
import { isExpired } from "./find-memory.js";
import { forgetBatch, forgetDerived, lostGroundOf } from "./forget.js";
import { noteMemory } from "./memory-state.js";
import { replacedBy } from "./set-aside.js";

/** A document that is being removed, and how that is recorded. */
export interface Leaving {
  readonly documentId: string;
  readonly reason: string;
  /** Batch of the journal entries. */
  readonly batchId: string;
  /** Set if the document is removed because it expired: other expired documents then state nothing either. */
  readonly now?: Date;
}

/** True for an active memory stated by at most one document: it goes with that document. */
export function isStatedAlone({ sourceCount, isLatest, isForgotten }: Memory): boolean {
  return sourceCount <= 1 && isLatest && !isForgotten;
}

/**
 * Forgets memories that nothing states once a document is gone, inside a transaction, after `letEarlierHold`.
 * @param memories the newest versions, none of them forgotten
 */
export async function forgetLeaving(
  repositories: Repositories,
  actor: Actor,
  memories: readonly Memory[],
  leaving: Leaving,
): Promise<void> {
  await forgetBatch(repositories, actor, await letEarlierHold(repositories, actor, memories, leaving), leaving);
}

/**
 * Restores what the memories of a removed document had replaced, if other documents of the container state it: it becomes the
 * newest version, all in one batch so that one undo reverts everything. What a person forgot stays forgotten.
 * @param memories the newest versions, none of them forgotten
 * @returns those that had not replaced an older version
 */
export async function letEarlierHold(
  repositories: Repositories,
  actor: Actor,
  memories: readonly Memory[],
  leaving: Leaving,
): Promise<readonly Memory[]> {
  const left: Memory[] = [];
  let count = 0;
  for (const memory of memories) {
    const earlier = await earlierStated(repositories, actor.organizationId, memory, leaving);
    if (earlier) await stepBack(repositories, actor, { memory, earlier }, leaving);
    else left.push(memory);
    count += (earlier ? 1 : 0) + (await remindReplaced(repositories, actor.organizationId, memory, leaving));
  }
  if (count > 0) await repositories.jobs.enqueue([MISSING_JOB]);
  return left;
}

/** True when another document of its container states a memory. */
export async function isStatedBeside(
  { memories, documents }: Pick<Repositories, "memories" | "documents">,
  organizationId: string,
  memory: Memory,
  { documentId, now }: Pick<Leaving, "documentId" | "now">,
): Promise<boolean> {
  const sources = await memories.sources(organizationId, [memory.id]);
  const others = sources.flatMap((source) => (source.documentId === documentId ? [] : source.documentId));
  const heads = others.length > 0 ? await documents.headsByIds(organizationId, others) : [];
  return heads.some(
    (head) => head.containerTags.includes(memory.containerTag) && (now === undefined || !isExpired(head, now)),
  );
}

/** True unless another active memory says the same, or its sources are gone. */
export async function mayHoldAgain(
  repositories: Repositories,
  organizationId: string,
  memory: Memory,
): Promise<boolean> {
  const twin = await repositories.memories.byText(organizationId, memory.containerTag, memory.text);
  if (twin && twin.id !== memory.id) return false;
  return !memory.isInference || (await lostGroundOf(repositories, organizationId, memory)) === null;
}

/** Makes an older version the newest one of its chain, and searchable; its vector is created by a job. */
export async function makeLatest(repositories: Repositories, organizationId: string, memory: Memory): Promise<void> {
  const container = await repositories.memories.containerOf(organizationId, memory.id);
  if (!container) return;
  await repositories.memories.update(organizationId, memory.id, { isLatest: true });
  const { text } = memory;
  await repositories.units.indexText({
    unit: unitOf("memory", memory.seq),
    containerIds: [container.id],
    text,
    context: "",
  });
}

/** The newest older version stated by other documents of the container, or null. */
async function earlierStated(
  repositories: Repositories,
  organizationId: string,
  memory: Memory,
  leaving: Leaving,
): Promise<Memory | null> {
  for (let id = memory.parentId; id !== null;) {
    const version = await repositories.memories.byId(organizationId, id);
    if (!version || version.containerTag !== memory.containerTag) return null;
    if (!version.isForgotten && (await isStatedBeside(repositories, organizationId, version, leaving)))
      return version.text === memory.text || (await mayHoldAgain(repositories, organizationId, version))
        ? version
        : null;
    id = version.parentId;
  }
  return null;
}

/** Removes the newest version from a chain and makes an older one the newest again. */
async function stepBack(
  repositories: Repositories,
  actor: Actor,
  { memory, earlier }: { readonly memory: Memory; readonly earlier: Memory },
  leaving: Leaving,
): Promise<void> {
  const { organizationId } = actor;
  await forgetDerived(repositories, actor, [memory], leaving.batchId);
  const gone = { isLatest: false, isForgotten: true, forgetReason: causeOf(leaving) };
  await repositories.memories.update(organizationId, memory.id, gone);
  await repositories.units.unindex(unitOf("memory", memory.seq));
  await leaveBetween(repositories, organizationId, { memory, earlier }, leaving);
  await makeLatest(repositories, organizationId, earlier);
  const noted = { batchId: leaving.batchId, action: "memory.reverted", cause: causeOf(leaving) };
  // Only the service itself has touched the older version.
  await noteMemory(repositories, systemActor(organizationId), noted, { before: memory, after: { id: earlier.id } });
}

/** Versions in between are not part of the history of the restored one: they came after it. */
async function leaveBetween(
  repositories: Repositories,
  organizationId: string,
  { memory, earlier }: { readonly memory: Memory; readonly earlier: Memory },
  leaving: Leaving,
): Promise<void> {
  for (let id = memory.parentId; id !== null && id !== earlier.id;) {
    const version = await repositories.memories.byId(organizationId, id);
    if (!version) return;
    id = version.parentId;
    if (version.isForgotten) continue;
    await repositories.memories.update(organizationId, version.id, {
      isForgotten: true,
      forgetReason: causeOf(leaving),
    });
    const noted = { batchId: leaving.batchId, action: "memory.forgotten", cause: causeOf(leaving) };
    await noteMemory(repositories, systemActor(organizationId), noted, { before: version, after: { id: version.id } });
  }
}

/**
 * Restores what was forgotten because this memory replaced it, if other documents state it.
 * @returns how many
 */
async function remindReplaced(
  repositories: Repositories,
  organizationId: string,
  memory: Memory,
  leaving: Leaving,
): Promise<number> {
  const relations = await repositories.memories.relations(organizationId, [memory.id]);
  const replaced = relations.filter(({ fromId, relation }) => relation === "updates" && fromId === memory.id);
  const ids = [...new Set(replaced.map(({ toId }) => toId))];
  let count = 0;
  for (const other of ids.length > 0 ? await repositories.memories.byIds(organizationId, ids) : []) {
    const isReplaced = other.isLatest && other.isForgotten && other.forgetReason === replacedBy(memory.id);
    if (!isReplaced || !(await isStatedBeside(repositories, organizationId, other, leaving))) continue;
    const container = await repositories.memories.containerOf(organizationId, other.id);
    if (!container || !(await mayHoldAgain(repositories, organizationId, other))) continue;
    await repositories.memories.update(organizationId, other.id, { isForgotten: false, forgetReason: null });
    await repositories.units.setForgotten(unitOf("memory", other.seq), container.id, false);
    const noted = { batchId: leaving.batchId, action: "memory.restored", cause: causeOf(leaving) };
    await noteMemory(repositories, systemActor(organizationId), noted, { before: other, after: { id: other.id } });
    count += 1;
  }
  return count;
}

/** Not in the form of causes for what a document states: the removed document states none of it. */
function causeOf({ reason }: Leaving): string {
  return reasonOfLeft(reason);
}

/** Why a memory is forgotten after an older statement took its place back. */
export function reasonOfLeft(reason: string): string {
  return `the newer statement left: ${reason}`;
}
