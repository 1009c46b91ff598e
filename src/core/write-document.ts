import { createId } from "../lib/ids.js";
import { titleOf } from "../lib/title.js";
import { mayChange, requireContainer } from "./auth.js";
import { AppError } from "./errors.js";
import { checkMetadataSize, invalid } from "./input.js";
import type { DocumentDraft, JobDraft, StoreNouns } from "./ports.js";
import { DEFAULT_CONTAINER, type PreparedDocument } from "./prepare-document.js";
import type { Actor, Document, RememberedFact } from "./types.js";

/** What became of an added document by the time of the answer. Durable in any case. */
export interface DocumentReceipt {
  readonly id: string;
  readonly status: Document["status"];
  readonly dreamingStatus: Document["dreamingStatus"];
  readonly containerTags: readonly string[];
  /** Null until the facts were resolved. */
  readonly facts: readonly RememberedFact[] | null;
  readonly errorReason: string | null;
}

/**
 * Keeps a checked submission inside a transaction: row, journal entry and first job. The caller wakes the job runner
 * once the transaction is through.
 * @throws AppError `invalid`, `too_large` or `forbidden`; the transaction must then roll back
 */
export async function writeDocument(
  nouns: StoreNouns,
  actor: Actor,
  prepared: PreparedDocument,
): Promise<DocumentReceipt> {
  const { organizationId } = actor;
  const { input } = prepared;
  const existing = input.customId ? await nouns.documents.byCustomId(organizationId, input.customId) : null;
  if (existing && !mayChange(actor, existing.containerTags))
    throw new AppError("forbidden", `The customId ${input.customId} belongs to a container this key may not use.`);
  const tags = prepared.containerTags ?? existing?.containerTags ?? [DEFAULT_CONTAINER];
  for (const tag of tags) requireContainer(actor, tag);
  await checkUpdates(nouns, organizationId, tags, input.facts ?? []);
  const draft = draftOf(actor, prepared, tags);
  if (!existing) return insertDocument(nouns, actor, draft);
  const merged = mergeDrafts(existing, draft);
  checkMetadataSize("metadata", merged.metadata, prepared.limits);
  return replaceDocument(nouns, actor, existing, merged);
}

function draftOf(actor: Actor, { input, known }: PreparedDocument, tags: readonly string[]): DocumentDraft {
  const taskType = input.taskType ?? "memory";
  const source = input.metadata?.["sm_source"];
  return {
    id: createId(),
    customId: input.customId ?? null,
    containerTags: tags,
    content: input.content,
    turns: known.turns ?? null,
    title: input.title ?? null,
    url: known.url ?? null,
    client: actor.client ?? null,
    type: known.type ?? "text",
    status: "queued",
    dreamingStatus: taskType === "memory" ? "dreaming" : "done",
    taskType,
    dreaming: input.dreaming ?? "dynamic",
    metadata: input.metadata ?? null,
    filterByMetadata: input.filterByMetadata ?? null,
    source: typeof source === "string" ? source.slice(0, 255) : null,
    filepath: input.filepath ?? null,
    documentDate: input.documentDate ?? null,
    origin: input.origin ?? "user",
    facts: input.facts ?? null,
    rememberAsIs: input.rememberAsIs ?? false,
  };
}

/** A fact that replaces a memory must name one that is there, before anything is accepted. */
async function checkUpdates(
  nouns: StoreNouns,
  organizationId: string,
  tags: readonly string[],
  facts: readonly { updates?: string | undefined }[],
): Promise<void> {
  for (const [index, fact] of facts.entries()) {
    if (fact.updates === undefined) continue;
    const memory = await nouns.memories.byId(organizationId, fact.updates);
    if (!memory || !tags.includes(memory.containerTag))
      throw invalid([
        {
          path: ["facts", index, "updates"],
          message: `there is no memory ${fact.updates} in ${tags.join(", ")}; search for its id, or leave updates out`,
        },
      ]);
  }
}

