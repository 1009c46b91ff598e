import * as z from "zod";
import type { DocumentDetails } from "../../../core/index.js";
import type { Document, DocumentHead, Memory } from "../../../core/types.js";
import { documentWarnings, presentLeftOut } from "./present-left-out.js";
import { presentProcessing, processingMetadata } from "./present-processing.js";
import { presentMetadata } from "../memories/present-metadata.js";
import { anyMetadata, dateTime, documentStatus, documentType, documentTypeOf } from "../schemas.js";

const documentMemory = z.object({
  id: z.string().length(22),
  memory: z.string(),
  createdAt: dateTime,
  updatedAt: dateTime.nullable(),
  isLatest: z.boolean(),
  isForgotten: z.boolean(),
  isStatic: z.boolean(),
  isInference: z.boolean(),
  version: z.int(),
  sourceCount: z.int(),
  metadata: anyMetadata,
  parentMemoryId: z.string().nullable(),
  rootMemoryId: z.string().nullable(),
  /** Extension: since when search finds it; only where the receipt of the newest text has this. */
  searchableAt: dateTime.optional(),
});

/** `GET /v3/documents/{id}` (contract 2.3). */
export const documentAnswer = z.object({
  id: z.string().length(22),
  customId: z.string().max(255).nullable(),
  connectionId: z.string().nullable(),
  containerTags: z.array(z.string()),
  content: z.string().nullable(),
  createdAt: dateTime,
  updatedAt: dateTime,
  metadata: anyMetadata,
  ogImage: z.string().nullable(),
  raw: z.null(),
  source: z.string().max(255).nullable(),
  spatialPoint: z.null(),
  status: documentStatus,
  dreamingStatus: z.enum(["dreaming", "done"]),
  summary: z.string().nullable(),
  taskType: z.enum(["memory", "superrag"]),
  title: z.string().nullable(),
  type: documentType,
  url: z.string().nullable(),
  filepath: z.string().nullable(),
  memories: z.array(documentMemory).min(1).optional(),
  /** Extension: which version of it the connection brought in, and when the source was last seen to have it. */
  atSource: z.object({ version: z.string().nullable(), seenAt: dateTime }).optional(),
  /** Extension: when it expires; only where it does. */
  forgetAfter: dateTime.optional(),
  /** Extension: why processing failed; only on a failed document. */
  errorReason: z.string().optional(),
  /** Extension: why its memories are delayed, missing or made by rules; only where that is so. */
  dreamingReason: z.string().optional(),
  /** Extension: what a language model would not or could not do for it; only where there is any. */
  processingMetadata: processingMetadata.optional(),
  /** Extension: what was left out of it; only where something was. */
  warnings: documentWarnings.optional(),
  /** Extension: the language-model calls spent on it; only where there were any. */
  llmUse: z
    .object({
      answers: z.int(),
      inputTokens: z.int(),
      outputTokens: z.int(),
      cost: z.number().nullable(),
      unpricedAnswers: z.int(),
    })
    .optional(),
});
type DocumentAnswer = z.infer<typeof documentAnswer>;

/** An item of a list (contract 2.6). */
export const listedDocument = z.object({
  id: z.string().length(22),
  customId: z.string().max(255).nullable(),
  connectionId: z.string().nullable(),
  containerTags: z.array(z.string()),
  createdAt: dateTime,
  updatedAt: dateTime,
  filepath: z.string().nullable(),
  metadata: anyMetadata,
  status: documentStatus,
  summary: z.string().nullable(),
  title: z.string().nullable(),
  type: documentType,
  url: z.string().nullable(),
  content: z.string().optional(),
  /** Extension: when it expires or expired; only where it does. */
  forgetAfter: dateTime.optional(),
  /** Extension: why processing failed; only on a failed document. */
  errorReason: z.string().optional(),
  /** Extension: what was left out of it; only where something was. */
  warnings: documentWarnings.optional(),
});
type ListedDocument = z.infer<typeof listedDocument>;

