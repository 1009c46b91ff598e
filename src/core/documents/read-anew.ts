import { iso } from "../../lib/time.js";
import * as z from "zod";
import { maySee, systemActor } from "../auth.js";
import { createId } from "../../lib/ids.js";
import { replaceAgain } from "../memories/expire.js";
import { isExpiry } from "../memories/expiry.js";
import { isExpired } from "../memories/find-memory.js";
import { forgetMemories, lostGroundOf } from "../memories/forget.js";
import { isStatedAlone } from "../memories/forget-leaving.js";
import { forgetLeaving } from "../memories/forget-leaving.js";
import { noteMemory } from "../memories/memory-state.js";
import { isPast, readOnlyFrom, withoutPast } from "../memories/read-again.js";
import { unformedBy } from "../memories/set-aside.js";
import type { Repositories } from "../ports.js";
import { unitOf, type Actor, type Document, type Memory } from "../types.js";
import { singleSpaced } from "../../lib/single-spaced.js";

/** A new text of a document. */
export interface NewText {
  readonly content: string;
  readonly now: Date;
}

/**
 * Forgets what only this document states; other memories lose it as a source. Of its past only what was forgotten or replaced
 * and is repeated in the new text is remembered, so that repeating it says nothing new.
 */
export async function forgetStated(
  repositories: Repositories,
  actor: Actor,
  document: Document,
  next: NewText,
): Promise<void> {
  const reason = `document ${document.id} was replaced`;
  const all = await statedBy(repositories, actor, document);
  const past = await pastStillSaid(repositories, document, all, next);
  const left = all.filter(({ id }) => !past.has(id));
  for (const memory of left) await repositories.memories.removeSource(document.organizationId, memory.id, document.id);
  const leaving = { documentId: document.id, reason, batchId: createId() };
  await forgetLeaving(repositories, actor, left.filter(isStatedAlone), leaving);
}

/** Ids of memories that no longer hold and whose words the new text also contains. */
async function pastStillSaid(
  { memories }: Repositories,
  { organizationId, id }: Document,
  stated: readonly Memory[],
  { content, now }: NewText,
): Promise<ReadonlySet<string>> {
  const past = stated.filter((memory) => isPast(memory, now)).map((memory) => memory.id);
  const statements = past.length > 0 ? await memories.statements(organizationId, past) : [];
  const text = singleSpaced(content);
  const isSaid = (quote: string | null) => quote !== null && text.includes(singleSpaced(quote));
  return new Set(
    statements.filter(({ documentId, quote }) => documentId === id && isSaid(quote)).map(({ memoryId }) => memoryId),
  );
}

/** The same for a document that no longer forms memories: `remindStated` restores them as they were. */
export async function setAsideStated(repositories: Repositories, actor: Actor, document: Document): Promise<void> {
  const { organizationId, id } = document;
  const active = (await statedBy(repositories, actor, document)).filter(
    ({ isLatest, isForgotten }) => isLatest && !isForgotten,
  );
  const alone = active.filter(isStatedAlone);
  for (const memory of active)
    if (!alone.includes(memory)) await repositories.memories.removeSource(organizationId, memory.id, id);
  await forgetMemories(repositories, actor, alone, unformedBy(id));
}

/** Restores what was forgotten because the document formed no memories, if it still holds and is not known again. */
export async function remindStated(
  repositories: Repositories,
  actor: Actor,
  document: Document,
  now: Date,
): Promise<void> {
  const { organizationId, id } = document;
  const batchId = createId();
  for (const memory of await statedBy(repositories, actor, document)) {
    if (!memory.isForgotten || memory.forgetReason !== unformedBy(id)) continue;
    if (memory.forgetAfter !== null && memory.forgetAfter <= iso(now)) continue;
    if (await repositories.memories.byText(organizationId, memory.containerTag, memory.text)) continue;
    if (memory.isInference && (await lostGroundOf(repositories, organizationId, memory)) !== null) continue;
    await remind(repositories, organizationId, memory, { batchId, cause: "its document forms memories again" });
  }
}

/**
 * Restores what was forgotten because it expired, if it has time now. What is known again or derived from what is gone stays
 * forgotten.
 */
export async function remindExpired(
  repositories: Repositories,
  actor: Actor,
  memories: readonly Memory[],
  { now, cause }: { readonly now: Date; readonly cause: string },
): Promise<void> {
  const { organizationId } = actor;
  const batchId = createId();
  for (const memory of memories) {
    if (!memory.isForgotten || isExpired(memory, now)) continue;
    const { before } = (await repositories.journal.latest(organizationId, memory.id, "memory.forgotten")) ?? {};
    if (!isExpiry(memory.forgetReason, before)) continue;
    if (await repositories.memories.byText(organizationId, memory.containerTag, memory.text)) continue;
    if (memory.isInference && (await lostGroundOf(repositories, organizationId, memory)) !== null) continue;
    await remind(repositories, organizationId, memory, { batchId, cause });
    await replaceAgain(repositories, actor, memory);
  }
}

const reasonedSchema = z.object({ forgetReason: z.string().nullable() });

/** Recorded as done by the service: nobody has touched the memory itself. */
async function remind(
  repositories: Repositories,
  organizationId: string,
  memory: Memory,
  { batchId, cause }: { readonly batchId: string; readonly cause: string },
): Promise<void> {
  const container = await repositories.memories.containerOf(organizationId, memory.id);
  if (!container) return;
  const forgotten = await repositories.journal.latest(organizationId, memory.id, "memory.forgotten");
  const forgetReason = reasonedSchema.safeParse(forgotten?.before).data?.forgetReason ?? null;
  await repositories.memories.update(organizationId, memory.id, { isForgotten: false, forgetReason });
  await repositories.units.setForgotten(unitOf("memory", memory.seq), container.id, false);
  const noted = { batchId, action: "memory.restored", cause };
  await noteMemory(repositories, systemActor(organizationId), noted, { before: memory, after: { id: memory.id } });
}

/**
 * Forgets what the service found in a document before it is read anew, leaving no trace among its sources; what a person wrote,
 * changed, reviewed or forgot stays, and is known as such.
 */
export async function forgetRead(
  repositories: Repositories,
  actor: Actor,
  document: Document,
  now: Date,
): Promise<void> {
  const { organizationId, id } = document;
  const reread = { organizationId, documentId: id };
  const all = await readOnlyFrom(repositories, reread);
  const facts = all.map(({ text, kind, isStatic }) => ({ text, kind, isStatic }));
  // What was forgotten in one of its containers is not found again for the others.
  const findable = new Set((await withoutPast(repositories, reread, facts, now)).map(({ text }) => text));
  const read = all.filter(({ text }) => findable.has(text));
  for (const memory of read) await repositories.memories.removeSource(organizationId, memory.id, id);
  await forgetMemories(repositories, actor, read, `document ${id} was read again`);
}

/** Memories of a document that the actor may see. */
async function statedBy(repositories: Repositories, actor: Actor, { organizationId, id }: Document): Promise<Memory[]> {
  const memories = await repositories.memories.ofDocument(organizationId, id);
  return memories.filter((memory) => maySee(actor, [memory.containerTag]));
}