async function insertDocument(nouns: StoreNouns, actor: Actor, draft: DocumentDraft): Promise<DocumentReceipt> {
  const document = await nouns.documents.insert(actor.organizationId, draft);
  await nouns.jobs.enqueue([firstJob(document)]);
  await noteDocument(nouns, actor, document, "document.added", null);
  return receiptOf(document);
}

/**
 * What a document becomes when its customId is added again. What is not sent stays, but for a title that was taken from
 * the old text.
 */
function mergeDrafts(existing: Document, draft: DocumentDraft): DocumentDraft {
  const keepsTitle = existing.content === draft.content || existing.title !== titleOf(existing.content);
  return {
    ...draft,
    id: existing.id,
    metadata: draft.metadata ? { ...existing.metadata, ...draft.metadata } : existing.metadata,
    source: draft.source ?? existing.source,
    title: draft.title ?? (keepsTitle ? existing.title : null),
    filepath: draft.filepath ?? existing.filepath,
  };
}

/** Re-adding a customId: contract.md §3.1.3. Identical content does no work; what failed is tried again. */
async function replaceDocument(
  nouns: StoreNouns,
  actor: Actor,
  existing: Document,
  draft: DocumentDraft,
): Promise<DocumentReceipt> {
  const { metadata, title, filepath, source } = draft;
  const change = { metadata, title, filepath, source };
  const isSameText = existing.content === draft.content && draft.facts === null;
  const hasSameTags = existing.containerTags.join("\n") === draft.containerTags.join("\n");
  if (isSameText && hasSameTags && existing.errorReason === null) {
    const before = { metadata: existing.metadata, title: existing.title, filepath: existing.filepath };
    if (JSON.stringify({ metadata, title, filepath }) !== JSON.stringify(before))
      await nouns.documents.update(actor.organizationId, existing.id, change);
    return receiptOf(existing);
  }
  await nouns.documents.keepRevision(actor.organizationId, existing.id, existing.revision, existing.content);
  const next: Document = { ...existing, ...draft, revision: existing.revision + 1, receipt: null };
  await nouns.documents.update(actor.organizationId, existing.id, {
    ...change,
    content: draft.content,
    revision: next.revision,
    containerTags: draft.containerTags,
    status: "queued",
    dreamingStatus: draft.dreamingStatus,
    errorReason: null,
    taskType: draft.taskType,
    dreaming: draft.dreaming,
    documentDate: draft.documentDate,
    facts: draft.facts,
    rememberAsIs: draft.rememberAsIs,
    receipt: null,
  });
  await nouns.jobs.dropDead(existing.id);
  await nouns.jobs.enqueue([firstJob(next)]);
  await noteDocument(nouns, actor, next, "document.replaced", { revision: existing.revision });
  return { ...receiptOf(next), errorReason: null };
}

/** The job that starts the pipeline for the newest revision of a document. */
function firstJob(document: Document): JobDraft {
  return {
    kind: "extract",
    payload: { documentId: document.id, revision: document.revision },
    group: document.containerTags[0] ?? DEFAULT_CONTAINER,
    key: `extract:${document.id}:${document.revision}`,
  };
}

/** Notes a change of a document. */
export async function noteDocument(
  nouns: StoreNouns,
  actor: Actor,
  document: Document,
  action: string,
  before: unknown,
): Promise<void> {
  await nouns.journal.append(actor.organizationId, [
    {
      batchId: createId(),
      actor: actor.name,
      action,
      subject: "document",
      subjectId: document.id,
      containerTag: document.containerTags[0] ?? null,
      cause: null,
      before,
      after: { revision: document.revision, customId: document.customId, bytes: Buffer.byteLength(document.content) },
    },
  ]);
}

/** What is told of a document after a write. */
export function receiptOf(
  document: Document | (DocumentDraft & Pick<Document, "receipt" | "errorReason">),
): DocumentReceipt {
  return {
    id: document.id,
    status: document.status,
    dreamingStatus: document.dreamingStatus,
    containerTags: document.containerTags,
    facts: document.receipt,
    errorReason: document.errorReason,
  };
}
