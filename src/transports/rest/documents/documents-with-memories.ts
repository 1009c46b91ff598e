import * as z from "zod";
import { documentGraphSchema, documentsByIdsSchema } from "../../../core/index.js";
import { defineEndpoint } from "../endpoint.js";
import { pageFields } from "../page-fields.js";
import { presentPagination } from "../../pagination.js";
import { paginationAnswer } from "../pagination.js";
import { facet, graphDocument, presentFacet, presentGraphDocument } from "./present-document-graph.js";
import { containerFields, tagsOf } from "../schemas.js";

const listBody = z.object({
  ...containerFields,
  sources: documentGraphSchema.shape.sources,
  categories: documentGraphSchema.shape.categories,
  endUserId: documentGraphSchema.shape.endUserId,
  ...pageFields,
});

const byIdsBody = z.object({
  ids: documentsByIdsSchema.shape.ids,
  by: documentsByIdsSchema.shape.by,
  ...containerFields,
});

const answer = z.object({ documents: z.array(graphDocument), pagination: paginationAnswer });

const facetsAnswer = z.object({
  facets: z.array(facet),
  /** All documents. */
  total: z.int(),
});

/** What memory graphs and the command line's list read (contract 2.12). */
export const documentGraphEndpoints = [
  defineEndpoint({
    method: "post",
    path: "/v3/documents/documents",
    operationId: "listDocumentsWithMemories",
    summary: "List documents with their memories",
    description: "Superseded and forgotten memories are included, with their flags. Texts are cut at 2,000 characters.",
    tag: "documents",
    example: { containerTags: ["mia"], page: 1, limit: 10 },
    body: listBody,
    isBodyOptional: true,
    status: 200,
    answer,
    async handle({ core, call, origin, body: { containerTag, containerTags, ...fields } }) {
      const tags = tagsOf({ containerTag, containerTags });
      const page = await core.listDocumentsWithMemories(call, { ...fields, containerTags: tags });
      const orgId = call.actor.organizationId;
      return {
        documents: page.documents.map((document) => presentGraphDocument(document, { orgId, origin })),
        pagination: presentPagination(page),
      };
    },
  }),
  defineEndpoint({
    method: "post",
    path: "/v3/documents/documents/by-ids",
    operationId: "getDocumentsWithMemories",
    summary: "Get documents with their memories by id or customId",
    description:
      "In the requested order; documents that do not exist are left out. For up to 100 documents, texts are complete; for more, they are cut at 2,000 characters.",
    tag: "documents",
    example: { ids: ["<id>"] },
    body: byIdsBody,
    status: 200,
    answer,
    async handle({ core, call, origin, body }) {
      const { ids, by } = body;
      const found = await core.readDocumentsWithMemories(call, { ids, by, containerTags: tagsOf(body) });
      const orgId = call.actor.organizationId;
      return {
        documents: found.map((document) => presentGraphDocument(document, { orgId, origin })),
        pagination: presentPagination({ page: 1, limit: ids.length, total: found.length }),
      };
    },
  }),
  defineEndpoint({
    method: "post",
    path: "/v3/documents/documents/facets",
    operationId: "countDocumentsByCategory",
    summary: "Count documents by category",
    description: "Each document has one category; categories without documents are left out.",
    tag: "documents",
    example: { containerTags: ["mia"] },
    body: z.object(containerFields),
    isBodyOptional: true,
    status: 200,
    answer: facetsAnswer,
    async handle({ core, call, body }) {
      const facets = await core.countDocumentCategories(call, { containerTags: tagsOf(body) });
      return { facets: facets.map(presentFacet), total: facets.reduce((sum, { count }) => sum + count, 0) };
    },
  }),
];
