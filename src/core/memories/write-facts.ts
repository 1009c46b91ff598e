import { createId } from "../../lib/ids.js";
import { iso } from "../../lib/time.js";
import type { ContainerRow, Quotation, StoreNouns } from "../ports.js";
import { unitOf, type Actor, type Memory, type Origin, type RememberedFact } from "../types.js";
import { forgetBatch } from "./forget.js";
import { noteMemory } from "./memory-state.js";
import type { Resolution, ResolvedFact, StatedCandidate } from "./resolve-facts.js";
import { isFlagged, judgeFact, withoutLabel, type JudgedFact } from "./trust.js";

export interface FactWriting {
  readonly actor: Actor;
  readonly container: ContainerRow;
  /** The document that states the facts. */
  readonly documentId: string;
  readonly origin: Origin;
  readonly resolution: Resolution;
  readonly now: Date;
}

/**
 * Commits resolved facts inside a transaction as one undoable batch: a new one becomes a memory, one that exists is
 * strengthened, one that replaces another becomes its next version. Nothing is overwritten.
 * @returns what became of each fact, in order
 */
export async function writeFacts(nouns: StoreNouns, writing: FactWriting): Promise<RememberedFact[]> {
  const batchId = createId();
  const remembered: RememberedFact[] = [];
  for (const fact of writing.resolution.facts)
    remembered.push(await writeFact(nouns, writing, fact, batchId, new Set(remembered.map(({ id }) => id))));
  if (writing.resolution.facts.some((fact) => fact.vector === null))
    await nouns.jobs.enqueue([{ kind: "embed-missing", payload: {}, group: "system", key: "embed-missing" }]);
  return remembered;
}

async function writeFact(
  nouns: StoreNouns,
  writing: FactWriting,
  fact: ResolvedFact,
  batchId: string,
  stated: ReadonlySet<string>,
): Promise<RememberedFact> {
  const { updates } = fact.candidate;
  const latest = updates ? await latestVersion(nouns, writing, updates) : null;
  // Two facts may take the place of one; the second must not replace the first.
  const replaceable = latest && !stated.has(latest.id) ? latest : null;
  const judged = judgeFact(fact.candidate, writing.origin, replaceable);
  const { candidate } = judged;
  const replaced = judged.isFlagged ? null : replaceable;
  const existing = await findExisting(nouns, writing, { ...fact, isFlagged: judged.isFlagged }, batchId);
  if (existing && existing.id !== replaced?.id) {
    await strengthen(nouns, writing, existing, judged, batchId);
    const reason = `replaced by memory ${existing.id}`;
    if (replaced) await forgetBatch(nouns, writing.actor, [replaced], { reason, batchId });
    return { id: existing.id, text: existing.text, outcome: "duplicate", ...(replaced && { replaced: replaced.id }) };
  }
  if (existing && existing.text === candidate.text) {
    await strengthen(nouns, writing, existing, judged, batchId);
    return { id: existing.id, text: existing.text, outcome: "duplicate" };
  }
  const memory = await insertMemory(nouns, writing, { ...judged, vector: fact.vector }, replaced, batchId);
  return replaced
    ? { id: memory.id, text: memory.text, outcome: "updated", replaced: replaced.id }
    : { id: memory.id, text: memory.text, outcome: "added" };
}

/** The active memory that says the same, if it is still true; one whose time is over makes room. */
async function findExisting(
  nouns: StoreNouns,
  writing: FactWriting,
  fact: ResolvedFact & { readonly isFlagged: boolean },
  batchId: string,
): Promise<Memory | null> {
  const { organizationId } = writing.actor;
  const byText = await nouns.memories.byText(organizationId, writing.container.tag, fact.candidate.text);
  if (byText?.forgetAfter && byText.forgetAfter <= iso(writing.now)) {
    const reason = byText.forgetReason ?? "its time was over";
    await forgetBatch(nouns, writing.actor, [byText], { reason, batchId });
    return null;
  }
  if (byText) return byText;
  const twin = fact.twin ? await nouns.memories.byId(organizationId, fact.twin) : null;
  // Other words than these were flagged: they must not become stated by a fact that only resembles them.
  if (twin && isFlagged(twin) && !fact.isFlagged) return null;
  return twin?.isLatest && !twin.isForgotten ? twin : null;
}

