import { createId } from "../../lib/ids.js";
import type { DocumentChange, JobDraft, Repositories } from "../ports.js";
import { shownIn } from "./message-pictures.js";
import { DEFAULT_CONTAINER } from "../containers/usual-container.js";
import type { Actor, Document } from "../types.js";

/** A change of a document that affects its chunks or memories. */
export interface Revising {
  readonly change: DocumentChange;
  /**
   * What facts are extracted from next: what is new since the last extraction, the whole newest text plus earlier ones not yet
   * read, or only the newest text.
   */
  readonly reads: "addition" | "whole" | "newest only";
  /** Its text is still to be read, and is the previous one until then. */
  readonly isUnread?: boolean;
  /** What the journal calls it. */
  readonly action: string;
}

/**
 * Creates the next revision of a document inside a transaction: the old text is kept as history, and the pipeline starts behind
 * whatever is running for it.
 */
export async function reviseDocument(
  repositories: Repositories,
  actor: Actor,
  existing: Document,
  { change, reads, action, isUnread = false }: Revising,
): Promise<Document> {
  const { organizationId } = actor;
  const { id, revision } = existing;
  const content = change.content ?? existing.content;
  const isPrefixOfNext = !isUnread && content.startsWith(existing.content);
  const isOpen = existing.taskType === "memory" && existing.rememberedRevision < revision;
  // A document that was never read has no text of its own, and nothing to be found in it.
  const reading = await repositories.documents.reading(organizationId, id);
  const isAwaited = reading !== null && reading.outcome === null;
  const isEmpty = isAwaited && existing.facts === null;
  const isLost = isOpen && !isEmpty && reads !== "newest only" && (!isPrefixOfNext || existing.facts !== null);
  const pending = isLost ? { facts: existing.facts, rememberAsIs: existing.rememberAsIs } : null;
  if (!isEmpty)
    await repositories.documents.keepRevision(organizationId, id, {
      revision,
      content: existing.content,
      isPrefixOfNext,
      pending,
    });
  if (reads === "newest only") await repositories.documents.settleRevisions(organizationId, id, revision);
  const isSame = !isUnread && !isAwaited && content === existing.content && !change.facts;
  const hasNothingNew = reads === "addition" && !isOpen && isSame;
  const rememberedRevision = reads !== "addition" ? 0 : hasNothingNew ? revision + 1 : existing.rememberedRevision;
  // The text still to be read may turn out to be the known one.
  const mayBeSame = reads === "addition" && isUnread && !isOpen;
  const taskType = change.taskType ?? existing.taskType;
  const next = {
    ...change,
    revision: revision + 1,
    rememberedRevision,
    status: "queued",
    dreamingStatus: taskType === "memory" ? "dreaming" : "done",
    errorReason: null,
    receipt: hasNothingNew || mayBeSame ? existing.receipt : null,
    ...(reads !== "addition" && { factsLeftOut: 0 }),
  } satisfies DocumentChange;
  await repositories.documents.update(organizationId, id, next);
  if (change.containerTags) await relocate(repositories, existing, change.containerTags);
  const revised: Document = { ...existing, ...definedOf(next) };
  await letGoOfPictures(repositories, existing, revised);
  await repositories.jobs.dropDead(id);
  await repositories.jobs.enqueue([firstJob(revised)]);
  await noteDocument(repositories, actor, revised, { action, before: { revision } });
  return revised;
}

/** Pictures that a conversation no longer shows are neither read nor described, and nothing of them is kept. */
async function letGoOfPictures(
  { messagePictures, modelFailures }: Repositories,
  { organizationId, id, turns: before }: Document,
  { turns }: Document,
): Promise<void> {
  if (!before || shownIn(before).size === 0) return;
  await messagePictures.keepOnly(organizationId, id, shownIn(turns ?? []));
  if ((await messagePictures.undescribed(organizationId, id)).length === 0) await modelFailures.end(id, "picture");
}

/**
 * Changes a document's details without processing it, inside a transaction; a document that only represents direct memories has
 * nothing to process.
 */
export async function changeInPlace(
  repositories: Repositories,
  actor: Actor,
  document: Document,
  change: DocumentChange,
): Promise<Document> {
  const { organizationId, id, title, metadata, filepath, forgetAfter, customId, containerTags } = document;
  await repositories.documents.update(organizationId, id, change);
  if (change.containerTags) await relocate(repositories, document, change.containerTags);
  await noteDocument(repositories, actor, document, {
    action: change.containerTags ? "document.moved" : "document.updated",
    before: { title, metadata, filepath, forgetAfter, customId, ...(change.containerTags && { containerTags }) },
  });
  return { ...document, ...(change.containerTags && { containerTags: change.containerTags }) };
}

async function relocate(repositories: Repositories, document: Document, tags: readonly string[]): Promise<void> {
  const { organizationId, id, containerTags } = document;
  if (isSameList(tags, containerTags)) return;
  const rows = await repositories.containers.ensure(organizationId, tags);
  await repositories.containers.relocate(
    organizationId,
    id,
    rows.map((row) => row.id),
  );
}

/** A change without the keys that stay as they are. */
function definedOf<T extends object>(change: T): { [Key in keyof T]: Exclude<T[Key], undefined> } {
  const entries = Object.entries(change).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as { [Key in keyof T]: Exclude<T[Key], undefined> };
}

/** True for the same texts in the same order. */
export function isSameList(one: readonly string[], other: readonly string[]): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** The job that starts the pipeline for the newest revision of a document. */
export function firstJob(document: Document): JobDraft {
  return {
    kind: "extract",
    payload: { documentId: document.id, revision: document.revision },
    group: document.containerTags[0] ?? DEFAULT_CONTAINER,
    key: `extract:${document.id}:${document.revision}`,
  };
}

/** Records a change of a document in the journal, alone or as part of a batch. */
export async function noteDocument(
  repositories: Repositories,
  actor: Actor,
  document: Document,
  { action, before, batchId = createId() }: { action: string; before: unknown; batchId?: string },
): Promise<void> {
  await repositories.journal.append(actor.organizationId, [
    {
      batchId,
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
