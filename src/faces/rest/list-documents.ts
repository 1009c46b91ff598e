import * as z from "zod";
import { defineEndpoint } from "./endpoint.js";
import {
  listedDocument,
  presentListedDocument,
  processingDocument,
  presentProcessingDocument,
} from "./present-document.js";
import { containerFields, documentStatus, filepath, filters, tagsOf } from "./schemas.js";

/** Documents that `processing` shows at most; its count is exact all the same. */
const PROCESSING_LIMIT = 1_000;
const PROCESSING_STATUSES = ["unknown", "queued", "extracting", "chunking", "embedding", "indexing"];
const MAX_PAGE = 1_000_000_000;

/** A JSON number or the same as digits: older clients send text (contract.md §1.12). */
function count(max: number) {
  const message = `must be a whole number from 1 to ${max}, or the same as text`;
  return z
    .union([z.number(), z.string().regex(/^\d{1,15}$/)], message)
    .transform(Number)
    .refine((value) => Number.isInteger(value) && value >= 1 && value <= max, message);
}

const listBody = z.object({
  ...containerFields,
  operator: z
    .string("must be AND or OR")
    .regex(/^(and|or)$/i, "must be AND or OR")
    .optional(),
  filters: filters.optional(),
  includeContent: z.boolean("must be true or false").optional(),
  limit: count(1_100).optional(),
  page: count(MAX_PAGE).optional(),
  order: z.enum(["asc", "desc"]).optional(),
  sort: z.enum(["createdAt", "updatedAt"]).optional(),
  filepath,
  status: documentStatus.optional(),
  source: z.string("must be a string").max(255).optional(),
});

const listAnswer = z.object({
  /** Documents; the name is older than the memories of today. */
  memories: z.array(listedDocument),
  pagination: z.object({
    currentPage: z.int(),
    limit: z.int(),
    totalItems: z.int(),
    totalPages: z.int(),
  }),
});

const processingQuery = z.object({
  containerTag: z.array(containerFields.containerTag.unwrap()).optional(),
  containerTags: z.array(containerFields.containerTag.unwrap()).optional(),
});

const processingAnswer = z.object({ documents: z.array(processingDocument), totalCount: z.int() });

export const listEndpoints = [
  defineEndpoint({
    method: "post",
    path: "/v3/documents/list",
    summary: "List documents",
    tag: "documents",
    body: listBody,
    isBodyOptional: true,
    status: 200,
    answer: listAnswer,
    async handle({ core, call, body }) {
      const { containerTag: _one, containerTags: _many, operator, status, ...fields } = body;
      const { documents, total, page, limit } = await core.listDocuments(call, {
        ...fields,
        containerTags: tagsOf(body),
        operator: operator?.toLowerCase() === "and" ? "all" : "any",
        ...(status && { statuses: [status] }),
      });
      return {
        memories: documents.map(presentListedDocument),
        pagination: { currentPage: page, limit, totalItems: total, totalPages: Math.ceil(total / limit) },
      };
    },
  }),
  defineEndpoint({
    method: "get",
    path: "/v3/documents/processing",
    summary: "Documents that are being processed",
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