/** The newest version of the memory that a fact replaces, or null when it is gone meanwhile. */
async function latestVersion(nouns: StoreNouns, writing: FactWriting, id: string): Promise<Memory | null> {
  const { organizationId } = writing.actor;
  const memory = await nouns.memories.byId(organizationId, id);
  if (!memory || memory.containerTag !== writing.container.tag) return null;
  const latest = memory.isLatest ? memory : await nouns.memories.latestOf(organizationId, memory.rootId ?? memory.id);
  return latest && !latest.isForgotten ? latest : null;
}

async function strengthen(
  nouns: StoreNouns,
  writing: FactWriting,
  memory: Memory,
  { candidate, isFlagged: isDoubtful }: JudgedFact<StatedCandidate>,
  batchId: string,
): Promise<void> {
  const { organizationId } = writing.actor;
  const isStatedNow = memory.isInference && !isDoubtful && candidate.isInference !== true;
  const known = isStatedNow ? withoutLabel(memory.metadata) : memory.metadata;
  const link = { documentId: writing.documentId, quote: candidate.quote ?? null };
  const isNew = await nouns.memories.addSource(organizationId, memory.id, link.documentId, quotationOf(candidate));
  const metadata = candidate.metadata ? { ...known, ...candidate.metadata } : known;
  await nouns.memories.update(organizationId, memory.id, {
    strength: memory.strength + 1,
    metadata,
    isStatic: memory.isStatic || candidate.isStatic,
    ...(isStatedNow && { isInference: false }),
    forgetAfter: later(memory.forgetAfter, candidate.forgetAfter ?? null),
  });
  const cause = `document ${writing.documentId}`;
  const noted = { batchId, action: "memory.strengthened", cause, linked: isNew ? [link] : [] };
  await noteMemory(nouns, writing.actor, noted, { before: memory, after: { id: memory.id } });
}

/** Of two ends the later one; null is no end. What is stated again holds for as long as either statement says. */
export function later(one: string | null, other: string | null): string | null {
  if (one === null || other === null) return null;
  return one > other ? one : other;
}

async function insertMemory(
  nouns: StoreNouns,
  writing: FactWriting,
  { candidate, isFlagged: isDoubtful, label, vector }: JudgedFact<StatedCandidate> & Pick<ResolvedFact, "vector">,
  replaced: Memory | null,
  batchId: string,
): Promise<Memory> {
  const { organizationId } = writing.actor;
  if (replaced) {
    await nouns.memories.update(organizationId, replaced.id, { isLatest: false });
    await nouns.units.unindex(unitOf("memory", replaced.seq));
  }
  const memory = await nouns.memories.insert(
    organizationId,
    {
      id: createId(),
      containerTag: writing.container.tag,
      text: candidate.text,
      kind: candidate.kind,
      isStatic: candidate.isStatic,
      isInference: isDoubtful || candidate.isInference === true,
      forgetAfter: candidate.forgetAfter ?? null,
      forgetReason: candidate.forgetReason ?? null,
      origin: writing.origin,
      metadata: metadataOf(candidate, label),
    },
    replaced
      ? { parentId: replaced.id, rootId: replaced.rootId ?? replaced.id, version: replaced.version + 1 }
      : { parentId: null, rootId: null, version: 1 },
  );
  await nouns.memories.addSource(organizationId, memory.id, writing.documentId, quotationOf(candidate));
  const unit = unitOf("memory", memory.seq);
  const containerIds = [writing.container.id];
  await nouns.units.indexText({ unit, containerIds, text: memory.text, context: "" });
  if (vector && writing.resolution.space) await nouns.units.addVector(unit, writing.resolution.space, vector);
  const action = replaced ? "memory.updated" : "memory.added";
  const noted = { batchId, action, cause: `document ${writing.documentId}` };
  await noteMemory(nouns, writing.actor, noted, { before: replaced, after: memory });
  return memory;
}

function quotationOf({ quote, quoteAt }: StatedCandidate): Quotation | null {
  return quote === undefined ? null : { text: quote, at: quoteAt ?? null };
}

function metadataOf(
  { metadata, eventDates }: StatedCandidate,
  label: JudgedFact<StatedCandidate>["label"],
): Readonly<Record<string, unknown>> | null {
  const temporalContext = eventDates?.length ? { eventDate: eventDates } : null;
  if (!temporalContext && !label) return metadata ?? null;
  return { ...metadata, ...(temporalContext && { temporalContext }), ...label };
}
