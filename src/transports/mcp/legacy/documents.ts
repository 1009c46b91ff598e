import * as z from "zod";
import { dayIn } from "../../../lib/time-zone.js";
import type { DocumentHead } from "../../../core/types.js";
import { createId } from "../../../lib/ids.js";
import { safeCut } from "../../../lib/truncate.js";
import { presentPagination } from "../../pagination.js";
import { hitTitle } from "../hits.js";
import { fence, NOTICE } from "../recalled.js";
import { oneLine } from "../../../lib/one-line.js";
import { listPlaces } from "../places.js";
import { defineTool, type Tool } from "../tool.js";
import { anyId, containerTag, READ_ONLY } from "../tools/arguments.js";
import {
  containersToRead,
  describePosition,
  LONGEST_CONTENT,
  nameIn,
  pageArguments,
  paginationSchema,
  placeArguments,
  bothNamesSchema,
  presentBothNames,
} from "./arguments.js";

/** Clients move longer results to a file, or drop them; programs get the whole text as data. */
const SHOWN_CHARACTERS = 40_000;

const documentPlace = {
  containerTag: containerTag.describe("Needed for a customId that exists in several containers"),
  namespace: placeArguments.namespace,
};

const documentSchema = z.object({
  id: z.string(),
  title: z.string().nullable(),
  type: z.string(),
  status: z.string(),
  createdAt: z.string(),
  updatedAt: z.string(),
  summary: z.string().nullable(),
});

function presentDocument(document: DocumentHead): z.output<typeof documentSchema> {
  const { id, title, type, status, createdAt, updatedAt, summary } = document;
  return { id, title, type, status, createdAt, updatedAt, summary };
}

const listing = {
  title: "List documents",
  description: "The documents of a container, newest first, without their texts.",
  input: z.object({ ...pageArguments, ...placeArguments }),
  output: z.object({
    ...bothNamesSchema,
    documents: z.array(documentSchema),
    pagination: paginationSchema,
    notice: z.string(),
  }),
  annotations: READ_ONLY,
};

const reading = {
  title: "Get a document",
  description: "One document with its text, by id or customId.",
  input: z.object({ documentId: anyId, ...documentPlace }),
  output: z.object({
    document: documentSchema.extend({
      url: z.string().nullable(),
      containerTags: z.array(z.string()),
      content: z.string(),
      contentTruncated: z.boolean(),
    }),
    notice: z.string(),
  }),
  annotations: READ_ONLY,
};

const listTool = (name: string): Tool =>
  defineTool({
    ...listing,
    name,
    async run(context, args) {
      const places = containersToRead(context, args);
      const container = listPlaces(places);
      const { page, limit } = args;
      const listed = await context.core.listDocuments(
        { actor: context.actor },
        { containerTags: [...places], page, limit },
      );
      const lines = listed.documents.map(
        (document) =>
          `[${document.id}] (${document.type}, ${document.status}, ${dayIn(document.createdAt, listed.timeZone)}) ${hitTitle(document, document.summary ?? "untitled")}`,
      );
      return {
        text: [
          describePosition(listed, `documents of ${container}`),
          ...(lines.length > 0 ? [fence(lines.join("\n"))] : []),
        ].join("\n"),
        structured: {
          ...presentBothNames(container),
          documents: listed.documents.map(presentDocument),
          pagination: presentPagination(listed),
          notice: NOTICE,
        },
      };
    },
  });

const readTool = (name: string): Tool =>
  defineTool({
    ...reading,
    name,
    async run({ core, actor }, { documentId, ...place }) {
      const { document } = await core.getDocument({ actor }, { id: documentId, within: nameIn(place) });
      const content = document.content.slice(0, safeCut(document.content, LONGEST_CONTENT));
      const shown = content.slice(0, safeCut(content, SHOWN_CHARACTERS));
      const { id, containerTags, status } = document;
      const rest = shown.length < document.content.length;
      return {
        text: [
          `Document [${id}] in ${containerTags.join(", ")}, ${status}.`,
          fence(`${oneLine(hitTitle(document, document.content))}\n\n${shown}`),
          ...(rest
            ? [`Characters 0 to ${shown.length}; for more call fetch with id ${id} and offset ${shown.length}.`]
            : []),
        ].join("\n"),
        structured: {
          document: {
            ...presentDocument(document),
            url: document.url,
            containerTags: [...containerTags],
            content,
            contentTruncated: content.length < document.content.length,
          },
          notice: NOTICE,
        },
      };
    },
  });

const deleteDocument = defineTool({
  name: "delete_document",
  title: "Delete a document",
  description: "Removes a document, by id or customId, with the memories that it alone states.",
  input: z.object({ documentId: anyId, ...documentPlace }),
  output: z.object({ success: z.boolean(), documentId: z.string(), message: z.string() }),
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
  async run({ core, actor }, { documentId, ...place }) {
    await core.deleteDocument({ actor, operationId: createId() }, { id: documentId, within: nameIn(place) });
    const message = `Removed ${documentId}, with the memories that nothing else states.`;
    return { text: message, structured: { success: true, documentId, message } };
  },
});

/** Documents under the names of two generations. */
export const documentTools: readonly Tool[] = [
  listTool("list_documents"),
  listTool("listDocuments"),
  readTool("get_document"),
  readTool("getDocument"),
  deleteDocument,
];
