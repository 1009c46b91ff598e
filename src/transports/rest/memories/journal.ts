import * as z from "zod";
import { listJournalSchema, type JournalRow } from "../../../core/index.js";
import { JOURNAL_ACTIONS } from "../../../core/types.js";
import { defineEndpoint } from "../endpoint.js";
import { presentPagination } from "../../pagination.js";
import { paginationAnswer } from "../pagination.js";
import { optionalParameter, optionalNumber } from "../query-parameters.js";

const { containerTag, memoryId, documentId, batchId, action, actor, from, to, page, limit } = listJournalSchema.shape;

const query = z.object({
  containerTag: optionalParameter(containerTag.unwrap()).describe("Only entries of this container."),
  memoryId: optionalParameter(memoryId.unwrap()).describe("Only entries of this memory, in all its versions."),
  documentId: optionalParameter(documentId.unwrap()).describe(
    "Only entries of this document and of the memories that it states.",
  ),
  batchId: optionalParameter(batchId.unwrap()).describe("Only entries of this batch."),
  action: optionalParameter(action.unwrap()).describe(
    `Only this kind of change: ${JOURNAL_ACTIONS.map((name) => `\`${name}\``).join(", ")}.`,
  ),
  actor: optionalParameter(actor.unwrap()).describe(
    "Only changes by this actor: `local`, `system`, or `key:`, `oauth:` or `sign-in:` with the id of a key, an app's grant or a sign-in.",
  ),
  from: optionalParameter(from.unwrap()).describe("Start of the period, inclusive, in ISO 8601 format."),
  to: optionalParameter(to.unwrap()).describe("End of the period, exclusive, in ISO 8601 format."),
  page: optionalNumber(page.unwrap()).describe("Page number, starting at 1. Default 1."),
  limit: optionalNumber(limit.unwrap()).describe("Entries per page, 1 to 200. Default 20."),
});

const state = z.record(z.string(), z.unknown()).nullable();

const entryAnswer = z.object({
  at: z.iso.datetime().describe("When it was changed."),
  batchId: z.string().describe("Changes that were made together share a batch, which can be undone as a whole."),
  actor: z
    .string()
    .describe(
      "Who changed it: `local`, `system`, or `key:`, `oauth:` or `sign-in:` with the id of a key, an app's grant or a sign-in.",
    ),
  action: z.string().describe("What was done, such as `memory.updated`."),
  subject: z.enum(["document", "memory", "key", "container"]).describe("What kind of thing was changed."),
  subjectId: z.string().describe("Id of what was changed; for an update, the id of the new version."),
  containerTag: z.string().nullable().describe("Its container; null if it is in no container."),
  cause: z.string().nullable().describe("Why it was changed."),
  before: state.describe("The state before; null if it is new, or if its content was permanently removed."),
  after: state.describe("The state after."),
});

const listAnswer = z.object({ entries: z.array(entryAnswer), pagination: paginationAnswer });

const undoAnswer = z.object({
  batchId: z.string().length(22).describe("Batch of the undo, which can be undone in turn."),
  undone: z.int().min(1).describe("Number of changes that were undone."),
  skipped: z
    .array(
      z.object({
        memoryId: z.string().nullable().describe("Null if the change was not to a memory."),
        reason: z.string().describe("Why the change stays as it is."),
      }),
    )
    .describe("Changes that stay as they are."),
});

export const journalEndpoints = [
  defineEndpoint({
    method: "get",
    path: "/v3/journal",
    operationId: "listJournalEntries",
    summary: "List changes to memories: who changed what, and why, newest first",
    description:
      "All filters apply together; `memoryId` and `documentId` exclude each other. A key for some containers sees the entries of these.",
    tag: "memories",
    query,
    status: 200,
    answer: listAnswer,
    async handle({ core, call, query }) {
      const result = await core.listJournal(call, query);
      return { entries: result.items.map(presentEntry), pagination: presentPagination(result) };
    },
  }),
  defineEndpoint({
    method: "post",
    path: "/v3/journal/{batchId}/undo",
    isExact: true,
    operationId: "undoChanges",
    summary: "Undo changes to memories that were made together",
    description:
      "What was added is forgotten, what was updated gets its older version back, and what was forgotten is active again. The undo is a separate batch, so it can itself be undone. Changes superseded by later ones stay and are listed in `skipped`; if that is all of them, the response is 409 with the reasons. Changes to documents, containers and keys cannot be undone.",
    tag: "memories",
    parameters: { batchId: "Id of the batch, from the journal or from `forgetBatchId`." },
    status: 200,
    answer: undoAnswer,
    async handle({ core, call, parameter }) {
      const { batchId, undone, skipped } = await core.undoBatch(call, { batchId: parameter("batchId") });
      return { batchId, undone, skipped: [...skipped] };
    },
  }),
];

function presentEntry({ seq: _seq, before, after, ...entry }: JournalRow): z.output<typeof entryAnswer> {
  return { ...entry, before: state.parse(before), after: state.parse(after) };
}
