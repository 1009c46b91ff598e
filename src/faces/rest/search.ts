import * as z from "zod";
import { searchSchema } from "../../core/index.js";
import { defineEndpoint } from "./endpoint.js";
import { presentSearch, searchAnswer } from "./present-search-result.js";
import { containerFields, filepath, filters, tagsOf, threshold } from "./schemas.js";

const flag = z.boolean("must be true or false").optional();

const include = z.object({
  documents: flag,
  summaries: flag,
  relatedMemories: flag,
  forgottenMemories: flag,
  chunks: flag,
});

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
