import * as z from "zod";
import { addDocumentSchema } from "../../core/index.js";
import { defineEndpoint } from "./endpoint.js";
import { presentDocument } from "./present-document.js";
import { preferredWait } from "./prefer.js";
import { anyMetadata, containerFields, dateTime, documentStatus, documentType, tagsOf } from "./schemas.js";

const { content, customId, title, metadata, taskType, filepath, documentDate, dreaming, facts } =
  addDocumentSchema.shape;

const addBody = z.object({
  content,
  ...containerFields,
  customId,
  title,
  metadata,
  taskType,
  filepath,
  documentDate,
  dreaming,
  /** Extension: facts that the caller has extracted already. */
  facts,
});

const addAnswer = z.object({
  id: z.string(),
  status: documentStatus,
  /** Extension: whether the memories of the document are formed. */
  dreamingStatus: z.enum(["dreaming", "done"]),
  /** Extension: why processing failed. */
  errorReason: z.string().optional(),
});

const documentMemory = z.object({
  id: z.string().length(22),
  memory: z.string(),
  createdAt: dateTime,
  updatedAt: dateTime.nullable(),
  isLatest: z.boolean(),
  isForgotten: z.boolean(),
  isStatic: z.boolean(),
  isInference: z.boolean(),
  version: z.int(),
  sourceCount: z.int(),
  metadata: anyMetadata,
  parentMemoryId: z.string().nullable(),
  rootMemoryId: z.string().nullable(),
});

const documentAnswer = z.object({
  id: z.string().length(22),
  customId: z.string().max(255).nullable(),
  connectionId: z.string().nullable(),
  containerTags: z.array(z.string()),
  content: z.string().nullable(),
  createdAt: dateTime,
  updatedAt: dateTime,
  metadata: anyMetadata,
  ogImage: z.string().nullable(),
  raw: z.null(),
  source: z.string().max(255).nullable(),
  spatialPoint: z.null(),
  status: documentStatus,
  dreamingStatus: z.enum(["dreaming", "done"]),
  summary: z.string().nullable(),
  taskType: z.enum(["memory", "superrag"]),
  title: z.string().nullable(),
  type: documentType,
  url: z.string().nullable(),
  filepath: z.string().nullable(),
  memories: z.array(documentMemory).min(1).optional(),
  /** Extension: why processing failed; only on a failed document. */
  errorReason: z.string().optional(),
});
export type DocumentAnswer = z.infer<typeof documentAnswer>;

export const documentEndpoints = [
  defineEndpoint({
    method: "post",
    path: "/v3/documents",
    summary: "Add a document",
    tag: "documents",
    body: addBody,
    status: 200,
    answer: addAnswer,
    async handle({ core, call, body, header, setHeader }) {
      const { containerTag: _one, containerTags: _many, ...fields } = body;
      const wait = preferredWait(header("prefer"));
      if (wait !== undefined) setHeader("preference-applied", `wait=${wait}`);
      const receipt = await core.addDocument(call, { ...fields, containerTags: tagsOf(body), wait });
      const { id, status, dreamingStatus, errorReason } = receipt;
      return { id, status, dreamingStatus, ...(errorReason !== null && { errorReason }) };
    },
  }),
  defineEndpoint({
    method: "get",
    path: "/v3/documents/{id}",
    summary: "Get a document by id or customId",
    tag: "documents",
    status: 200,
    answer: documentAnswer,
    handle: async ({ core, call, parameter }) => presentDocument(await core.getDocument(call, { id: parameter("id") })),
  }),
  defineEndpoint({
    method: "delete",
    path: "/v3/documents/{id}",
    summary: "Delete a document by id or customId",
    tag: "documents",
    status: 204,
    async handle({ core, call, parameter }) {
      await core.deleteDocument(call, { id: parameter("id") });
    },
  }),
];
