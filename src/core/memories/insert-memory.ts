import { firstVersionId } from "./first-version-id.js";
import { isDeepStrictEqual } from "node:util";
import { createId } from "../../lib/ids.js";
import type { MemoryChange, Quotation, Repositories } from "../ports.js";
import { addedClassification, classificationOf } from "../profile/bucket-verdict.js";
import { unitOf, type Memory } from "../types.js";
import { earlier, later } from "./expiry.js";
import { causeOf, type Batch, type FactWriting, type JudgedVector } from "./fact-writing.js";
import { isExpired } from "./find-memory.js";
import { forgetBatch, forgetDerived } from "./forget.js";
import { noteMemory } from "./memory-state.js";
import { meaningKey } from "./near-duplicates.js";
import { wordsStating, type StatedCandidate } from "./resolve-facts.js";
import { withoutLabel, type JudgedFact } from "./trust.js";

/** Records that a memory was stated again: one more source, perhaps a later expiry, and if it was a guess, it no longer is. */
export async function strengthen(
  repositories: Repositories,
  writing: FactWriting,
  memory: Memory,
  { candidate, isFlagged: isDoubtful }: JudgedFact<StatedCandidate>,
  batch: Pick<Batch, "id" | "documentEnd">,
): Promise<void> {
  const { organizationId } = writing.actor;
  const stated = endsOf(candidate, batch);
  const isStatedNow = memory.isInference && !isDoubtful && candidate.isInference !== true;
  const known = isStatedNow ? withoutLabel(memory.metadata) : memory.metadata;
  const link = { documentId: writing.documentId, quote: wordsStating(candidate) ?? null };
  const isNew = await repositories.memories.addSource(
    organizationId,
    memory.id,
    link.documentId,
    quotationOf(candidate),
  );
  const metadata = candidate.metadata ? { ...known, ...candidate.metadata } : known;
  const isRepeated = isNew || !writing.readAgain;
  const change: MemoryChange = {
    metadata,
    isStatic: memory.isStatic || candidate.isStatic,
    ...(isStatedNow && { isInference: false }),
    ...(!isDoubtful && addedClassification(memory, candidate)),
    ...(isRepeated && {
      strength: memory.strength + 1,
      forgetAfter: later(memory.forgetAfter, stated.forgetAfter),
      ownForgetAfter: later(memory.ownForgetAfter, stated.ownForgetAfter),
    }),
  };
  if (!isRepeated && changesNothing(memory, change)) return;
  await repositories.memories.update(organizationId, memory.id, change);
  const noted = {
    batchId: batch.id,
    action: "memory.strengthened",
    cause: causeOf(writing),
    linked: isNew ? [link] : [],
  };
  await noteMemory(repositories, writing.actor, noted, { before: memory, after: { id: memory.id } });
}

function changesNothing(memory: Memory, change: MemoryChange): boolean {
  const now: Readonly<Record<string, unknown>> = { ...memory };
  return Object.entries(change).every(([key, value]) => isDeepStrictEqual(now[key] ?? null, value ?? null));
}

/** The active memory with this text, if it is still true; an expired one makes room. */
export async function activeWithText(
  repositories: Repositories,
  { actor, container, now }: FactWriting,
  text: string,
  batch: Pick<Batch, "id">,
): Promise<Memory | null> {
  const found = await repositories.memories.byText(actor.organizationId, container.tag, text);
  if (!found || !isExpired(found, now)) return found;
  const reason = found.forgetReason ?? "its time was over";
  await forgetBatch(repositories, actor, [found], { reason, batchId: batch.id });
  return null;
}

/** Where a new memory belongs. */
export interface Placing {
  readonly batch: Batch;
  /** The version that it continues. */
  readonly replaced?: Memory | null;
  /** It no longer holds: kept in the record, never found. */
  readonly isPast?: boolean;
}

