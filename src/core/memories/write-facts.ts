import { createId } from "../../lib/ids.js";
import { iso } from "../../lib/time.js";
import type { ContainerRow, Quotation, StoreNouns } from "../ports.js";
import { unitOf, type Actor, type Memory, type Origin, type RememberedFact } from "../types.js";
import { forgetBatch } from "./forget.js";
import { noteMemory } from "./memory-state.js";
import { readOnce, type ReadText } from "./relate.js";
import { newcomers, relateFact, type Related } from "./related-facts.js";
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
  /** ISO date of what states the facts; now when it is left out. */
  readonly statedAt?: string | null | undefined;
  /** How many memories the rules may replace; what would replace more waits for review. */
  readonly maxSuperseded: number;
}

/** What was written so far of a batch. */
interface Batch {
  readonly id: string;
  /** Ids of what the batch stated. */
  readonly stated: Set<string>;
  /** Memories that came after the resolution, those of this batch included. */
  readonly newcomers: Memory[];
  readonly read: ReadText;
  /** How many memories the rules replaced. */
  superseded: number;
}

/**
 * Commits resolved facts inside a transaction as one undoable batch: a new one becomes a memory, one that exists is
 * strengthened, one that takes the place of another becomes its next version. Nothing is overwritten. What its caller
 * says it replaces, it replaces; else rules decide (`relate.ts`).
 * @returns what became of each fact, in order
 */
export async function writeFacts(nouns: StoreNouns, writing: FactWriting): Promise<RememberedFact[]> {
  const { facts } = writing.resolution;
  const known = facts.length > 0 ? await newcomers(nouns, writing) : [];
  const batch: Batch = { id: createId(), stated: new Set(), newcomers: known, read: readOnce(), superseded: 0 };
  const remembered: RememberedFact[] = [];
  for (const fact of facts) {
    const one = await writeFact(nouns, writing, fact, batch);
    batch.stated.add(one.id);
    remembered.push(one);
  }
  if (facts.some((fact) => fact.vector === null))
    await nouns.jobs.enqueue([{ kind: "embed-missing", payload: {}, group: "system", key: "embed-missing" }]);
  return remembered;
}

async function writeFact(
  nouns: StoreNouns,
  writing: FactWriting,
  fact: ResolvedFact,
  batch: Batch,
): Promise<RememberedFact> {
  const { updates } = fact.candidate;
  const latest = updates ? await latestVersion(nouns, writing, updates) : null;
  // Two facts may take the place of one; the second must not replace the first.
  const replaceable = latest && !batch.stated.has(latest.id) ? latest : null;
  const judged = judgeFact(fact.candidate, writing.origin, replaceable);
  const { candidate } = judged;
  const replaced = judged.isFlagged ? null : replaceable;
  const existing = await findExisting(nouns, writing, { ...fact, isFlagged: judged.isFlagged }, batch.id);
  if (existing && existing.id !== replaced?.id) {
    await strengthen(nouns, writing, existing, judged, batch.id);
    const reason = `replaced by memory ${existing.id}`;
    if (replaced) await forgetBatch(nouns, writing.actor, [replaced], { reason, batchId: batch.id });
    return { id: existing.id, text: existing.text, outcome: "duplicate", ...(replaced && { replaced: replaced.id }) };
  }
  if (existing && existing.text === candidate.text) {
    await strengthen(nouns, writing, existing, judged, batch.id);
    return { id: existing.id, text: existing.text, outcome: "duplicate" };
  }
  const isDoubtful = judged.isFlagged || candidate.isInference === true;
  // A guess takes the place of nothing.
  const related = updates || isDoubtful ? NEW : await relateFact(nouns, writing, fact, batch);
  return writeNew(nouns, writing, { ...judged, vector: fact.vector }, batch, replaced ? continuing(replaced) : related);
}

const NEW: Related = { kind: "new" };

function continuing(memory: Memory): Related & { readonly isNamed: true } {
  return { kind: "updates", memories: [memory], isNamed: true };
}

type JudgedVector = JudgedFact<StatedCandidate> & Pick<ResolvedFact, "vector">;

