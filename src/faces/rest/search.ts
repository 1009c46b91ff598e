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
      const search = (searchMode: typeof body.searchMode) =>
        core.search(call, {
          q,
          limit,
          threshold: lowest,
          filters: condition,
          filepath: path,
          documentId: docId,
          containerTags: tagsOf(body),
          searchMode,
          includeForgotten: wanted.forgottenMemories ?? false,
        });
      if (!wanted.chunks || body.searchMode === "documents")
        return presentSearch(await search(body.searchMode), wanted);
      // The old form: memories that carry the chunks of their documents (contract-gaps.md G-57).
      const [memories, chunks] = await Promise.all([search("memories"), search("documents")]);
      return presentSearch(memories, wanted, chunks.results);
    },
  }),
];