/** Writes a memory, as the next version of the one it replaces, if any, and makes it searchable. */
export async function insertMemory(
  repositories: Repositories,
  writing: FactWriting,
  { candidate, isFlagged: isDoubtful, label, vector, held = [] }: JudgedVector,
  { batch, replaced = null, isPast = false }: Placing,
): Promise<Memory> {
  const { organizationId } = writing.actor;
  if (replaced) {
    await forgetDerived(repositories, writing.actor, [replaced], batch.id);
    await repositories.memories.update(organizationId, replaced.id, { isLatest: false });
    await repositories.units.unindex(unitOf("memory", replaced.seq));
  }
  const inserted = await repositories.memories.insert(
    organizationId,
    {
      id: createId(),
      containerTag: writing.container.tag,
      text: candidate.text,
      kind: candidate.kind,
      isStatic: candidate.isStatic,
      isInference: isDoubtful || candidate.isInference === true,
      ...endsOf(candidate, batch),
      forgetReason: candidate.forgetReason ?? null,
      origin: writing.origin,
      metadata: metadataOf(candidate, label),
      ...classificationOf(candidate),
    },
    replaced
      ? { parentId: replaced.id, rootId: firstVersionId(replaced), version: replaced.version + 1 }
      : { parentId: null, rootId: null, version: 1 },
  );
  await repositories.memories.addSource(organizationId, inserted.id, writing.documentId, quotationOf(candidate));
  if (isPast) await repositories.memories.update(organizationId, inserted.id, { isLatest: false });
  else await makeFindable(repositories, writing, inserted, vector);
  const memory = { ...inserted, isLatest: !isPast };
  if (!isPast) {
    batch.newcomers.push(memory);
    batch.meanings.set(meaningKey(memory.text), memory.id);
  }
  const action = replaced ? "memory.updated" : "memory.added";
  const wouldReplace = held.map(({ id }) => id);
  const noted = { batchId: batch.id, action, cause: causeOf(writing), wouldReplace };
  await noteMemory(repositories, writing.actor, noted, { before: replaced, after: memory });
  return memory;
}

async function makeFindable(
  repositories: Repositories,
  { container, resolution }: FactWriting,
  memory: Memory,
  vector: Float32Array | null,
): Promise<void> {
  const unit = unitOf("memory", memory.seq);
  await repositories.units.indexText({ unit, containerIds: [container.id], text: memory.text, context: "" });
  if (vector && resolution.space) await repositories.units.addVector(unit, resolution.space, vector);
}

/** A fact expires with what states it, unless it expires earlier by itself. */
function endsOf(
  { forgetAfter }: StatedCandidate,
  { documentEnd }: Pick<Batch, "documentEnd">,
): Pick<Memory, "forgetAfter" | "ownForgetAfter"> {
  const ownForgetAfter = forgetAfter ?? null;
  return { forgetAfter: earlier(ownForgetAfter, documentEnd), ownForgetAfter };
}

function quotationOf(candidate: StatedCandidate): Quotation | null {
  const words = wordsStating(candidate);
  const { quoteAt } = candidate;
  return words === undefined && !quoteAt ? null : { text: words ?? null, at: quoteAt ?? null };
}

function metadataOf(
  { metadata, ...stated }: StatedCandidate,
  label: JudgedFact<StatedCandidate>["label"],
): Readonly<Record<string, unknown>> | null {
  const temporalContext = temporalContextOf(stated);
  if (!temporalContext && !label) return metadata ?? null;
  return { ...metadata, ...(temporalContext && { temporalContext }), ...label };
}

/** The days of a fact, those that were completed, and those left open; null when it mentions none. */
function temporalContextOf({
  eventDates = [],
  completedDates = [],
  openDates = [],
}: StatedCandidate): Readonly<Record<string, unknown>> | null {
  if (eventDates.length + completedDates.length + openDates.length === 0) return null;
  return {
    ...(eventDates.length > 0 && { eventDate: eventDates }),
    ...(completedDates.length > 0 && { completed: completedDates }),
    ...(openDates.length > 0 && { open: openDates }),
  };
}
