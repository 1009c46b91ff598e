import type { Warned } from "../memories/secret-warnings.js";
import { createId } from "../../lib/ids.js";
import { mayChange, requireContainer } from "../auth.js";
import { takeAttachedAlong } from "./attached-documents.js";
import { awaitReading, fetchedAgain, outcomeOfText } from "./known-text.js";
import { keepEntityContext } from "../containers/entity-context.js";
import { homeOf } from "./custom-ids.js";
import { isTitleFromText } from "./document-title.js";
import { AppError } from "../errors.js";
import { checkMetadataSize, invalid } from "../input.js";
import { isExpired } from "../memories/find-memory.js";
import { isOutsideOrigin } from "../memories/trust.js";
import { endWithDocument, momentOfEnd, withEndWarning } from "./document-end.js";
import { taskTypeAt } from "./memory-paths.js";
import { refuseMerging } from "../containers/merge.js";
import type { DocumentChange, DocumentDraft, Repositories } from "../ports.js";
import { usualContainer } from "../containers/usual-container.js";
import type { PreparedDocument } from "./prepare-document.js";
import { firstJob, isSameList, noteDocument, reviseDocument } from "./revise-document.js";
import type { Actor, Document, Origin, RememberedFact } from "../types.js";

export { noteDocument } from "./revise-document.js";

/** The outcome for an added document at the time of the answer. Durable in any case. */
export interface DocumentReceipt extends Warned {
  readonly id: string;
  readonly status: Document["status"];
  readonly dreamingStatus: Document["dreamingStatus"];
  readonly containerTags: readonly string[];
  /** Null until the facts are resolved. */
  readonly facts: readonly RememberedFact[] | null;
  readonly errorReason: string | null;
  /** How many of its facts were left out because of the limits in the settings. */
  readonly factsLeftOut: number;
  /** When it expires, or expired; only if there is such a moment. */
  readonly forgetAfter?: string;
  /** What its memories wait for; reported only to a caller that waited for them. */
  readonly dreamingReason?: string;
  /** Set if this submission is read alone and immediately, as requested. */
  readonly isInstant?: true;
  /** Set if the document with the customId already existed. */
  readonly isUpdate?: true;
  /** Set if that document already had all of this, so that there is nothing to do. */
  readonly isUnchanged?: true;
  /** Set if only the part still to be read may be new. */
  readonly isOnlyUnread?: true;
}

/**
 * Stores a validated submission inside a transaction: row, journal entry and first job. With a known customId, it becomes the
 * newest submission of the document that has it. The caller wakes the job runner once the transaction is committed.
 * @throws AppError `invalid`, `too_large`, `forbidden`, or `conflict` with `retryAfter` while one of its containers is being
 * merged into another; the transaction must then roll back
 */
export async function writeDocument(
  repositories: Repositories,
  actor: Actor,
  prepared: PreparedDocument,
): Promise<DocumentReceipt> {
  const { organizationId } = actor;
  const { input } = prepared;
  const existing = await findAddressed(repositories, actor, input.customId, prepared.containerTags);
  if (existing && !mayChange(actor, existing.containerTags))
    throw new AppError("forbidden", `The customId ${input.customId} belongs to a container this key may not use.`);
  const tags = prepared.containerTags ?? existing?.containerTags ?? [usualContainer(actor)];
  for (const tag of tags) requireContainer(actor, tag);
  await refuseMerging(repositories, actor, [...tags, ...(existing?.containerTags ?? [])]);
  await checkUpdates(repositories, organizationId, tags, input.facts ?? []);
  await keepEntityContext(repositories, actor, tags, input.entityContext);
  const metadata = { ...existing?.metadata, ...input.metadata };
  const forgetAfter = await momentOfEnd(repositories, organizationId, input.forgetAfter, {
    ...prepared,
    metadata,
    tags,
  });
  if (existing) {
    const again = await fetchedAgain(repositories, existing, prepared);
    return addAgain(repositories, actor, existing, { prepared: again, tags, forgetAfter });
  }
  const filepath = input.filepath ?? null;
  const task = { asked: input.taskType, before: "memory" } as const;
  const taskType = await taskTypeAt(repositories, organizationId, { tags, filepath }, task);
  const draft = draftOf(actor, prepared, { tags, taskType, forgetAfter: forgetAfter ?? null });
  const receipt = await insertDocument(repositories, actor, draft);
  const { isUnread, digest } = prepared.known;
  if (isUnread) await awaitReading(repositories, { ...draft, organizationId }, { digest: digest ?? "", former: null });
  if (isExpired(draft, prepared.now)) await repositories.units.setDocumentForgotten(organizationId, draft.id, true);
  const told = withFactsWarning(receipt, taskType, input.facts);
  return withEndWarning(told, draft, { sent: draft.forgetAfter, now: prepared.now });
}

