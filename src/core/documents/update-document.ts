import * as z from "zod";
import { maySee, requireContainer, requireWhole } from "../auth.js";
import type { Admitted, CoreContext } from "../context.js";
import { titleFromText } from "./document-title.js";
import { documentNameSchema, findDocument } from "./documents.js";
import { AppError } from "../errors.js";
import { forgetMemories, forgetParted, guessesParted, isWithdrawn } from "../memories/forget.js";
import { checkMetadataSize, checkSize, parseInput } from "../input.js";
import { taskTypeAt } from "./memory-paths.js";
import { refuseMerging } from "../containers/merge.js";
import { moveMemories } from "../memories/move.js";
import { once } from "../operations.js";
import type { DocumentChange, StoreNouns } from "../ports.js";
import { addDocumentSchema } from "./prepare-document.js";
import { isSameList, noteDocument, reviseDocument } from "./revise-document.js";
import type { Actor, Document, Memory } from "../types.js";
import { homeOf, receiptOf, sourceOf, type DocumentReceipt } from "./write-document.js";

/** What may be changed of a document; what is not named stays. */
export const updateDocumentSchema = addDocumentSchema
  .pick({
    containerTags: true,
    customId: true,
    title: true,
    metadata: true,
    filterByMetadata: true,
    taskType: true,
    filepath: true,
    documentDate: true,
  })
  .extend({ ...documentNameSchema.shape, content: addDocumentSchema.shape.content.optional() });
type UpdateInput = z.output<typeof updateDocumentSchema>;

/**
 * Changes a document by its id or customId, in whatever state it is (contract.md §3.5). Another text replaces the old one
 * with all that was remembered of it; a change of task or date reads it again; other containers take it with what it
 * alone states; everything else changes in place.
 * @throws AppError `not_found`, `forbidden`, `invalid`, `too_large`, or `conflict` for a customId that another document
 *   has, and, with `retryAfter`, while a container of it is being merged into another
 */
export async function updateDocument(context: CoreContext, call: Admitted, raw: unknown): Promise<DocumentReceipt> {
  const input = parseInput(updateDocumentSchema, raw);
  const { limits } = context;
  if (input.content !== undefined) checkSize("content", input.content, limits);
  checkMetadataSize("metadata", input.metadata, limits);
  checkMetadataSize("filterByMetadata", input.filterByMetadata, limits);
  for (const tag of input.containerTags ?? []) requireContainer(call.actor, tag);
  const receipt = await once(context, call, "updateDocument", async (nouns) => {
    const document = await findDocument(nouns, call.actor, input);
    const { containerTags } = document;
    requireWhole(call.actor, document);
    await refuseMerging(nouns, call.actor, [...containerTags, ...(input.containerTags ?? [])]);
    await requireFreeCustomId(nouns, document, input);
    const details = detailsOf(document, input);
    checkMetadataSize("metadata", details.metadata, limits);
    return receiptOf(await change(nouns, call.actor, document, { input, details }));
  });
  context.wakeJobs();
  return receipt;
}

/** @throws AppError `conflict` when another document of the container that it will lie in has the customId */
async function requireFreeCustomId({ documents }: StoreNouns, document: Document, input: UpdateInput): Promise<void> {
  if (input.customId === undefined && input.containerTags === undefined) return;
  const customId = input.customId ?? document.customId;
  if (customId === null) return;
  const home = homeOf(input.containerTags ?? document.containerTags);
  const other = await documents.byCustomId(document.organizationId, customId, home);
  if (other && other.id !== document.id)
    throw new AppError("conflict", `Another document has the customId ${customId}. Choose another one.`);
}

/** What changes in place. Given keys of the metadata are replaced, the others stay. */
function detailsOf(document: Document, input: UpdateInput): DocumentChange {
  const { customId, title, metadata, filterByMetadata, filepath } = input;
  const source = sourceOf(metadata);
  return {
    ...(customId !== undefined && { customId }),
    ...(title !== undefined && { title }),
    ...(metadata !== undefined && { metadata: { ...document.metadata, ...metadata } }),
    ...(source !== undefined && { source }),
    ...(filterByMetadata !== undefined && { filterByMetadata }),
    ...(filepath !== undefined && { filepath }),
  };
}

async function change(
  nouns: StoreNouns,
  actor: Actor,
  document: Document,
  { input, details }: { input: UpdateInput; details: DocumentChange },
): Promise<Document> {
  const { organizationId, id } = document;
  const isOtherText = input.content !== undefined && input.content !== document.content;
  const changed = { ...details, ...(await processingOf(nouns, document, input, isOtherText)) };
  if (isOtherText || changed.taskType || changed.documentDate) {
    await forgetStated(nouns, actor, document, `document ${id} was ${isOtherText ? "replaced" : "read again"}`);
    return reviseDocument(nouns, actor, document, {
      change: isOtherText ? { ...changed, ...replacement(document, input) } : changed,
      reads: "newest only",
      action: "document.updated",
    });
  }
  if (changed.containerTags) {
    const isAllThere = await moveStated(nouns, actor, document, changed.containerTags);
    const reads = isAllThere ? "addition" : "whole";
    return reviseDocument(nouns, actor, document, { change: changed, reads, action: "document.moved" });
  }
  if (input.content !== undefined && document.errorReason !== null)
    return reviseDocument(nouns, actor, document, { change: changed, reads: "addition", action: "document.retried" });
  if (Object.keys(details).length === 0) return document;
  await nouns.documents.update(organizationId, id, details);
  const { title, metadata, filepath, customId } = document;
  await noteDocument(nouns, actor, document, {
    action: "document.updated",
    before: { title, metadata, filepath, customId },
  });
  return document;
}

