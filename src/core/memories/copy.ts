import { createId } from "../../lib/ids.js";
import { MISSING_JOB } from "../embeddings/roles.js";
import type { ContainerRow, MemoryChange, Quotation, Repositories } from "../ports.js";
import { unitOf, type Actor, type Memory } from "../types.js";
import { later } from "./expiry.js";
import { noteMemory } from "./memory-state.js";

/** What is copied, and where to. */
export interface Copying {
  /** The document that states the memories. */
  readonly documentId: string;
  readonly target: ContainerRow;
  /** For the journal. */
  readonly cause: string;
}

/**
 * Copies memories of a document into another container unchanged, as one undoable batch inside a transaction. If the text is
 * already active there, the document is linked to that memory instead.
 */
export async function copyMemories(
  repositories: Repositories,
  actor: Actor,
  memories: readonly Memory[],
  { documentId, target, cause }: Copying,
): Promise<void> {
  if (memories.length === 0) return;
  const batchId = createId();
  const quotations = await quotationsOf(repositories, actor, memories, documentId);
  for (const memory of memories) {
    const quotation = quotations.get(memory.id) ?? null;
    const link = { documentId, quote: quotation?.text ?? null, quoteAt: quotation?.at ?? null };
    const twin = await repositories.memories.byText(actor.organizationId, target.tag, memory.text);
    const copy = twin ?? (await insertCopy(repositories, actor, memory, target));
    const isLinked = await repositories.memories.addSource(actor.organizationId, copy.id, documentId, quotation);
    if (!isLinked) continue;
    if (twin) await repositories.memories.update(actor.organizationId, twin.id, joinedWith(twin, memory));
    const noted = { batchId, action: twin ? "memory.merged" : "memory.copied", cause, linked: [link] };
    await noteMemory(repositories, actor, noted, { before: twin, after: { id: copy.id } });
  }
  await repositories.jobs.enqueue([MISSING_JOB]);
}

function joinedWith(twin: Memory, memory: Memory): MemoryChange {
  return {
    strength: twin.strength + 1,
    isStatic: twin.isStatic || memory.isStatic,
    forgetAfter: later(twin.forgetAfter, memory.forgetAfter),
    ownForgetAfter: later(twin.ownForgetAfter, memory.ownForgetAfter),
  };
}

async function insertCopy(
  repositories: Repositories,
  actor: Actor,
  memory: Memory,
  target: ContainerRow,
): Promise<Memory> {
  const { text, kind, isStatic, isInference, forgetReason, origin, metadata, entities, buckets } = memory;
  const { forgetAfter, ownForgetAfter } = memory;
  const draft = { text, kind, isStatic, isInference, forgetAfter, ownForgetAfter, forgetReason, origin, metadata };
  const copy = await repositories.memories.insert(
    actor.organizationId,
    { ...draft, id: createId(), containerTag: target.tag, ...(entities && { entities }), ...(buckets && { buckets }) },
    { parentId: null, rootId: null, version: 1 },
  );
  await repositories.units.indexText({
    unit: unitOf("memory", copy.seq),
    containerIds: [target.id],
    text,
    context: "",
  });
  return copy;
}

/** The words of the document that state each memory, by its id. */
async function quotationsOf(
  { memories }: Repositories,
  { organizationId }: Actor,
  stated: readonly Memory[],
  documentId: string,
): Promise<ReadonlyMap<string, Quotation>> {
  const statements = await memories.statements(
    organizationId,
    stated.map(({ id }) => id),
  );
  const own = statements.filter(
    (statement) => statement.documentId === documentId && (statement.quote ?? statement.quoteAt),
  );
  return new Map(own.map(({ memoryId, quote, quoteAt }) => [memoryId, { text: quote, at: quoteAt }]));
}
