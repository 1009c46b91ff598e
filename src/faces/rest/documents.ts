import * as z from "zod";
import { addDocumentSchema } from "../../core/index.js";
import { defineEndpoint } from "./endpoint.js";
import { documentAnswer, presentDocument } from "./present-document.js";
import { presentReceipt, receiptAnswer } from "./present-receipt.js";
import { preferredWait } from "./prefer.js";
import { containerFields, tagsOf } from "./schemas.js";

const {
  content,
  customId,
  title,
  metadata,
  filterByMetadata,
  entityContext,
  taskType,
  filepath,
  documentDate,
  dreaming,
  facts,
} = addDocumentSchema.shape;

const addBody = z.object({
  content,
  ...containerFields,
  customId,
  title,
  metadata,
  filterByMetadata,
  entityContext,
  taskType,
  filepath,
  documentDate,
  dreaming,
  /** Extension: facts that the caller has extracted already. */
  facts,
});

/** What may be changed; any part of it, also nothing (contract.md §3.5). */
const updateBody = z.object({
  content: content.optional(),
  ...containerFields,
  customId,
  title,
  metadata,
  filterByMetadata,
  taskType,
  filepath,
  documentDate,
});

export const documentEndpoints = [
  defineEndpoint({
    method: "post",
    path: "/v3/documents",
    summary: "Add a document",
    tag: "documents",
    body: addBody,
    status: 200,
    answer: receiptAnswer,
    async handle({ core, call, body, header, setHeader }) {
      const { containerTag: _one, containerTags: _many, ...fields } = body;
      const wait = preferredWait(header("prefer"));
      if (wait !== undefined) setHeader("preference-applied", `wait=${wait}`);
      return presentReceipt(await core.addDocument(call, { ...fields, containerTags: tagsOf(body), wait }));
    },
  }),
  defineEndpoint({
    method: "get",
    path: "/v3/documents/{id}",
    summary: "Get a document by id or customId",
    tag: "documents",
    status: 200,
    answer: documentAnswer,
    handle: async ({ core, call, parameter, origin }) =>
      presentDocument(await core.getDocument(call, { id: parameter("id") }), origin),
  }),
  defineEndpoint({
    method: "patch",
    path: "/v3/documents/{id}",
    summary: "Change a document by id or customId",
    tag: "documents",
    body: updateBody,
    isBodyOptional: true,
    status: 200,
    answer: receiptAnswer,
    async handle({ core, call, body, parameter }) {
      const { containerTag: _one, containerTags: _many, ...fields } = body;
      const change = { ...fields, containerTags: tagsOf(body), id: parameter("id") };
      return presentReceipt(await core.updateDocument(call, change));
    },
  }),
  defineEndpoint({
    method: "delete",
    path: "/v3/documents/{id}",
    summary: "Delete a document by id or customId, or forget a memory by id",
    tag: "documents",
    status: 204,
    async handle({ core, call, parameter, setHeader }) {
      const { kind } = await core.deleteDocument(call, { id: parameter("id") });
      setHeader("x-recollect-removed", kind);
    },
  }),
];