/** A receipt with a warning that the facts sent become no memories. */
function withFactsWarning<T extends Warned>(
  receipt: T,
  taskType: Document["taskType"],
  facts: readonly unknown[] = [],
): T {
  if (taskType === "memory" || facts.length === 0) return receipt;
  const warning = "facts: has no effect: this document forms no memories (taskType superrag)";
  return { ...receipt, warnings: [...(receipt.warnings ?? []), warning] };
}

/**
 * The document that a submission continues: the one that has its customId in its first container or, when it names none, in the
 * default container. The same customId in another container is a different document (contract 1.9): otherwise a key for any
 * container could create one that intercepts what others write.
 */
export async function findAddressed(
  { documents }: Repositories,
  actor: Actor,
  customId: string | undefined,
  containerTags: readonly string[] | null,
): Promise<Document | null> {
  if (!customId) return null;
  const within = containerTags ? homeOf(containerTags) : [usualContainer(actor)];
  return documents.byCustomId(actor.organizationId, customId, within);
}

function draftOf(
  actor: Actor,
  { input, known }: PreparedDocument,
  { tags, taskType, forgetAfter }: Pick<Document, "taskType" | "forgetAfter"> & { readonly tags: readonly string[] },
): DocumentDraft {
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
    source: namedSource(input.metadata) ?? null,
    filepath: input.filepath ?? null,
    documentDate: input.documentDate ?? null,
    forgetAfter,
    origin: input.origin ?? "user",
    facts: input.facts ?? null,
    rememberAsIs: input.rememberAsIs ?? false,
  };
}

/** The source that clients name in their metadata (contract 1.10). */
export function namedSource(metadata: Document["metadata"] | undefined): string | undefined {
  const source = metadata?.["sm_source"];
  return typeof source === "string" ? source.slice(0, 255) : undefined;
}

/** A fact that replaces a memory must name an existing one, before anything is accepted. */
async function checkUpdates(
  repositories: Repositories,
  organizationId: string,
  tags: readonly string[],
  facts: readonly { updates?: string | undefined }[],
): Promise<void> {
  for (const [index, fact] of facts.entries()) {
    if (fact.updates === undefined) continue;
    const memory = await repositories.memories.byId(organizationId, fact.updates);
    if (!memory || !tags.includes(memory.containerTag))
      throw invalid([
        {
          path: ["facts", index, "updates"],
          message: `there is no memory ${fact.updates} in ${tags.join(", ")}; search for its id, or leave updates out`,
        },
      ]);
  }
}

async function insertDocument(
  repositories: Repositories,
  actor: Actor,
  draft: DocumentDraft,
): Promise<DocumentReceipt> {
  const document = await repositories.documents.insert(actor.organizationId, draft);
  await repositories.jobs.enqueue([firstJob(document)]);
  await noteDocument(repositories, actor, document, { action: "document.added", before: null });
  return { ...receiptOf(document), ...instantly(document) };
}

/** Whether the new submission is read alone and immediately. */
function instantly({ taskType, dreaming }: Pick<Document, "taskType" | "dreaming">): { isInstant?: true } {
  return taskType === "memory" && dreaming === "instant" ? { isInstant: true } : {};
}

/**
 * Adding a customId again: contract 2.2. The newest submission is the content; omitted fields stay. Identical content causes no
 * work, what failed is retried, and what is being processed gets this queued behind it.
 */
async function addAgain(
  repositories: Repositories,
  actor: Actor,
  existing: Document,
  { prepared, ...place }: AddingAgain,
): Promise<DocumentReceipt> {
  const { tags } = place;
  const { filepath = existing.filepath, taskType: asked, facts } = prepared.input;
  const task = { asked, before: existing.taskType };
  const taskType = await taskTypeAt(repositories, existing.organizationId, { tags, filepath }, task);
  const taken = await takeAgain(repositories, actor, existing, { prepared, taskType, ...place });
  const receipt = withFactsWarning(taken, taskType, facts);
  const { forgetAfter = existing.forgetAfter } = place;
  if (forgetAfter !== existing.forgetAfter)
    await endWithDocument(repositories, actor, { ...existing, forgetAfter }, prepared.now);
  return withEndWarning(receipt, existing, { sent: place.forgetAfter, now: prepared.now });
}

interface AddingAgain {
  readonly prepared: PreparedDocument;
  readonly tags: readonly string[];
  /** Absent: unchanged. */
  readonly forgetAfter: string | null | undefined;
}

