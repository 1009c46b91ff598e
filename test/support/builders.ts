import type { ChunkDraft, DocumentDraft, DocumentQuery, JobDraft, KeptRevision, NewKey } from "../../src/core/ports.js";
import type {
  ApiKey,
  FilterCondition,
  FilterExpression,
  JournalEntry,
  MemoryDraft,
  VectorSpace,
} from "../../src/core/types.js";
import { createId } from "../../src/lib/ids.js";

/** A text document that has just been accepted, with the test's values. */
export function buildDocumentDraft(values: Partial<DocumentDraft> = {}): DocumentDraft {
  return {
    id: createId(),
    customId: null,
    containerTags: ["a"],
    content: "Ada keeps bees on the roof.",
    turns: null,
    title: null,
    url: null,
    client: null,
    type: "text",
    status: "queued",
    dreamingStatus: "dreaming",
    taskType: "memory",
    dreaming: "dynamic",
    metadata: null,
    filterByMetadata: null,
    source: null,
    filepath: null,
    documentDate: null,
    forgetAfter: null,
    origin: "user",
    facts: null,
    rememberAsIs: false,
    ...values,
  };
}

/** The first submission of a document, replaced by an unrelated one. */
export function buildRevision(values: Partial<KeptRevision> = {}): KeptRevision {
  return { revision: 1, content: "an older text", isPrefixOfNext: false, pending: null, ...values };
}

/** A plain fact of container `a`, with the test's values. */
export function buildMemoryDraft(values: Partial<MemoryDraft> = {}): MemoryDraft {
  const id = values.id ?? createId();
  return {
    id,
    containerTag: "a",
    text: `Fact number ${id}`,
    kind: "fact",
    isStatic: false,
    isInference: false,
    forgetAfter: null,
    forgetReason: null,
    origin: "user",
    metadata: null,
    ...values,
  };
}

/** The lineage of a memory that replaces nothing. */
export const FIRST_VERSION = { parentId: null, rootId: null, version: 1 } as const;

/** Chunks with these texts, in order. */
export function buildChunkDrafts(...texts: readonly string[]): ChunkDraft[] {
  return texts.map((content) => ({ id: createId(), content, context: "", metadata: null }));
}

/** The first page of all documents, newest first, with the test's values. */
export function buildDocumentQuery(values: Partial<DocumentQuery> = {}): DocumentQuery {
  return { operator: "any", sort: "createdAt", order: "desc", offset: 0, limit: 100, includeContent: false, ...values };
}

export function buildJournalEntry(values: Partial<JournalEntry> = {}): JournalEntry {
  return {
    batchId: createId(),
    actor: "local",
    action: "document.added",
    subject: "document",
    subjectId: createId(),
    containerTag: "a",
    cause: null,
    before: null,
    after: null,
    ...values,
  };
}

export function buildJobDraft(values: Partial<JobDraft> = {}): JobDraft {
  return { kind: "extract", payload: {}, group: "a", ...values };
}

export function buildKey(organizationId: string, values: Partial<ApiKey> = {}): NewKey {
  return {
    id: createId(),
    organizationId,
    name: "test",
    kind: "organization",
    hint: "abcd",
    client: null,
    permission: "write",
    grants: null,
    rate: null,
    expiresAt: null,
    createdAt: "2024-01-01T00:00:00.000Z",
    ...values,
  };
}

/** An equality condition, with the test's values. */
export function buildCondition(
  key: string,
  value: string,
  values: Partial<Omit<FilterCondition, "key" | "value">> = {},
): FilterCondition {
  return { key, value, type: "metadata", operator: "=", negate: false, ignoreCase: false, ...values };
}

/** A filter of one condition. */
export function only(condition: FilterCondition): FilterExpression {
  return { all: [condition] };
}

/** A vector of the space that begins with these numbers, padded with zeros and scaled to length 1. */
export function buildVector(space: VectorSpace, ...numbers: readonly number[]): Float32Array {
  const vector = new Float32Array(space.dimensions);
  const length = Math.hypot(...numbers);
  for (const [index, value] of numbers.entries()) vector[index] = value / length;
  return vector;
}
