import * as z from "zod";
import { searchDocumentsSchema, searchSchema, type SearchAnswer } from "../../../core/index.js";
import { defineEndpoint, type SearchMode } from "../endpoint.js";
import { documentSearchAnswer, presentDocumentSearch } from "./present-document-result.js";
import { presentSearch, searchAnswer } from "./present-search-result.js";
import { containerFields, filepath, filters, operator, operatorOf, tagsOf, threshold } from "../schemas.js";

const flag = z.boolean("must be true or false").optional();

/** Fields by which every kind of search can be narrowed. */
const groundFields = {
  ...containerFields,
  operator: operator.describe(
    "How several tags combine: OR unites them, AND finds only chunks of documents that have all of them, and memories in any of them.",
  ),
  filters: filters.optional(),
  filepath,
  docId: searchSchema.shape.documentId.describe("Id or customId of the document to search in."),
  endUserId: searchSchema.shape.endUserId.describe("Only items with this `endUserId` in their metadata."),
};
type GroundFields = z.infer<z.ZodObject<typeof groundFields>>;

/** Fields that let a search take more effort. */
const careFields = {
  rerank: flag.describe(
    "Whether to rank the best results once more, together, for a better order, and to recalculate `similarity` accordingly. Uses rules, or the reranker that the server is set to.",
  ),
  rewriteQuery: flag.describe(
    "Whether to search for other forms of the query, too: without surrounding talk, with dates for `last week`, with synonyms. Uses the language model if there is one, or else rules.",
  ),
};

const include = z.object({
  documents: flag,
  summaries: flag,
  relatedMemories: flag,
  forgottenMemories: flag.describe(
    "Whether to search forgotten and expired memories, too. Earlier versions of a memory are not found separately: `relatedMemories` shows them as `context.parents` of the current one. Forgotten memories have `isForgotten: true`, and so do chunks of documents whose `forgetAfter` has passed; a passage whose only information on the query was replaced by something newer has `isLatest: false`. Without this field, such passages are left out, and sentences that are no longer valid are cut out of others (`[…]`); only passages about an event that is over stay, ranked after others and marked.",
  ),
  chunks: flag.describe(
    "Whether to return only memories, each with the chunks of its documents that answer the query.",
  ),
});

const searchBody = z.object({
  q: searchSchema.shape.q,
  ...groundFields,
  searchMode: searchSchema.shape.searchMode,
  limit: searchSchema.shape.limit,
  threshold,
  chunkThreshold: threshold.describe("Minimum similarity of a chunk, if it is higher than `threshold`."),
  onlyMatchingChunks: flag.describe("False adds the chunks before and after each chunk. Default true."),
  include: include.optional(),
  documentThreshold: threshold.describe(
    "Minimum similarity of a document's best chunk; below it, none of its chunks is returned. Memories stay.",
  ),
  ...careFields,
  aggregate: flag.describe(
    "Whether to add memories that combine what several results say, marked `isAggregated`. They are not stored. Uses the language model if there is one, or else only joins memories that begin alike.",
  ),
});

const documentSearchBody = z.object({
  q: searchSchema.shape.q.describe("`*` finds every document, the most recently changed first."),
  ...groundFields,
  limit: searchSchema.shape.limit.describe("Maximum number of documents."),
  chunkThreshold: searchDocumentsSchema.shape.chunkThreshold,
  documentThreshold: searchDocumentsSchema.shape.documentThreshold.describe(
    "Minimum score of a document, which is the score of its best chunk.",
  ),
  onlyMatchingChunks: flag.describe("False adds the chunks before and after each chunk. Default true."),
  includeFullDocs: flag,
  includeSummary: flag,
  categoriesFilter: z
    .array(z.string())
    .optional()
    .describe("Accepted for older clients; has no effect, as a warning says."),
  ...careFields,
});