async function takeAgain(
  repositories: Repositories,
  actor: Actor,
  existing: Document,
  { prepared, tags, forgetAfter, taskType }: AddingAgain & Pick<Document, "taskType">,
): Promise<DocumentReceipt> {
  const { organizationId, id } = existing;
  const { input, known, limits } = prepared;
  const details = { ...detailsOf(existing, prepared), ...(forgetAfter !== undefined && { forgetAfter }) };
  checkMetadataSize("metadata", details.metadata, limits);
  const turns = known.turns ?? null;
  const isUnread = known.isUnread === true;
  const isSameText = !isUnread && existing.content === input.content && isSameJson(existing.turns, turns);
  const isSameTask = taskType === existing.taskType && details.documentDate === existing.documentDate;
  const isSamePlace = isSameList(existing.containerTags, tags);
  const hasNewFacts = input.facts !== undefined && !isSameJson(input.facts, existing.facts);
  const isSameElse = isSameTask && isSamePlace && !hasNewFacts && existing.errorReason === null;
  const isSameDetails = isAmong(existing, details);
  if (isSameText && isSameElse) {
    if (isSameDetails) return { ...receiptOf(existing), isUpdate: true, isUnchanged: true };
    await repositories.documents.update(organizationId, id, details);
    return { ...receiptOf(existing), isUpdate: true };
  }
  const isNewSomewhere = tags.some((tag) => !existing.containerTags.includes(tag));
  const isFirstRead = taskType === "memory" && existing.taskType === "superrag";
  const former = isUnread ? outcomeOfText(await repositories.documents.reading(organizationId, id)) : null;
  const revised = await reviseDocument(repositories, actor, existing, {
    action: "document.replaced",
    isUnread,
    reads: isNewSomewhere || isFirstRead ? "whole" : "addition",
    change: {
      ...details,
      content: input.content,
      turns,
      containerTags: tags,
      origin: originAfter(existing, input.origin),
      taskType,
      url: known.url ?? null,
      type: known.type ?? "text",
      client: actor.client ?? existing.client,
      facts: input.facts ?? (isSameText ? existing.facts : null),
      rememberAsIs: input.rememberAsIs ?? (isSameText && existing.rememberAsIs),
    },
  });
  const { now } = prepared;
  await takeAttachedAlong(repositories, actor, { before: existing, after: revised, isUnread, now });
  if (isUnread) await awaitReading(repositories, revised, { digest: known.digest ?? "", former });
  const isOnlyUnread = isUnread && isSameElse && isSameDetails;
  return {
    ...receiptOf(revised),
    ...(isUnread && { facts: null }),
    ...instantly(revised),
    isUpdate: true,
    ...(isOnlyUnread && { isOnlyUnread }),
  };
}

/** From the least to the most trusted. */
const BY_TRUST: readonly Origin[] = ["web", "mail", "connector", "agent", "user"];

/** A text that somebody from outside contributed to is from outside, whoever first wrote it or continues it. */
function originAfter({ origin }: Document, next: Origin = origin): Origin {
  return isOutsideOrigin(next) && BY_TRUST.indexOf(next) < BY_TRUST.indexOf(origin) ? next : origin;
}

/** True when a change would have no effect. */
function isAmong(document: Document, change: ReturnType<typeof detailsOf>): boolean {
  const keys = Object.keys(change) as (keyof typeof change)[];
  return keys.every((key) => isSameJson(change[key], document[key]));
}

/**
 * A document's details other than its text, after it was added again. Metadata is merged key by key; a title taken from the old
 * text gives way to that of the new one.
 */
function detailsOf(existing: Document, { input, known }: PreparedDocument) {
  const { metadata } = input;
  const keepsTitle = existing.content === input.content || !isTitleFromText(existing);
  return {
    metadata: metadata ? { ...existing.metadata, ...metadata } : existing.metadata,
    filterByMetadata: input.filterByMetadata ?? existing.filterByMetadata,
    source: namedSource(metadata) ?? existing.source,
    title: input.title ?? (keepsTitle ? existing.title : null),
    filepath: input.filepath ?? existing.filepath,
    documentDate: input.documentDate ?? existing.documentDate,
    dreaming: input.dreaming ?? existing.dreaming,
    url: known.url ?? existing.url,
  } satisfies DocumentChange;
}

function isSameJson(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** What is reported about a document after a write. */
export function receiptOf(
  document: Document | (DocumentDraft & Pick<Document, "receipt" | "errorReason" | "factsLeftOut">),
): DocumentReceipt {
  return {
    id: document.id,
    status: document.status,
    dreamingStatus: document.dreamingStatus,
    containerTags: document.containerTags,
    facts: document.receipt,
    errorReason: document.errorReason,
    factsLeftOut: document.factsLeftOut,
    ...(document.forgetAfter !== null && document.forgetAfter !== undefined && { forgetAfter: document.forgetAfter }),
  };
}