/** A document that is being processed (contract 2.7). */
export const processingDocument = listedDocument.omit({
  filepath: true,
  url: true,
  content: true,
  forgetAfter: true,
  errorReason: true,
  warnings: true,
});
type ProcessingDocument = z.infer<typeof processingDocument>;

/** Containers of the vendor's own app; lists hide them, a single document shows them (contract 2.6). */
const HIDDEN_PREFIX = "sm_project_";

/** A document with everything that any generation of clients reads (contract 2.3). */
export function presentDocument(
  { document, memories, dreamingReason, llmUse, modelFailures, reading, putOff, pictureNotes }: DocumentDetails,
  origin: string,
): DocumentAnswer {
  const processing = presentProcessing(document, modelFailures, { reading, putOff, pictureNotes });
  return {
    ...presentCore(document),
    containerTags: [...document.containerTags],
    content: document.content,
    ogImage: (reading?.outcome ?? reading?.former)?.image ?? null,
    raw: null,
    source: document.source,
    spatialPoint: null,
    dreamingStatus: document.dreamingStatus,
    taskType: document.taskType,
    url: absoluteUrl(document.url, origin),
    filepath: document.filepath,
    ...(document.atSource !== null && { atSource: document.atSource }),
    ...(memories.length > 0 && { memories: memories.map((memory) => presentDocumentMemory(memory, document)) }),
    ...(document.forgetAfter !== null && { forgetAfter: document.forgetAfter }),
    ...(document.status === "failed" && document.errorReason !== null && { errorReason: document.errorReason }),
    ...(dreamingReason !== null && { dreamingReason }),
    ...(processing && { processingMetadata: processing }),
    ...(llmUse.answers > 0 && { llmUse }),
    ...presentLeftOut(document),
  };
}

/** A document as shown in lists (contract 2.6); with its text only on request. */
export function presentListedDocument(
  document: DocumentHead & { readonly connectionId: string | null; content?: string },
  origin: string,
): ListedDocument {
  return {
    ...presentCore(document),
    containerTags: document.containerTags.filter((tag) => !tag.startsWith(HIDDEN_PREFIX)),
    url: absoluteUrl(document.url, origin),
    filepath: document.filepath,
    ...(document.content !== undefined && { content: document.content }),
    ...(document.forgetAfter !== null && { forgetAfter: document.forgetAfter }),
    ...(document.status === "failed" && document.errorReason !== null && { errorReason: document.errorReason }),
    ...presentLeftOut(document),
  };
}

/** A document that is being processed (contract 2.7). */
export function presentProcessingDocument(document: DocumentHead): ProcessingDocument {
  return { ...presentCore(document), containerTags: [...document.containerTags] };
}

/** An uploaded file is on this server, at whatever address the client uses. */
export function absoluteUrl(url: string | null, origin: string): string | null {
  return url?.startsWith("/") ? `${origin}${url}` : url;
}

function presentCore(document: DocumentHead & { readonly connectionId?: string | null }) {
  return {
    id: document.id,
    customId: document.customId,
    connectionId: document.connectionId ?? null,
    createdAt: document.createdAt,
    updatedAt: document.updatedAt,
    metadata: document.metadata,
    status: document.status,
    summary: document.summary,
    title: document.title,
    type: documentTypeOf(document.type),
  };
}

function presentDocumentMemory(memory: Memory, { receipt }: Document): NonNullable<DocumentAnswer["memories"]>[number] {
  const searchableAt = receipt?.find(({ id }) => id === memory.id)?.searchableAt;
  return {
    id: memory.id,
    memory: memory.text,
    createdAt: memory.createdAt,
    updatedAt: memory.updatedAt,
    isLatest: memory.isLatest,
    isForgotten: memory.isForgotten,
    isStatic: memory.isStatic,
    isInference: memory.isInference,
    version: memory.version,
    sourceCount: memory.sourceCount,
    metadata: presentMetadata(memory),
    parentMemoryId: memory.parentId,
    rootMemoryId: memory.rootId,
    ...(searchableAt !== undefined && { searchableAt }),
  };
}
