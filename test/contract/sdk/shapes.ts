import type Supermemory from "supermemory";
import * as z from "zod";

/**
 * What the types of the official SDK promise its users, checked at run time. Each is tied to the type it
 * represents, so leaving out a required field here does not compile.
 */

const iso = z.iso.datetime({ precision: 3 });
/** Ids as users store them: 22 characters of base58 (contract 1.6). */
const id = z.string().regex(/^[1-9A-HJ-NP-Za-km-z]{22}$/);
const metadata = z.record(z.string(), z.unknown()).nullable();
const status = z.enum(["unknown", "queued", "extracting", "chunking", "embedding", "indexing", "done", "failed"]);
const type = z.enum([
  "text",
  "pdf",
  "tweet",
  "google_doc",
  "google_slide",
  "google_sheet",
  "image",
  "video",
  "audio",
  "notion_doc",
  "webpage",
  "onedrive",
  "github_markdown",
]);
const taskType = z.enum(["memory", "superrag"]);
const score = z.number().min(0).max(1);

export const receipt: z.ZodType<Supermemory.AddResponse & Supermemory.DocumentUpdateResponse> = z.object({
  id,
  status,
});

const document = z.object({
  id,
  connectionId: z.string().nullable(),
  content: z.string().nullable(),
  containerTags: z.array(z.string()),
  createdAt: iso,
  customId: z.string().nullable(),
  filepath: z.string().nullable(),
  metadata,
  ogImage: z.string().nullable(),
  raw: z.unknown(),
  source: z.string().nullable(),
  spatialPoint: z.unknown(),
  status,
  summary: z.string().nullable(),
  taskType,
  title: z.string().nullable(),
  type,
  updatedAt: iso,
});
export const gotDocument: z.ZodType<Supermemory.DocumentGetResponse> = document;

const pagination = z.object({
  currentPage: z.int().min(1),
  limit: z.int().min(1),
  totalItems: z.int().min(0),
  totalPages: z.int().min(0),
});

const listed = document.omit({
  content: true,
  ogImage: true,
  raw: true,
  source: true,
  spatialPoint: true,
  taskType: true,
});
export const documentList: z.ZodType<Supermemory.DocumentListResponse> = z.object({
  memories: z.array(listed),
  pagination,
});

export const processing: z.ZodType<Supermemory.DocumentListProcessingResponse> = z.object({
  documents: z.array(listed.omit({ connectionId: true, filepath: true, summary: true })),
  totalCount: z.int().min(0),
});

export const batch: z.ZodType<Supermemory.DocumentBatchAddResponse> = z.object({
  failed: z.int(),
  success: z.int(),
  results: z.array(z.object({ id: z.string(), status: z.string() })),
});

export const bulkDeletion: z.ZodType<Supermemory.DocumentDeleteBulkResponse> = z.object({
  deletedCount: z.int().min(0),
  success: z.boolean(),
});

const searchResult = z
  .object({
    id,
    memory: z.string().exactOptional(),
    chunk: z.string().exactOptional(),
    metadata,
    similarity: score,
    updatedAt: iso,
    version: z.number(),
  })
  .refine(({ memory, chunk }) => (memory === undefined) !== (chunk === undefined), "is either a memory or a chunk");
export const memorySearch: z.ZodType<Supermemory.SearchMemoriesResponse> = z.object({
  results: z.array(z.looseObject(searchResult.shape).and(searchResult)),
  timing: z.number().min(0),
  total: z.int().min(0),
});

export const documentSearch: z.ZodType<Supermemory.SearchDocumentsResponse & Supermemory.SearchExecuteResponse> =
  z.object({
    results: z.array(
      z.object({
        chunks: z.array(z.object({ content: z.string(), isRelevant: z.boolean(), score })).min(1),
        createdAt: iso,
        documentId: id,
        metadata,
        score,
        title: z.string().nullable(),
        type: z.string().nullable(),
        updatedAt: iso,
      }),
    ),
    timing: z.number().min(0),
    total: z.int().min(0),
  });

export const profile: z.ZodType<Supermemory.ProfileResponse> = z.object({
  profile: z.object({ dynamic: z.array(z.string()), static: z.array(z.string()) }),
});

export const forgotten: z.ZodType<Supermemory.MemoryForgetResponse> = z.object({ id, forgotten: z.boolean() });

export const updatedMemory: z.ZodType<Supermemory.MemoryUpdateMemoryResponse> = z.object({
  id,
  createdAt: iso,
  forgetAfter: z.string().nullable(),
  forgetReason: z.string().nullable(),
  memory: z.string(),
  parentMemoryId: id.nullable(),
  rootMemoryId: id.nullable(),
  version: z.number(),
});

export const updatedSettings: z.ZodType<Supermemory.SettingUpdateResponse> = z.object({
  orgId: z.string().min(1),
  orgSlug: z.string().min(1),
  updated: z.looseObject({}),
});
