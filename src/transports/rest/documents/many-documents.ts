import * as z from "zod";
import { addDocumentsSchema, deleteDocumentsSchema } from "../../../core/index.js";
import { addBody } from "./documents.js";
import { defineEndpoint } from "../endpoint.js";
import { documentWarnings } from "./present-left-out.js";
import { statedIn } from "../memories/stated-in.js";
import { containerTag, documentContainerFields, documentStatus } from "../schemas.js";

const { documents: _documents, ...defaults } = addDocumentsSchema.shape;

/** A document. An invalid one is refused by itself, and the others are accepted. */
const batchDocument = z.union([z.string(), addBody, z.unknown().transform(keepKnownFields)]);

/** Unknown keys of a request are ignored, even in an invalid document. */
function keepKnownFields(document: unknown): unknown {
  if (typeof document !== "object" || document === null || Array.isArray(document)) return document;
  return Object.fromEntries(Object.entries(document).filter(([name]) => Object.hasOwn(addBody.shape, name)));
}

const batchBody = z.object({
  ...defaults,
  ...documentContainerFields,
  documents: z.array(batchDocument, "must be an array").min(1, "must have at least 1 document"),
  content: z.null("must be left out: each document has its own content").optional(),
});

const batchAnswer = z.object({
  /** In the order of the documents. */
  results: z.array(
    z.object({
      id: z.string(),
      status: z.union([documentStatus, z.literal("error")]),
      error: z.string().optional(),
      details: z.string().optional(),
      index: z
        .int()
        .nonnegative()
        .optional()
        .describe("Extension: the index in `documents` of a document that failed."),
      /** Extension: why no search will find it. */
      warnings: documentWarnings.optional(),
    }),
  ),
  success: z.int(),
  failed: z.int(),
});

const bulkDeleteAnswer = z.object({
  success: z.boolean(),
  deletedCount: z.int(),
  errors: z.array(z.object({ id: z.string(), error: z.string() })).optional(),
  containerTags: z.array(z.string()).optional(),
  /** Extension: what each id named; only where ids were given. */
  removed: z.array(z.object({ id: z.string(), kind: z.enum(["document", "memory"]) })).optional(),
  statedIn: statedIn.optional(),
});

export const manyDocumentsEndpoints = [
  defineEndpoint({
    method: "post",
    path: "/v3/documents/batch",
    operationId: "addDocuments",
    summary: "Add several documents",
    description:
      "Each document is accepted or refused separately; `results` lists them in order. Fields next to `documents` are defaults for all of them.",
    tag: "documents",
    example: {
      documents: [{ content: "Mia prefers trains to planes." }, { content: "Mia lives in Porto." }],
      containerTag: "mia",
    },
    body: batchBody,
    carries: "batch",
    status: 200,
    answer: batchAnswer,
    async handle({ core, call, body, countMore }) {
      const { items } = await core.addDocuments(call, body);
      countMore(items.filter((item) => "isInstant" in item).length);
      const results = items.map((item, index) =>
        "error" in item
          ? { id: item.id, status: "error" as const, index, error: item.error, details: item.error }
          : { id: item.id, status: item.status, ...(item.warnings && { warnings: [...item.warnings] }) },
      );
      const failed = results.filter(({ status }) => status === "error").length;
      return { results, success: results.length - failed, failed };
    },
  }),
  defineEndpoint({
    method: "delete",
    path: "/v3/documents/bulk",
    operationId: "deleteDocuments",
    summary: "Delete several documents",
    description:
      "`ids` (ids or customIds, also of memories to forget), `containerTags` or both: the containers and `filepath` then narrow the ids. With `containerTags` alone, everything in them is deleted, or what is under `filepath`. With `ids`, `statedIn` lists documents whose text still states what was forgotten; if `isLeftOut` is true, searches leave out the sentences that it came from; otherwise it is not known which these are, and searches may still show them.",
    tag: "documents",
    example: { ids: ["<id>"] },
    body: z.object({ ...deleteDocumentsSchema.shape, containerTag: containerTag.optional() }),
    isBodyOptional: true,
    status: 200,
    answer: bulkDeleteAnswer,
    async handle({ core, call, body }) {
      const { ids, containerTag: one, containerTags: many, filepath } = body;
      const containerTags = one === undefined ? many : [...new Set([one, ...(many ?? [])])];
      const done = await core.deleteDocuments(call, { ids, containerTags, filepath });
      const { deletedCount, errors } = done;
      const removed = done.removed.map(({ id, kind }) => ({ id, kind }));
      return {
        success: errors.length === 0,
        deletedCount,
        ...(errors.length > 0 && { errors: [...errors] }),
        ...(removed.some(({ kind }) => kind === "memory") && { statedIn: [...done.statedIn] }),
        ...(ids ? { removed } : { containerTags: containerTags ?? [] }),
      };
    },
  }),
];