/** Writes a fact that is not known yet, as how it relates to what is known asks for. */
async function writeNew(
  nouns: StoreNouns,
  writing: FactWriting,
  fact: JudgedVector,
  batch: Batch,
  related: Related & { readonly isNamed?: true },
): Promise<RememberedFact> {
  const { organizationId } = writing.actor;
  if (related.kind === "updates" && !related.isNamed) {
    const doubt = doubtOf(writing, fact, batch, related.memories);
    if (doubt) return outcomeOf(await insertMemory(nouns, writing, doubt, { batch }), "added");
    batch.superseded += related.memories.length;
  }
  const [replaced = null, ...others] = related.kind === "updates" ? related.memories : [];
  const isPast = related.kind === "outdated";
  const memory = await insertMemory(nouns, writing, fact, { batch, replaced, isPast });
  switch (related.kind) {
    case "new":
      return outcomeOf(memory, "added");
    case "extends":
      await nouns.memories.relate(organizationId, memory.id, related.memory.id, "extends");
      return outcomeOf(memory, "extended");
    case "outdated":
      await nouns.memories.relate(organizationId, related.by.id, memory.id, "updates");
      return outcomeOf(memory, "outdated");
    case "updates": {
      const reason = `replaced by memory ${memory.id}`;
      if (others.length > 0) await forgetBatch(nouns, writing.actor, others, { reason, batchId: batch.id });
      for (const other of others) await nouns.memories.relate(organizationId, memory.id, other.id, "updates");
      return { ...outcomeOf(memory, "updated"), ...(replaced && { replaced: replaced.id }) };
    }
  }
}

function outcomeOf({ id, text, isInference }: Memory, outcome: RememberedFact["outcome"]): RememberedFact {
  return { id, text, outcome: isInference ? "review" : outcome };
}

/** The fact as one that waits for review, when it may not take the place of these memories; else null. */
function doubtOf(
  { origin, maxSuperseded }: FactWriting,
  fact: JudgedVector,
  { superseded }: Batch,
  memories: readonly Memory[],
): JudgedVector | null {
  const judged = memories.map((memory) => judgeFact(fact.candidate, origin, memory)).find(({ isFlagged: is }) => is);
  if (judged) return { ...judged, vector: fact.vector };
  if (superseded + memories.length <= maxSuperseded) return null;
  const label = { trust: "flagged", flagged: [`its document would replace more than ${maxSuperseded} memories`] };
  return { ...fact, candidate: { ...fact.candidate, isStatic: false }, isFlagged: true, label };
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

/** Where a new memory belongs. */
interface Placing {
  readonly batch: Batch;
  /** The version that it continues. */
  readonly replaced?: Memory | null;
  /** It does not hold any more: kept in the record, never found. */
  readonly isPast?: boolean;
}

async function insertMemory(
  nouns: StoreNouns,
  writing: FactWriting,
  { candidate, isFlagged: isDoubtful, label, vector }: JudgedVector,
  { batch, replaced = null, isPast = false }: Placing,
): Promise<Memory> {
  const { organizationId } = writing.actor;
  if (replaced) {
    await nouns.memories.update(organizationId, replaced.id, { isLatest: false });
    await nouns.units.unindex(unitOf("memory", replaced.seq));
  }
  const inserted = await nouns.memories.insert(
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
  await nouns.memories.addSource(organizationId, inserted.id, writing.documentId, quotationOf(candidate));
  if (isPast) await nouns.memories.update(organizationId, inserted.id, { isLatest: false });
  else await makeFindable(nouns, writing, inserted, vector);
  const memory = { ...inserted, isLatest: !isPast };
  if (!isPast) batch.newcomers.push(memory);
  const action = replaced ? "memory.updated" : "memory.added";
  const noted = { batchId: batch.id, action, cause: `document ${writing.documentId}` };
  await noteMemory(nouns, writing.actor, noted, { before: replaced, after: memory });
  return memory;
}

async function makeFindable(
  nouns: StoreNouns,
  { container, resolution }: FactWriting,
  memory: Memory,
  vector: Float32Array | null,
): Promise<void> {
  const unit = unitOf("memory", memory.seq);
  await nouns.units.indexText({ unit, containerIds: [container.id], text: memory.text, context: "" });
  if (vector && resolution.space) await nouns.units.addVector(unit, resolution.space, vector);
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
