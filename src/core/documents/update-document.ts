import * as z from "zod";
import type { TimeZone } from "../../lib/time-zone.js";
import { requireContainer, requireWhole } from "../auth.js";
import type { AuthorizedCall, CoreContext } from "../context.js";
import { takeAttachedAlong } from "./attached-documents.js";
import { isCustomIdTaken } from "./custom-ids.js";
import { endWithDocument, momentOfEnd, withEndWarning } from "./document-end.js";
import { isTitleFromText } from "./document-title.js";
import { withEndUser } from "../access/end-user.js";
import { documentNameSchema, findDocument } from "./documents.js";
import { AppError } from "../errors.js";
import { checkMetadataSize, checkSize, parseInput } from "../input.js";
import { awaitReading, outcomeOfText, REPLACES } from "./known-text.js";
import { taskTypeAt } from "./memory-paths.js";
import { refuseMerging } from "../containers/merge.js";
import { moveStated } from "./move-document.js";
import { forgetRead, forgetStated, remindStated, setAsideStated } from "./read-anew.js";
import { runOnce } from "../operations.js";
import type { DocumentChange, Repositories } from "../ports.js";
import { addDocumentSchema } from "./prepare-document.js";
import { changeInPlace, isSameList, reviseDocument } from "./revise-document.js";
import type { Actor, Document } from "../types.js";
import { isUnfetched, soleAddress } from "./web-address.js";
import { receiptOf, namedSource, type DocumentReceipt } from "./write-document.js";

/** What may be changed about a document; omitted fields stay. */
export const updateDocumentSchema = addDocumentSchema
  .pick({
    containerTags: true,
    customId: true,
    title: true,
    metadata: true,
    endUserId: true,
    filterByMetadata: true,
    taskType: true,
    filepath: true,
    documentDate: true,
    forgetAfter: true,
  })
  .extend({ ...documentNameSchema.shape, content: addDocumentSchema.shape.content.optional() });
type UpdateInput = Omit<z.output<typeof updateDocumentSchema>, "endUserId">;

/**
 * Changes a document by its id or customId, whatever its state (contract 2.4). A new text replaces the old one with everything
 * remembered from it; a change of task or date causes it to be read again; other containers take it together with what only it
 * states; everything else changes in place.
 * @throws AppError `not_found`, `forbidden`, `invalid`, `too_large`, or `conflict` for a customId that another document has,
 * and, with `retryAfter`, while one of its containers is being merged into another
 */
export async function updateDocument(
  context: CoreContext,
  call: AuthorizedCall,
  raw: unknown,
): Promise<DocumentReceipt> {
  const { endUserId, ...fields } = parseInput(updateDocumentSchema, raw);
  const input = { ...fields, metadata: withEndUser(fields.metadata, endUserId) };
  const { limits } = context;
  if (input.content !== undefined) checkSize("content", input.content, limits);
  checkMetadataSize("metadata", input.metadata, limits);
  checkMetadataSize("filterByMetadata", input.filterByMetadata, limits);
  for (const tag of input.containerTags ?? []) requireContainer(call.actor, tag);
  const now = context.clock.now();
  const receipt = await runOnce(context, call, "updateDocument", async (repositories) => {
    const document = await findDocument(repositories, call.actor, input);
    const { containerTags } = document;
    requireWhole(call.actor, document);
    await refuseMerging(repositories, call.actor, [...containerTags, ...(input.containerTags ?? [])]);
    await requireFreeCustomId(repositories, document, input);
    const forgetAfter = await endOf(repositories, document, input, context.timeZone);
    const details = { ...detailsOf(document, input), ...(forgetAfter !== document.forgetAfter && { forgetAfter }) };
    checkMetadataSize("metadata", details.metadata, limits);
    const changed = await change(repositories, call.actor, document, { input, details, now });
    await takeAttachedAlong(repositories, call.actor, { before: document, after: changed, isUnread: false, now });
    if (forgetAfter !== document.forgetAfter)
      await endWithDocument(repositories, call.actor, { ...changed, forgetAfter }, now);
    const sent = input.forgetAfter === undefined ? undefined : forgetAfter;
    return withEndWarning(receiptOf(changed), document, { sent, now });
  });
  context.wakeJobs();
  return receipt;
}

/** Its new expiry. */
async function endOf(
  repositories: Repositories,
  document: Document,
  input: UpdateInput,
  timeZone: TimeZone,
): Promise<string | null> {
  const tags = input.containerTags ?? document.containerTags;
  const metadata = { ...document.metadata, ...input.metadata };
  const moment = await momentOfEnd(repositories, document.organizationId, input.forgetAfter, {
    timeZone,
    metadata,
    tags,
  });
  return moment === undefined ? document.forgetAfter : moment;
}

/** @throws AppError `conflict` when another document of its future container has the customId */
async function requireFreeCustomId(repositories: Repositories, document: Document, input: UpdateInput): Promise<void> {
  if (input.customId === undefined && input.containerTags === undefined) return;
  const customId = input.customId ?? document.customId;
  if (await isCustomIdTaken(repositories, { ...document, customId }, input.containerTags ?? document.containerTags))
    throw new AppError("conflict", `Another document has the customId ${customId}. Choose another one.`);
}

