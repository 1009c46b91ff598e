import * as z from "zod";
import { searchSchema } from "../../core/index.js";
import { defineEndpoint } from "./endpoint.js";
import { presentSearch } from "./present-search-result.js";
import { anyMetadata, containerFields, dateTime, filepath, filters, tagsOf, threshold } from "./schemas.js";

const flag = z.boolean("must be true or false").optional();

const include = z.object({
  documents: flag,
  summaries: flag,
  relatedMemories: flag,
  forgottenMemories: flag,
  chunks: flag,
});
export type SearchInclude = z.infer<typeof include>;

const searchBody = z.object({
  q: searchSchema.shape.q,
  ...containerFields,
  searchMode: searchSchema.shape.searchMode,
  limit: searchSchema.shape.limit,
  threshold,
  filters: filters.optional(),
  filepath,
  docId: searchSchema.shape.documentId,
  include: include.optional(),
  rerank: flag,
  aggregate: flag,
  rewriteQuery: flag,
});

const relatedMemory = z.object({
  relation: z.enum(["updates", "extends", "derives"]),
  version: z.number().nullable().optional(),
  memory: z.string(),
  metadata: anyMetadata.optional(),
  updatedAt: dateTime,
});

const sourceDocument = z.object({
  id: z.string(),
  title: z.string().optional(),
  type: z.string().optional(),
  metadata: anyMetadata,
  summary: z.string().nullable().optional(),
  createdAt: dateTime,
  updatedAt: dateTime,
});

export const searchResult = z.object({
  id: z.string().length(22),
  /** A result has either `memory` or `chunk`. */
  memory: z.string().optional(),
  chunk: z.string().optional(),
  metadata: anyMetadata,
  updatedAt: dateTime,
  similarity: z.number().min(0).max(1),
  version: z.int(),
  /** Only on memories; null when the memory was never superseded. */
  rootMemoryId: z.string().nullable().optional(),
  filepath: z.string().nullable(),
  context: z
    .object({
      parents: z.array(relatedMemory),
      children: z.array(relatedMemory),
      related: z.array(relatedMemory),
    })
    .optional(),
  documents: z.array(sourceDocument).optional(),
  chunks: z
    .array(
      z.object({
        content: z.string(),
        position: z.int(),
        documentId: z.string(),
        score: z.number().min(0).max(1),
      }),
    )
    .optional(),
});
export type PresentedResult = z.infer<typeof searchResult>;

export const searchAnswer = z.object({
  results: z.array(searchResult),
  timing: z.number(),
  total: z.int(),
  /** Extension: documents of the searched containers that are not searchable, or not understood, yet. */
  waiting: z.int(),
  /** Extension: what did not work, in words; absent when all did. */
  degraded: z.array(z.string()).min(1).optional(),
});
export type PresentedSearch = z.infer<typeof searchAnswer>;

export const searchEndpoints = [
  defineEndpoint({
    method: "post",
    path: "/v4/search",
    summary: "Search memories and documents",
    tag: "search",
    body: searchBody,
    status: 200,
    answer: searchAnswer,
    async handle({ core, call, body }) {
      const { q, limit, threshold: lowest, filters: condition, filepath: path, docId } = body;
      const wanted = body.include ?? {};
      // `include.chunks` is the old form: memories that carry their chunks (contract-gaps.md G-57).
      const areChunksEmbedded = wanted.chunks === true && body.searchMode !== "documents";
      const answer = await core.search(call, {
        q,
        limit,
        threshold: lowest,
        filters: condition,
        filepath: path,
        documentId: docId,
        containerTags: tagsOf(body),
        searchMode: areChunksEmbedded ? "hybrid" : body.searchMode,
        includeForgotten: wanted.forgottenMemories ?? false,
      });
      return presentSearch(answer, { ...wanted, chunks: areChunksEmbedded });
    },
  }),
];
