import * as z from "zod";
import type { CategoryCount, DocumentMemory, DocumentWithMemories } from "../../../core/index.js";
import { DOCUMENT_CATEGORIES } from "../../../core/types.js";
import { absoluteUrl } from "./present-document.js";
import { presentProcessing, processingMetadata } from "./present-processing.js";
import { presentWholeMemory, wholeMemory } from "../memories/present-memory.js";
import { anyMetadata, dateTime, documentStatus, documentType, documentTypeOf } from "../schemas.js";

/** A memory as stated by one of its documents. */
const graphMemory = wholeMemory.extend({
  userId: z.string(),
  /** Without it a graph cannot be narrowed to one container. */
  spaceContainerTag: z.string().nullable(),
  sourceAddedAt: dateTime.nullable(),
  /** 0 to 100. */
  sourceRelevanceScore: z.number().nullable(),
  sourceMetadata: anyMetadata,
});

/** A document with the memories that it states or stated (contract 2.12). */
export const graphDocument = z.object({
  id: z.string().length(22),
  customId: z.string().max(255).nullable(),
  contentHash: z.string().nullable(),
  orgId: z.string(),
  /** Everything belongs to the one owner, whose id is the organisation's. */
  userId: z.string(),
  connectionId: z.string().nullable(),
  /** Extension: the containers that hold it. */
  containerTags: z.array(z.string()),
  title: z.string().nullable(),
  content: z.string().nullable(),
  summary: z.string().nullable(),
  url: z.string().nullable(),
  source: z.string().nullable(),
  type: documentType,
  status: documentStatus,
  metadata: anyMetadata,
  processingMetadata: processingMetadata.nullable(),
  raw: z.null(),
  ogImage: z.null(),
  /** An estimate: four characters per token. */
  tokenCount: z.int(),
  wordCount: z.int(),
  chunkCount: z.int(),
  /** In characters. */
  averageChunkSize: z.int(),
  summaryEmbedding: z.null(),
  summaryEmbeddingModel: z.null(),
  createdAt: dateTime,
  updatedAt: dateTime,
  memoryEntries: z.array(graphMemory),
});

const CHARACTERS_PER_TOKEN = 4;
/** Every document states its memories in full. */
const RELEVANCE = 100;

/** A document for a graph of memories (contract 2.12). */
export function presentGraphDocument(
  { document, outline, memories, modelFailures }: DocumentWithMemories,
  { orgId, origin }: { orgId: string; origin: string },
): z.infer<typeof graphDocument> {
  return {
    id: document.id,
    customId: document.customId,
    contentHash: null,
    orgId,
    userId: orgId,
    connectionId: document.connectionId,
    containerTags: [...document.containerTags],
    title: document.title,
    content: outline.excerpt,
    summary: document.summary,
    url: absoluteUrl(document.url, origin),
    source: document.source,
    type: documentTypeOf(document.type),
    status: document.status,
    metadata: document.metadata,
    processingMetadata: presentProcessing(document, modelFailures),
    raw: null,
    ogImage: null,
    tokenCount: Math.ceil(outline.characters / CHARACTERS_PER_TOKEN),
    wordCount: outline.words,
    chunkCount: outline.chunks,
    averageChunkSize: outline.chunks === 0 ? 0 : Math.round(outline.chunkCharacters / outline.chunks),
    summaryEmbedding: null,
    summaryEmbeddingModel: null,
    createdAt: document.createdAt,
    updatedAt: document.updatedAt,
    memoryEntries: memories.map((memory) => presentGraphMemory(memory, orgId)),
  };
}

function presentGraphMemory(
  { memory, addedAt, relations }: DocumentMemory,
  orgId: string,
): z.infer<typeof graphMemory> {
  return {
    ...presentWholeMemory(memory, relations, orgId),
    userId: orgId,
    spaceContainerTag: memory.containerTag,
    sourceAddedAt: addedAt,
    sourceRelevanceScore: RELEVANCE,
    sourceMetadata: null,
  };
}

const LABELS: Readonly<Record<CategoryCount["category"], string>> = {
  webpage: "Web pages",
  tweet: "Tweets",
  google_drive: "Google Drive",
  notion: "Notion",
  onedrive: "OneDrive",
  files: "Files",
  notes: "Notes",
  mcp: "MCP",
};

/** How many documents a category has, with its display name (contract 2.12). */
export const facet = z.object({ category: z.enum(DOCUMENT_CATEGORIES), count: z.int(), label: z.string() });

/** A category as shown in list filters. */
export function presentFacet({ category, count }: CategoryCount): z.infer<typeof facet> {
  return { category, count, label: LABELS[category] };
}