export const searchEndpoints = [
  defineEndpoint({
    method: "post",
    path: "/v4/search",
    operationId: "searchMemories",
    summary: "Search memories and documents",
    description:
      "Each result has either `memory` or `chunk`. `similarity` means the same with every embedder: unrelated text is near 0.2, related text above 0.5, nearly identical text above 0.9. Without a container, everything that the key may see is searched.",
    tag: "search",
    example: { q: "How does Mia like to travel?", containerTag: "mia", limit: 5 },
    body: searchBody,
    idleBeside: idleInMode,
    status: 200,
    answer: searchAnswer,
    async handle({ core, call, body, setHeader }) {
      const { q, searchMode, limit, chunkThreshold, documentThreshold, include: wanted = {} } = body;
      const answer = await core.search(call, {
        q,
        ...groundOf(body),
        searchMode,
        limit,
        threshold: body.threshold,
        chunkThreshold,
        documentThreshold,
        includeForgotten: wanted.forgottenMemories,
        includeRelatives: wanted.relatedMemories,
        // Callers who search documents get chunks anyway.
        includeChunks: wanted.chunks && searchMode !== "documents",
        includeNeighbours: body.onlyMatchingChunks === false,
        rerank: body.rerank,
        rewriteQuery: body.rewriteQuery,
        aggregate: body.aggregate,
      });
      setHeader("server-timing", serverTiming(answer));
      return presentSearch(answer, wanted);
    },
  }),
  defineEndpoint({
    method: "post",
    path: "/v3/search",
    operationId: "searchDocuments",
    summary: "Search documents",
    description: "Finds documents, each with its best chunks; `chunkThreshold` leaves out weaker ones.",
    refusals: { 404: "There is no document with this `docId`." },
    tag: "search",
    example: { q: "travel plans", containerTags: ["mia"] },
    body: documentSearchBody,
    idle: { categoriesFilter: "documents have no categories on this server, so none are left out" },
    status: 200,
    answer: documentSearchAnswer,
    async handle({ core, call, body, setHeader }) {
      const { q, limit, chunkThreshold, documentThreshold } = body;
      const answer = await core.searchDocuments(call, {
        q,
        ...groundOf(body),
        limit,
        chunkThreshold,
        documentThreshold,
        includeNeighbours: body.onlyMatchingChunks === false,
        includeContent: body.includeFullDocs,
        rerank: body.rerank,
        rewriteQuery: body.rewriteQuery,
      });
      setHeader("server-timing", serverTiming(answer));
      return presentDocumentSearch(answer, { withSummary: body.includeSummary ?? false });
    },
  }),
];

/** Fields without effect on what the request searches. */
function idleInMode(body: z.infer<typeof searchBody>, usual: { readonly searchMode: SearchMode }): string[] {
  const { searchMode = usual.searchMode, include: wanted = {} } = body;
  const isSent = (threshold: number | undefined) => threshold !== undefined;
  const only = `has no effect with searchMode "${searchMode}"`;
  const idle =
    searchMode === "documents"
      ? {
          [`aggregate: ${only}`]: body.aggregate,
          [`include.chunks: ${only}`]: wanted.chunks,
          [`include.relatedMemories: ${only}`]: wanted.relatedMemories,
        }
      : {
          [`chunkThreshold: ${only} unless include.chunks is true`]:
            searchMode === "memories" && !wanted.chunks && isSent(body.chunkThreshold),
          [`documentThreshold: ${only} unless include.chunks is true`]:
            searchMode === "memories" && !wanted.chunks && isSent(body.documentThreshold),
          [`onlyMatchingChunks: ${searchMode === "memories" ? only : "has no effect with include.chunks"}`]:
            (searchMode === "memories" || wanted.chunks) && body.onlyMatchingChunks === false,
        };
  return Object.keys(idle).filter((warning) => idle[warning]);
}

/** Where the time went, in the format for browsers and proxies (W3C Server Timing). */
function serverTiming({ stages, timing }: Pick<SearchAnswer, "stages" | "timing">): string {
  return Object.entries({ ...stages, total: timing })
    .map(([name, milliseconds]) => `${name};dur=${milliseconds.toFixed(2)}`)
    .join(", ");
}

function groundOf(body: GroundFields) {
  return {
    containerTags: tagsOf(body),
    operator: operatorOf(body.operator),
    filters: body.filters,
    filepath: body.filepath,
    documentId: body.docId,
    endUserId: body.endUserId,
  };
}
