import { createId } from "../../lib/ids.js";
import { iso } from "../../lib/time.js";
import type { CoreContext } from "../context.js";
import { AppError } from "../errors.js";
import { forgetMemories } from "./forget.js";
import { isSameFact } from "./near-duplicates.js";
import type { ContainerRow, StoreNouns } from "../ports.js";
import {
  unitOf,
  type Actor,
  type FactCandidate,
  type Memory,
  type Origin,
  type RememberedFact,
  type VectorSpace,
} from "../types.js";

/** How many likely twins of a candidate are looked at. */
const TWINS = 8;
/** Below this cosine two texts are not looked at as twins. */
const TWIN_COSINE = 0.8;

/** A candidate with what its caller wants to be kept beside it. */
export interface StatedCandidate extends FactCandidate {
  readonly forgetReason?: string | null;
  readonly metadata?: Readonly<Record<string, unknown>> | null;
}

/** A candidate with its vector and the memory it repeats, if any. */
export interface ResolvedFact {
  readonly candidate: StatedCandidate;
  readonly vector: Float32Array | null;
  /** Id of the memory that says the same. */
  readonly twin: string | null;
}

/** What `resolveFacts` found, ready to be committed. */
export interface Resolution {
  readonly facts: readonly ResolvedFact[];
  /** Null when no embedder could answer; the vectors are added later by a job. */
  readonly space: VectorSpace | null;
}

/**
 * Embeds candidates and looks for memories of the same container that say the same. Slow work: outside transactions.
 * An embedder that cannot answer costs the vectors for now, never the facts. A container that is not there yet has
 * nothing to repeat.
 */
export async function resolveFacts(
  context: CoreContext,
  organizationId: string,
  container: ContainerRow | null,
  candidates: readonly StatedCandidate[],
  signal?: AbortSignal,
): Promise<Resolution> {
  if (candidates.length === 0) return { facts: [], space: null };
  const embedded = await tryEmbed(
    context,
    candidates.map((candidate) => candidate.text),
    signal,
  );
  const facts: ResolvedFact[] = [];
  for (const [index, candidate] of candidates.entries()) {
    const vector = embedded?.vectors[index] ?? null;
    const twin =
      container && embedded && vector
        ? await findTwin(context, organizationId, container, embedded.space, candidate, vector)
        : null;
    facts.push({ candidate, vector, twin });
  }
  return { facts, space: embedded?.space ?? null };
}

async function tryEmbed(
  { embedder, store, log }: CoreContext,
  texts: readonly string[],
  signal?: AbortSignal,
): Promise<{ vectors: Float32Array[]; space: VectorSpace } | null> {
  try {
    const vectors = await embedInBatches(embedder, texts, signal);
    const space = await store.ensureSpace(embedder.fingerprint, vectors[0]?.length ?? 0);
    return { vectors, space };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    log.warn("facts are kept without vectors for now", { reason: error.message });
    return null;
  }
}

/** Vectors of any number of texts, in order. */
export async function embedInBatches(
  embedder: CoreContext["embedder"],
  texts: readonly string[],
  signal?: AbortSignal,
): Promise<Float32Array[]> {
  const vectors: Float32Array[] = [];
  for (let start = 0; start < texts.length; start += embedder.maxBatch)
    vectors.push(...(await embedder.embed(texts.slice(start, start + embedder.maxBatch), "document", signal)));
  return vectors;
}

async function findTwin(
  { store, vectors }: CoreContext,
  organizationId: string,
  container: ContainerRow,
  space: VectorSpace,
  candidate: FactCandidate,
  vector: Float32Array,
): Promise<string | null> {
  const scope = { containerIds: [container.id], kinds: ["memory"] as const, includeForgotten: false };
  const hits = await vectors.nearest({ space, vector, limit: TWINS, containerIds: [container.id], kinds: ["memory"] });
  const units = hits.filter((hit) => hit.cosine >= TWIN_COSINE).map((hit) => hit.unit);
  const details = units.length > 0 ? await store.units.details(organizationId, scope, units) : [];
  const twin = details.find((detail) => isSameFact(detail.text, candidate.text));
  return twin?.id ?? null;
}

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
  const { candidate } = fact;
  const latest = candidate.updates ? await latestVersion(nouns, writing, candidate.updates) : null;
  // Two facts may take the place of one; the second must not replace the first.
  const replaced = latest && !stated.has(latest.id) ? latest : null;
  const existing = await findExisting(nouns, writing, fact);
  if (existing && existing.id !== replaced?.id) {
    await strengthen(nouns, writing, existing, candidate, batchId);
    if (replaced) await forgetMemories(nouns, writing.actor, [replaced], `replaced by memory ${existing.id}`);
    return { id: existing.id, text: existing.text, outcome: "duplicate", ...(replaced && { replaced: replaced.id }) };
  }
  if (existing && existing.text === candidate.text) {
    await strengthen(nouns, writing, existing, candidate, batchId);
    return { id: existing.id, text: existing.text, outcome: "duplicate" };
  }
  const memory = await insertMemory(nouns, writing, fact, replaced, batchId);
  return replaced
    ? { id: memory.id, text: memory.text, outcome: "updated", replaced: replaced.id }
    : { id: memory.id, text: memory.text, outcome: "added" };
}

