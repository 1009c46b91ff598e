import * as z from "zod";
import { addDocumentSchema } from "../../core/index.js";
import { defineEndpoint } from "./endpoint.js";
import { documentAnswer, presentDocument } from "./present-document.js";
import { preferredWait } from "./prefer.js";
import { containerFields, documentStatus, tagsOf } from "./schemas.js";

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