/** What changes in place. Given metadata keys are replaced, the others stay. */
function detailsOf(document: Document, input: UpdateInput): DocumentChange {
  const { customId, title, metadata, filterByMetadata, filepath } = input;
  const source = namedSource(metadata);
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
  repositories: Repositories,
  actor: Actor,
  document: Document,
  { input, details, now }: { input: UpdateInput; details: DocumentChange; now: Date },
): Promise<Document> {
  const isOtherText = input.content !== undefined && input.content !== document.content;
  const changed = { ...details, ...(await processingOf(repositories, document, input, isOtherText)) };
  const address = input.content === undefined ? null : soleAddress(input.content);
  if (isOtherText && address !== null && hasTextOfItsOwn(document))
    return awaitPage(repositories, actor, document, { ...changed, origin: "web", url: address });
  if (isOtherText) {
    const replaced = { ...changed, ...replacement(document, input) };
    await forgetStated(repositories, actor, document, { content: replaced.content ?? "", now });
    return reviseDocument(repositories, actor, document, { change: replaced, reads: "newest only", action: UPDATED });
  }
  const { containerTags, taskType, documentDate } = changed;
  const isReadAnew = taskType !== undefined || (documentDate !== undefined && !hasOnlyDirect(document));
  if (taskType === "superrag") await setAsideStated(repositories, actor, document);
  else if (isReadAnew) await forgetRead(repositories, actor, document, now);
  const isAllThere = containerTags
    ? await moveStated(repositories, actor, { document, tags: containerTags, now })
    : true;
  if (taskType === "memory") await remindStated(repositories, actor, document, now);
  if (isReadAnew)
    return reviseDocument(repositories, actor, document, { change: changed, reads: "newest only", action: UPDATED });
  if (containerTags && !hasOnlyDirect(document)) {
    const reads = isAllThere ? "addition" : "whole";
    return reviseDocument(repositories, actor, document, { change: changed, reads, action: "document.moved" });
  }
  if (input.content !== undefined && document.errorReason !== null)
    return reviseDocument(repositories, actor, document, {
      change: changed,
      reads: "addition",
      action: "document.retried",
    });
  return Object.keys(changed).length === 0 ? document : changeInPlace(repositories, actor, document, changed);
}

function hasTextOfItsOwn(document: Document): boolean {
  return document.content !== "" && !isUnfetched(document, null);
}

/** Until the page is read, and if it never is, the document keeps its text and its memories stay. */
async function awaitPage(
  repositories: Repositories,
  actor: Actor,
  document: Document,
  change: DocumentChange,
): Promise<Document> {
  const former = outcomeOfText(await repositories.documents.reading(document.organizationId, document.id));
  const revised = await reviseDocument(repositories, actor, document, {
    change,
    reads: change.containerTags ? "whole" : "addition",
    action: UPDATED,
    isUnread: true,
  });
  await awaitReading(repositories, revised, { digest: REPLACES, former });
  return revised;
}

/** True for the light document of direct memories, from which nothing was ever read: it stays as it is. */
function hasOnlyDirect({ taskType, status, dreamingStatus, rememberedRevision, errorReason }: Document): boolean {
  const isDone = status === "done" && dreamingStatus === "done" && errorReason === null;
  return isDone && taskType === "memory" && rememberedRevision === 0;
}

const UPDATED = "document.updated";

/** The changes other than its text for which a document has to be processed again: absent keys stay as they are. */
async function processingOf(
  repositories: Repositories,
  document: Document,
  input: UpdateInput,
  isOtherText: boolean,
): Promise<Pick<DocumentChange, "taskType" | "documentDate" | "containerTags">> {
  const tags = input.containerTags?.length ? [...new Set(input.containerTags)] : document.containerTags;
  const place = { tags, filepath: input.filepath ?? document.filepath };
  const task = { asked: input.taskType, before: document.taskType };
  const isOpen = isOtherText || input.taskType !== undefined;
  const taskType = isOpen ? await taskTypeAt(repositories, document.organizationId, place, task) : document.taskType;
  const documentDate = input.documentDate ?? document.documentDate;
  return {
    ...(taskType !== document.taskType && { taskType }),
    ...(documentDate !== document.documentDate && { documentDate }),
    ...(!isSameList(tags, document.containerTags) && { containerTags: tags }),
  };
}

/** What is reset with the text: everything known only about the old one. */
function replacement(document: Document, { content, title }: UpdateInput): DocumentChange {
  const address = content === undefined ? null : soleAddress(content);
  return {
    ...(content !== undefined && { content: address ?? content }),
    ...(address !== null && { origin: "web" }),
    ...(title === undefined && isTitleFromText(document) && { title: null }),
    turns: null,
    summary: null,
    url: address,
    type: address === null ? "text" : "webpage",
    facts: null,
    rememberAsIs: false,
  };
}
