import * as z from "zod";
import { searchDocumentsSchema, searchSchema, type SearchAnswer } from "../../../core/index.js";
import { defineEndpoint } from "../endpoint.js";
import { documentSearchAnswer, presentDocumentSearch } from "./present-document-result.js";
import { presentSearch, searchAnswer } from "./present-search-result.js";
import { containerFields, filepath, filters, operator, operatorOf, tagsOf, threshold } from "../schemas.js";

const flag = z.boolean("must be true or false").optional();

/** Fields by which every kind of search can be narrowed. */
const groundFields = {
  ...containerFields,
  operator: operator.describe(
    "How several tags combine: OR unites them, AND wants the chunks of documents that carry all of them.",
  ),
  filters: filters.optional(),
  filepath,
  docId: searchSchema.shape.documentId.describe("Id or customId of the document to search in."),
  endUserId: searchSchema.shape.endUserId.describe("Only what carries this `endUserId` in its metadata."),
};
type GroundFields = z.infer<z.ZodObject<typeof groundFields>>;

/** Fields that let a search take more effort. */
const careFields = {
  rerank: flag.describe(
    "Looks at the best results once more, together, for a better order, and gives `similarity` anew by it. By rules, or by what the server is set to.",
  ),
  rewriteQuery: flag.describe(
    "Searches for other forms of the query, too: without talk around it, with dates for `last week`, with synonyms. By the language model where there is one, else by rules.",
  ),
};

const include = z.object({
  documents: flag,
  summaries: flag,
  relatedMemories: flag,
  forgottenMemories: flag.describe(
    "Searches what was forgotten or is over, too. Earlier versions of a memory are not found by themselves: `relatedMemories` shows them as `context.parents` of the current one. What was forgotten carries `isForgotten: true`, and so do chunks of documents whose `forgetAfter` has passed; a passage that says on the query only what something newer replaced carries `isLatest: false`. Without it such passages are left out, and sentences that do not hold any more are cut out of others (`[…]`); only passages that tell of an event which is over stay, behind others and marked.",
  ),
  chunks: flag.describe("Gives memories alone, each with the chunks of its documents that answer the query."),
});

const searchBody = z.object({
  q: searchSchema.shape.q,
  ...groundFields,
  searchMode: searchSchema.shape.searchMode,
  limit: searchSchema.shape.limit,
  threshold,
  chunkThreshold: threshold.describe("Least similarity of a chunk, where that is more than `threshold`."),
  onlyMatchingChunks: flag.describe("False adds to each chunk the one before and the one after it. Default true."),
  include: include.optional(),
  documentThreshold: threshold.describe(
    "Least similarity of a document's best chunk, without which none of its chunks is given. Memories stay.",
  ),
  ...careFields,
  aggregate: flag.describe(
    "Adds memories that say what several results say together, marked `isAggregated`. They are kept nowhere. By the language model where there is one, else only by joining memories that begin alike.",
  ),
});

const documentSearchBody = z.object({
  q: searchSchema.shape.q.describe("`*` finds every document, the most recently changed first."),
  ...groundFields,
  limit: searchSchema.shape.limit.describe("The most documents."),
  chunkThreshold: searchDocumentsSchema.shape.chunkThreshold,
  documentThreshold: searchDocumentsSchema.shape.documentThreshold.describe(
    "Least score of a document, which is that of its best chunk.",
  ),
  onlyMatchingChunks: flag.describe("False adds to each chunk the one before and the one after it. Default true."),
  includeFullDocs: flag,
  includeSummary: flag,
  categoriesFilter: z
    .array(z.string())
    .optional()
    .describe("Accepted for older clients; has no effect, which a warning says."),
  ...careFields,
});

export const searchEndpoints = [
  defineEndpoint({
    method: "post",
    path: "/v4/search",
    operationId: "searchMemories",
    summary: "Search memories and documents",
    description:
      "Each result carries either `memory` or `chunk`. `similarity` means the same under every embedder: unrelated text lies near 0.2, related above 0.5, nearly identical above 0.9. Without a container all that the key may see is searched.",
    tag: "search",
    example: { q: "How does Mia like to travel?", containerTag: "mia", limit: 5 },
    body: searchBody,
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
    refusals: { 404: "There is no document of this `docId`." },
    tag: "search",
    example: { q: "travel plans", containerTags: ["mia"] },
    body: documentSearchBody,
    idle: { categoriesFilter: "documents have no categories here, so none is left out" },
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
