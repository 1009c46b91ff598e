import * as z from "zod";
import { addDocumentSchema } from "../../../core/index.js";
import { defineEndpoint } from "../endpoint.js";
import { AMBIGUOUS, documentNameOf, documentPlace } from "./document-name.js";
import { documentAnswer, presentDocument } from "./present-document.js";
import { presentFact, presentReceipt, receiptAnswer } from "./present-receipt.js";
import { preferredWait } from "../prefer.js";
import { documentContainerFields, tagsOf } from "../schemas.js";

const {
  content,
  customId,
  title,
  metadata,
  endUserId,
  filterByMetadata,
  entityContext,
  taskType,
  filepath,
  documentDate,
  dreaming,
  facts,
} = addDocumentSchema.shape;

const forgetAfter = addDocumentSchema.shape.forgetAfter.describe(
  "When its passages, and the facts that it alone states, stop being found, in ISO 8601 format; immediately if the time has passed. Null removes it.",
);

/** A document to add (contract 2.1). */
export const addBody = z.object({
  content,
  ...documentContainerFields,
  customId,
  title,
  metadata,
  endUserId,
  filterByMetadata,
  entityContext,
  taskType,
  filepath,
  documentDate,
  forgetAfter,
  dreaming,
  /** Extension: facts that the caller has extracted already. */
  facts,
});

/** Any part of a document may change, or nothing at all (contract 2.4). */
const updateBody = z.object({
  content: content.optional(),
  ...documentContainerFields,
  customId,
  title,
  metadata,
  endUserId,
  filterByMetadata,
  taskType,
  filepath,
  documentDate,
  forgetAfter,
});

/** Programs refuse responses with long headers. */
const MOST_IN_HEADER = 100;

export const documentEndpoints = [
  defineEndpoint({
    method: "post",
    path: "/v3/documents",
    operationId: "addDocument",
    summary: "Add a document",
    description:
      "Responds as soon as the document is stored: it can be read immediately, and is searchable a moment later; `Prefer: wait=10` waits for that. Sending a `customId` again updates that document, and only what differs is processed again. Identical content causes no work.",
    tag: "documents",
    example: { content: "Mia prefers trains to planes.", containerTag: "mia", customId: "note-1" },
    body: addBody,
    status: 200,
    answer: receiptAnswer,
    async handle({ core, call, body, header, setHeader, countMore }) {
      const { containerTag: _one, containerTags: _many, ...fields } = body;
      const wait = preferredWait(header("prefer"));
      if (wait !== undefined) setHeader("preference-applied", `wait=${wait}`);
      const receipt = await core.addDocument(call, { ...fields, containerTags: tagsOf(body), wait });
      if (receipt.isInstant) countMore(1);
      const known = body.facts && receipt.facts ? { facts: receipt.facts.map(presentFact) } : {};
      return { ...presentReceipt(receipt), ...known };
    },
  }),
  defineEndpoint({
    method: "get",
    path: "/v3/documents/{id}",
    operationId: "getDocument",
    summary: "Get a document by id or customId",
    description:
      "`content` is the newest text that was sent. `status` and `dreamingStatus` show the progress of processing, `errorReason` why it failed, and `dreamingReason` what its memories are waiting for. `processingMetadata` shows the progress of reading a file, and notes about how it was read. It is also present when a language model refused, was cut off or gave no usable answer: then rules have done that step, or a picture has no description, and the model is tried again automatically.",
    tag: "documents",
    query: documentPlace,
    refusals: { 409: AMBIGUOUS },
    status: 200,
    answer: documentAnswer,
    handle: async ({ core, call, parameter, query, origin }) =>
      presentDocument(await core.getDocument(call, documentNameOf(parameter, query)), origin),
  }),
  defineEndpoint({
    method: "patch",
    path: "/v3/documents/{id}",
    operationId: "updateDocument",
    summary: "Update a document by id or customId",
    description:
      "Absent fields stay unchanged. Works in every state: a change made during processing is applied afterwards. Containers in the body are those that the document moves to: its facts move with it unchanged, and what was forgotten, replaced or declined stays so. That is also true when a different `documentDate` or `taskType` causes it to be read again; a different text replaces everything that was known from the old one.",
    tag: "documents",
    query: documentPlace,
    refusals: { 409: `${AMBIGUOUS} Or another document in the container already has the new \`customId\`.` },
    example: { content: "Mia prefers night trains.", metadata: { team: "travel" } },
    body: updateBody,
    isBodyOptional: true,
    status: 200,
    answer: receiptAnswer,
    async handle({ core, call, body, query, parameter }) {
      const { containerTag: _one, containerTags: _many, ...fields } = body;
      const change = { ...fields, containerTags: tagsOf(body), ...documentNameOf(parameter, query) };
      return presentReceipt(await core.updateDocument(call, change));
    },
  }),
  defineEndpoint({
    method: "delete",
    path: "/v3/documents/{id}",
    operationId: "deleteDocument",
    summary: "Delete a document by id or customId, or forget a memory by id",
    description:
      "Memories that only this document states are forgotten with it. Works in every state. `x-recollect-removed` says whether it was a document or a memory; for a memory, `x-recollect-stated-in` has the ids of the first hundred documents whose text still states what was forgotten, separated by commas.",
    tag: "documents",
    query: documentPlace,
    refusals: { 409: AMBIGUOUS },
    status: 204,
    async handle({ core, call, parameter, query, setHeader }) {
      const { kind, statedIn } = await core.deleteDocument(call, documentNameOf(parameter, query));
      setHeader("x-recollect-removed", kind);
      const ids = statedIn.slice(0, MOST_IN_HEADER).map(({ id }) => id);
      if (ids.length > 0) setHeader("x-recollect-stated-in", ids.join(","));
    },
  }),
];
