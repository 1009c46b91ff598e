import { createId } from "../../lib/ids.js";
import { systemActor } from "../auth.js";
import { MISSING_JOB } from "../embeddings/roles.js";
import type { Repositories } from "../ports.js";
import { unitOf, type Actor, type Memory } from "../types.js";
import { expiryReason } from "./expiry.js";
import { isExpired } from "./find-memory.js";
import { forgetBatch, forgetDerived } from "./forget.js";
import { forgetLeaving, makeLatest, mayHoldAgain, reasonOfLeft } from "./forget-leaving.js";
import { isAsNoted, memoryStateSchema, noteMemory } from "./memory-state.js";
import { firstVersionId } from "./first-version-id.js";
import { replacedBy } from "./set-aside.js";

/**
 * Marks an expired memory as forgotten, inside a transaction. If it expired with its document, what it had replaced holds again
 * if documents still state that; if it had an expiry of its own, it does not.
 */
export async function expireMemory(
  repositories: Repositories,
  organizationId: string,
  memory: Memory,
  now: Date,
): Promise<void> {
  const actor = systemActor(organizationId);
  const reason = expiryReason(memory);
  const batchId = createId();
  const [source] = endedWithDocument(memory) ? await repositories.memories.sources(organizationId, [memory.id]) : [];
  if (!source) return forgetBatch(repositories, actor, [memory], { reason, batchId });
  await forgetLeaving(repositories, actor, [memory], { documentId: source.documentId, reason, batchId, now });
}

function endedWithDocument({ forgetAfter, ownForgetAfter }: Memory): boolean {
  return forgetAfter !== null && (ownForgetAfter === null || ownForgetAfter > forgetAfter);
}

/** What is restored, and how that is recorded. */
export interface Returning {
  /** Its new expiry (ISO); null for never. */
  readonly forgetAfter: string | null;
  readonly cause: string;
  readonly now: Date;
}

/**
 * Replaces again what a memory gave back when its document expired, inside a transaction. Does nothing if anything has since
 * been done with what holds in its place.
 */
export async function takePlaceAgain(
  repositories: Repositories,
  actor: Actor,
  memory: Memory,
  { forgetAfter, cause, now }: Returning,
): Promise<void> {
  const { organizationId } = actor;
  if (memory.isLatest || !memory.isForgotten || isExpired({ forgetAfter }, now)) return;
  const versions = await repositories.memories.versions(organizationId, [firstVersionId(memory)]);
  const present = versions.find(({ isLatest, isForgotten }) => isLatest && !isForgotten);
  if (!present || !(await gaveWay(repositories, organizationId, { memory, present }))) return;
  if (memory.text !== present.text && !(await mayHoldAgain(repositories, organizationId, memory))) return;
  const batchId = createId();
  await forgetDerived(repositories, actor, [present], batchId);
  await repositories.memories.update(organizationId, present.id, { isLatest: false });
  await repositories.units.unindex(unitOf("memory", present.seq));
  const { ownForgetAfter } = memory;
  const change = { isForgotten: false, forgetReason: null, forgetAfter, ownForgetAfter };
  await repositories.memories.update(organizationId, memory.id, change);
  await makeLatest(repositories, organizationId, memory);
  const noted = { batchId, action: "memory.reverted", cause };
  await noteMemory(repositories, systemActor(organizationId), noted, { before: present, after: { id: memory.id } });
  await replaceAgain(repositories, actor, memory);
  await repositories.jobs.enqueue([MISSING_JOB]);
}

/** Forgets again what was restored when this memory expired, as long as nothing else was done with it. */
export async function replaceAgain(repositories: Repositories, actor: Actor, memory: Memory): Promise<void> {
  const { organizationId } = actor;
  const relations = await repositories.memories.relations(organizationId, [memory.id]);
  const ids = relations
    .filter(({ fromId, relation }) => relation === "updates" && fromId === memory.id)
    .map(({ toId }) => toId);
  for (const other of ids.length > 0 ? await repositories.memories.byIds(organizationId, ids) : []) {
    const query = { subjectIds: [other.id], offset: 0, limit: 1 };
    const [last] = (await repositories.journal.list(organizationId, query)).entries;
    const isBroughtBack = last?.action === "memory.restored" && last.cause?.startsWith(reasonOfLeft(""));
    if (other.isForgotten || !isBroughtBack) continue;
    await forgetBatch(repositories, actor, [other], { reason: replacedBy(memory.id), batchId: createId() });
  }
}

/** True when this version holds only because the newer one expired, and nothing was done with it since. */
async function gaveWay(
  { journal }: Repositories,
  organizationId: string,
  { memory, present }: { readonly memory: Memory; readonly present: Memory },
): Promise<boolean> {
  const reverted = await journal.latest(organizationId, present.id, "memory.reverted");
  const before = memoryStateSchema.safeParse(reverted?.before);
  const after = memoryStateSchema.safeParse(reverted?.after);
  if (!before.success || !after.success || before.data.id !== memory.id) return false;
  return memory.forgetReason === reasonOfLeft(expiryReason(before.data)) && isAsNoted(present, after.data);
}