/** What changes of a document that it has to be processed again for, but its text: absent keys stay as they are. */
async function processingOf(
  nouns: StoreNouns,
  document: Document,
  input: UpdateInput,
  isOtherText: boolean,
): Promise<Pick<DocumentChange, "taskType" | "documentDate" | "containerTags">> {
  const tags = input.containerTags?.length ? [...new Set(input.containerTags)] : document.containerTags;
  const place = { tags, filepath: input.filepath ?? document.filepath };
  const task = { asked: input.taskType, before: document.taskType };
  const isOpen = isOtherText || input.taskType !== undefined;
  const taskType = isOpen ? await taskTypeAt(nouns, document.organizationId, place, task) : document.taskType;
  const documentDate = input.documentDate ?? document.documentDate;
  return {
    ...(taskType !== document.taskType && { taskType }),
    ...(documentDate !== document.documentDate && { documentDate }),
    ...(!isSameList(tags, document.containerTags) && { containerTags: tags }),
  };
}

/** What goes with the text: everything that was known of the old one alone. */
function replacement(document: Document, { content, title }: UpdateInput): DocumentChange {
  const isTitleFromText = document.title === titleFromText(document);
  return {
    ...(content !== undefined && { content }),
    ...(title === undefined && isTitleFromText && { title: null }),
    turns: null,
    summary: null,
    url: null,
    type: "text",
    facts: null,
    rememberAsIs: false,
  };
}

/** Memories of a document that the actor may see, and those among them that are true because of it alone. */
async function statedBy(
  nouns: StoreNouns,
  actor: Actor,
  { organizationId, id }: Document,
): Promise<{ all: Memory[]; only: Memory[] }> {
  const memories = await nouns.memories.ofDocument(organizationId, id);
  const all = memories.filter((memory) => maySee(actor, [memory.containerTag]));
  return { all, only: all.filter((memory) => memory.sourceCount <= 1 && memory.isLatest && !memory.isForgotten) };
}

/** Forgets what only this document states; other memories lose it as a source. */
async function forgetStated(nouns: StoreNouns, actor: Actor, document: Document, reason: string): Promise<void> {
  const { all, only } = await statedBy(nouns, actor, document);
  for (const memory of all) await nouns.memories.removeSource(document.organizationId, memory.id, document.id);
  await forgetMemories(nouns, actor, only, reason);
}

/**
 * Takes what only this document states along to its new containers, with its older versions; what others state too stays without it.
 * @returns false when the new containers lack something that the document states
 */
async function moveStated(
  nouns: StoreNouns,
  actor: Actor,
  document: Document,
  tags: readonly string[],
): Promise<boolean> {
  const { organizationId, id } = document;
  const added = tags.filter((tag) => !document.containerTags.includes(tag));
  const { all, only } = await statedBy(nouns, actor, document);
  const left = all.filter((memory) => !tags.includes(memory.containerTag));
  const moved = left.filter((memory) => only.includes(memory) || isWaiting(memory));
  const shared = left.filter((memory) => memory.isLatest && !memory.isForgotten && !only.includes(memory));
  const [target] = await nouns.containers.ensure(organizationId, added);
  if (target) {
    const whole = await withOlder(nouns, organizationId, moved);
    const parted = await guessesParted(nouns, organizationId, whole);
    await moveMemories(nouns, actor, whole, target, `document ${id} was moved to ${target.tag}`);
    await forgetParted(nouns, actor, parted);
  } else
    await forgetMemories(
      nouns,
      actor,
      moved.filter(({ isForgotten }) => !isForgotten),
      `document ${id} was taken out of the container`,
    );
  for (const memory of shared) await nouns.memories.removeSource(organizationId, memory.id, id);
  return shared.length === 0 && added.length <= (moved.length > 0 ? 1 : 0);
}

/** A guess that returns when what it followed from does goes wherever its document goes. */
function isWaiting(memory: Memory): boolean {
  return memory.sourceCount <= 1 && memory.isLatest && isWithdrawn(memory);
}

/** The same with their older versions in the same container: a chain that is torn leads from one container into another. */
async function withOlder(
  { memories }: StoreNouns,
  organizationId: string,
  moved: readonly Memory[],
): Promise<readonly Memory[]> {
  const known = new Set(moved.map(({ id }) => id));
  const places = new Map(moved.map(({ id, rootId, containerTag }) => [rootId ?? id, containerTag]));
  const versions = await memories.versions(organizationId, [...places.keys()], { withUndone: true });
  const older = versions.filter(
    ({ id, rootId, containerTag }) => !known.has(id) && places.get(rootId ?? id) === containerTag,
  );
  return [...moved, ...older];
}
