import type { Document, DocumentHead, Memory } from "../../core/types.js";
import type { DocumentAnswer } from "./documents.js";
import type { ListedDocument, ProcessingDocument } from "./list-documents.js";
import { documentTypeOf } from "./schemas.js";

/** Containers of the vendor's own app; lists hide them, a single document shows them (contract-gaps.md G-07). */
const HIDDEN_PREFIX = "sm_project_";

/** A document with everything that any generation of clients reads (contract.md §3.4). */
export function presentDocument({
  document,
  memories,
}: {
  document: Document;
  memories: readonly Memory[];
}): DocumentAnswer {
  return {
    ...presentCore(document),
    containerTags: [...document.containerTags],
    content: document.content,
    ogImage: null,
    raw: null,
    source: document.source,
    spatialPoint: null,
    dreamingStatus: document.dreamingStatus,
    taskType: document.taskType,
    url: document.url,
    filepath: document.filepath,
    ...(memories.length > 0 && { memories: memories.map(presentDocumentMemory) }),
    ...(document.status === "failed" && document.errorReason !== null && { errorReason: document.errorReason }),
  };
}

/** A document as lists show it (contract.md §3.8); its text only where it was asked for. */
export function presentListedDocument(document: DocumentHead & { content?: string }): ListedDocument {
  return {
    ...presentCore(document),
    containerTags: document.containerTags.filter((tag) => !tag.startsWith(HIDDEN_PREFIX)),
    url: document.url,
    filepath: document.filepath,
    ...(document.content !== undefined && { content: document.content }),
    ...(document.status === "failed" && document.errorReason !== null && { errorReason: document.errorReason }),
  };
}

/** A document that is being processed (contract.md §3.10). */
export function presentProcessingDocument(document: DocumentHead): ProcessingDocument {
  return { ...presentCore(document), containerTags: [...document.containerTags] };
}

function presentCore(document: DocumentHead) {
  return {
    id: document.id,
    customId: document.customId,
    connectionId: null,
    createdAt: document.createdAt,
    updatedAt: document.updatedAt,
    metadata: document.metadata,
    status: document.status,
    summary: document.summary,
    title: document.title,
    type: documentTypeOf(document.type),
  };
}

function presentDocumentMemory(memory: Memory): NonNullable<DocumentAnswer["memories"]>[number] {
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
    metadata: memory.metadata,
    parentMemoryId: memory.parentId,
    rootMemoryId: memory.rootId,
  };
}