/** The active memory that says the same, if it is still true; one whose time is over makes room. */
async function findExisting(nouns: StoreNouns, writing: FactWriting, fact: ResolvedFact): Promise<Memory | null> {
  const { organizationId } = writing.actor;
  const byText = await nouns.memories.byText(organizationId, writing.container.tag, fact.candidate.text);
  if (byText?.forgetAfter && byText.forgetAfter <= iso(writing.now)) {
    await forgetMemories(nouns, writing.actor, [byText], byText.forgetReason ?? "its time was over");
    return null;
  }
  if (byText) return byText;
  const twin = fact.twin ? await nouns.memories.byId(organizationId, fact.twin) : null;
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
  candidate: StatedCandidate,
  batchId: string,
): Promise<void> {
  const { organizationId } = writing.actor;
  await nouns.memories.addSource(organizationId, memory.id, writing.documentId, candidate.quote ?? null);
  const metadata = candidate.metadata ? { ...memory.metadata, ...candidate.metadata } : memory.metadata;
  await nouns.memories.update(organizationId, memory.id, {
    strength: memory.strength + 1,
    metadata,
    isStatic: memory.isStatic || candidate.isStatic,
    forgetAfter: later(memory.forgetAfter, candidate.forgetAfter ?? null),
  });
  await note(
    nouns,
    writing,
    batchId,
    "memory.strengthened",
    memory,
    { strength: memory.strength },
    {
      strength: memory.strength + 1,
    },
  );
}

/** Of two ends the later one; null is no end. What is stated again holds for as long as either statement says. */
export function later(one: string | null, other: string | null): string | null {
  if (one === null || other === null) return null;
  return one > other ? one : other;
}

async function insertMemory(
  nouns: StoreNouns,
  writing: FactWriting,
  { candidate, vector }: ResolvedFact,
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
      isInference: false,
      forgetAfter: candidate.forgetAfter ?? null,
      forgetReason: candidate.forgetReason ?? null,
      origin: writing.origin,
      metadata: metadataOf(candidate),
    },
    replaced
      ? { parentId: replaced.id, rootId: replaced.rootId ?? replaced.id, version: replaced.version + 1 }
      : { parentId: null, rootId: null, version: 1 },
  );
  await nouns.memories.addSource(organizationId, memory.id, writing.documentId, candidate.quote ?? null);
  const unit = unitOf("memory", memory.seq);
  const containerIds = [writing.container.id];
  await nouns.units.indexText({ unit, containerIds, text: memory.text, context: "" });
  if (vector && writing.resolution.space) await nouns.units.addVector(unit, writing.resolution.space, vector);
  await note(
    nouns,
    writing,
    batchId,
    replaced ? "memory.updated" : "memory.added",
    memory,
    replaced && { id: replaced.id, text: replaced.text },
    { text: memory.text },
  );
  return memory;
}

function metadataOf(candidate: StatedCandidate): Readonly<Record<string, unknown>> | null {
  if (!candidate.eventDates?.length) return candidate.metadata ?? null;
  return { ...candidate.metadata, temporalContext: { eventDate: candidate.eventDates } };
}

async function note(
  nouns: StoreNouns,
  writing: FactWriting,
  batchId: string,
  action: string,
  memory: Memory,
  before: unknown,
  after: unknown,
): Promise<void> {
  await nouns.journal.append(writing.actor.organizationId, [
    {
      batchId,
      actor: writing.actor.name,
      action,
      subject: "memory",
      subjectId: memory.id,
      containerTag: memory.containerTag,
      cause: `document ${writing.documentId}`,
      before,
      after,
    },
  ]);
}
