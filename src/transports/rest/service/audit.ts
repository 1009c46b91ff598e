import * as z from "zod";
import { listAuditSchema, type ListedAuditEntry } from "../../../core/index.js";
import { AUDIT_OUTCOMES, FACES } from "../../../core/types.js";
import { defineEndpoint } from "../endpoint.js";
import { presentPagination } from "../../pagination.js";
import { paginationAnswer } from "../pagination.js";
import { optionalParameter, optionalNumber } from "../query-parameters.js";
import { dateTime } from "../schemas.js";

const { keyId, actor, containerTag, action, outcome, from, to, page, limit } = listAuditSchema.shape;

const auditQuery = z.object({
  keyId: optionalParameter(keyId.unwrap()).describe("Only actions of this key."),
  actor: optionalParameter(actor.unwrap()).describe("Only actions of this actor, such as `local`."),
  containerTag: optionalParameter(containerTag.unwrap()).describe("Only actions that concern this container."),
  action: optionalParameter(action.unwrap()).describe("Only this action, such as `createKey`, `purge` or `signIn`."),
  outcome: optionalParameter(outcome.unwrap()).describe(
    "`ok`, the kind of refusal, or `refused` for everything that did not succeed.",
  ),
  from: optionalParameter(from.unwrap()).describe("Start of the period, inclusive, in ISO 8601 format."),
  to: optionalParameter(to.unwrap()).describe("End of the period, exclusive, in ISO 8601 format."),
  page: optionalNumber(page.unwrap()).describe("Page number, starting at 1. Default 1."),
  limit: optionalNumber(limit.unwrap()).describe("Entries per page, 1 to 1000. Default 100."),
});

const auditEntry = z.object({
  id: z.string(),
  at: dateTime,
  actor: z
    .string()
    .describe("`key:<id>`, `sign-in:<id>`, `local`, …; `unknown` if the caller could not be identified."),
  keyName: z.string().nullable().describe("The current name of the actor's key."),
  action: z.string(),
  outcome: z.enum(AUDIT_OUTCOMES),
  containerTags: z.array(z.string()).describe("The first 20 containers that it concerned."),
  subjectIds: z.array(z.string()).describe("The first 20 ids of the items that it concerned."),
  face: z.enum(FACES).nullable().describe("The interface that was used."),
  address: z.string().nullable().describe("IP address of the other end of the connection."),
  client: z.string().nullable().describe("Name of the client program."),
  count: z.int().describe("How often the same thing happened within a minute."),
});

function present({ ...entry }: ListedAuditEntry): z.infer<typeof auditEntry> {
  return { ...entry, containerTags: [...entry.containerTags], subjectIds: [...entry.subjectIds] };
}

/** An extension (contract 6.11). */
export const auditEndpoints = [
  defineEndpoint({
    method: "get",
    path: "/v3/audit",
    operationId: "listAuditEntries",
    summary: "List the audit log: who did what, newest first",
    description:
      "What was changed, who signed in and who was refused: names and ids, never content. Refusals and reads of the same kind by the same caller within a minute are one entry. Entries are kept for a year, and at most a million of them. Only a key of the whole organisation may do this.",
    tag: "analytics",
    query: auditQuery,
    status: 200,
    answer: z.object({ entries: z.array(auditEntry), pagination: paginationAnswer }),
    async handle({ core, call, query }) {
      const listed = await core.listAudit(call, query);
      return { entries: listed.items.map(present), pagination: presentPagination(listed) };
    },
  }),
];
