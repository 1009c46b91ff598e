import * as z from "zod";
import { defineEndpoint } from "../endpoint.js";
import { AMBIGUOUS, documentNameOf, documentPlace } from "./document-name.js";
import { pageFields } from "../page-fields.js";
import { presentPagination } from "../../pagination.js";
import { paginationAnswer } from "../pagination.js";
import {
  listedDocument,
  presentListedDocument,
  processingDocument,
  presentProcessingDocument,
} from "./present-document.js";
import type { Call, Core } from "../../../core/index.js";
import {
  anyMetadata,
  containerFields,
  containerTag,
  dateTime,
  endUser,
  documentStatus,
  filepath,
  filters,
  tagsOf,
} from "../schemas.js";

/** How many documents `processing` shows; its count is exact all the same. */
const PROCESSING_LIMIT = 1_000;
const PROCESSING_STATUSES = ["unknown", "queued", "extracting", "chunking", "embedding", "indexing"];

const listBody = z.object({
  ...containerFields,
  operator: z
    .string("must be AND or OR")
    .regex(/^(and|or)$/i, "must be AND or OR")
    .optional(),
  filters: filters.optional(),
  endUserId: endUser.optional(),
  includeContent: z.boolean("must be true or false").optional(),
  ...pageFields,
  filepath,
  status: documentStatus.optional(),
  source: z.string().max(255).optional(),
  provider: z.string().max(255).optional(),
});

/** A request for a list, from a body or a query. */
type ListRequest = Omit<z.output<typeof listBody>, "containerTag">;

async function answerList(
  { core, call, origin }: { core: Core; call: Call; origin: string },
  { operator, status, ...fields }: ListRequest,
): Promise<z.infer<typeof listAnswer>> {
  const { documents, total, page, limit } = await core.listDocuments(call, {
    ...fields,
    operator: operator?.toLowerCase() === "and" ? "all" : "any",
    ...(status && { statuses: [status] }),
  });
  const without = fields.includeContent === true ? documents.filter(({ content }) => content === undefined).length : 0;
  return {
    memories: documents.map((document) => presentListedDocument(document, origin)),
    pagination: presentPagination({ page, limit, total }),
    ...(without > 0 && { warnings: [leftOut(without)] }),
  };
}

function leftOut(documents: number): string {
  return `content: left out of ${documents} documents, because one response has room for 16 MB of text; request fewer with limit, or each one by its id`;
}

/** A query holds each value as the array of all its occurrences; these may occur only once. */
function once<T extends z.ZodType>(schema: T) {
  return z
    .preprocess((values, context): unknown => {
      if (!Array.isArray(values)) return values;
      if (values.length > 1) context.addIssue({ code: "custom", message: "must be given once" });
      return values[0];
    }, schema)
    .optional();
}

/** Several tags in one value, separated by commas, or each in a value of its own. */
const tagsQuery = z
  .array(z.string())
  .transform((values) =>
    values
      .flatMap((value) => value.split(","))
      .map((tag) => tag.trim())
      .filter((tag) => tag !== ""),
  )
  .pipe(z.array(containerTag).min(1, "must not be empty; leave it out to mean every container").max(100))
  .optional();

const flagText = z
  .enum(["true", "false", "1", "0", ""], "must be true or false")
  .transform((text) => text !== "false" && text !== "0");

const { operator, limit, page, order, sort, status, source, provider } = listBody.shape;

const listQuery = z.object({
  containerTag: z.array(containerTag).max(100).optional(),
  containerTags: tagsQuery,
  operator: once(operator.unwrap()),
  filters: once(z.string()),
  endUserId: once(endUser),
  includeContent: once(flagText),
  limit: once(limit.unwrap()),
  page: once(page.unwrap()),
  order: once(order.unwrap()),
  sort: once(sort.unwrap()),
  filepath: once(filepath.unwrap()),
  status: once(status.unwrap()),
  source: once(source.unwrap()),
  provider: once(provider.unwrap()),
});

const listAnswer = z.object({
  /** Documents; the field name is older than today's memories. */
  memories: z.array(listedDocument),
  pagination: paginationAnswer,
  warnings: z.array(z.string()).optional(),
});

/** The chunks of a document (contract 2.8). */
const chunksAnswer = z.object({
  documentId: z.string().length(22),
  chunks: z.array(
    z.object({
      id: z.string().length(22),
      position: z.int(),
      /** The same as `position`, under the name that the official command line reads (contract 2.8). */
      index: z.int(),
      content: z.string(),
      type: z.enum(["text", "image"]),
      metadata: anyMetadata,
      createdAt: dateTime,
    }),
  ),
  total: z.int(),
});

const processingQuery = z.object({
  containerTag: z.array(containerTag).max(100).optional(),
  containerTags: tagsQuery,
});

const processingAnswer = z.object({ documents: z.array(processingDocument), totalCount: z.int() });

export const listEndpoints = [
  defineEndpoint({
    method: "post",
    path: "/v3/documents/list",
    operationId: "listDocuments",
    summary: "List documents",
    description:
      "Newest first unless `sort` and `order` say otherwise; without containers, all documents that the key may see. Tags that begin with `sm_project_` are left out of the items; a single document shows all its tags.",
    tag: "documents",
    example: { containerTags: ["mia"], limit: 10, page: 1 },
    body: listBody,
    isBodyOptional: true,
    status: 200,
    answer: listAnswer,
    handle({ body: { containerTag: one, ...body }, ...request }) {
      return answerList(request, { ...body, containerTags: tagsOf({ ...body, containerTag: one }) });
    },
  }),
  defineEndpoint({
    method: "get",
    path: "/v3/documents",
    operationId: "listDocumentsByQuery",
    summary: "List documents, with query parameters",
    description: "The same list as `POST /v3/documents/list`, with its fields as query parameters.",
    tag: "documents",
    query: listQuery,
    status: 200,
    answer: listAnswer,
    handle({ query: { containerTag: some = [], containerTags: others = [], ...query }, ...request }) {
      return answerList(request, { ...query, containerTags: [...new Set([...some, ...others])] });
    },
  }),
  defineEndpoint({
    method: "get",
    path: "/v3/documents/{id}/chunks",
    operationId: "getDocumentChunks",
    summary: "Get the chunks of a document",
    description: "The passages of the newest text that search can find, in order.",
    tag: "documents",
    query: documentPlace,
    refusals: { 409: AMBIGUOUS },
    status: 200,
    answer: chunksAnswer,
    async handle({ core, call, parameter, query }) {
      const { documentId, chunks } = await core.getChunks(call, documentNameOf(parameter, query));
      return {
        documentId,
        chunks: chunks.map(({ id, position, content, type, metadata, createdAt }) => ({
          id,
          position,
          index: position,
          content,
          type,
          metadata: metadata && { ...metadata },
          createdAt,
        })),
        total: chunks.length,
      };
    },
  }),
  defineEndpoint({
    method: "get",
    path: "/v3/documents/processing",
    operationId: "listProcessingDocuments",
    summary: "List documents that are being processed",
    description:
      "Documents whose text is not searchable yet, in all containers that the key may see or in those named.",
    tag: "documents",
    query: processingQuery,
    status: 200,
    answer: processingAnswer,
    async handle({ core, call, query }) {
      const { documents, total } = await core.listDocuments(call, {
        containerTags: [...new Set([...(query.containerTag ?? []), ...(query.containerTags ?? [])])],
        statuses: PROCESSING_STATUSES,
        limit: PROCESSING_LIMIT,
      });
      return { documents: documents.map(presentProcessingDocument), totalCount: total };
    },
  }),
];
