import * as z from "zod";
import { listAuditSchema, type ListedAuditEntry } from "../../../core/index.js";
import { AUDIT_OUTCOMES, FACES } from "../../../core/types.js";
import { defineEndpoint } from "../endpoint.js";
import { paginationAnswer, presentPagination } from "../pagination.js";
import { once, onceNumber } from "../query-parameters.js";
import { dateTime } from "../schemas.js";

const { keyId, actor, containerTag, action, outcome, from, to, page, limit } = listAuditSchema.shape;

const auditQuery = z.object({
  keyId: once(keyId.unwrap()).describe("Only what this key did."),
  actor: once(actor.unwrap()).describe("Only what this actor did, such as `local`."),
  containerTag: once(containerTag.unwrap()).describe("Only what was about this container."),
  action: once(action.unwrap()).describe("Only this, such as `createKey`, `purge` or `signIn`."),
  outcome: once(outcome.unwrap()).describe(
    "`ok`, the kind of the refusal, or `refused` for all that did not end well.",
  ),
  from: once(from.unwrap()).describe("Begin of the time, inclusive; ISO 8601."),
  to: once(to.unwrap()).describe("End of the time, exclusive; ISO 8601."),
  page: onceNumber(page.unwrap()).describe("Page, from 1. Default 1."),
  limit: onceNumber(limit.unwrap()).describe("Entries of a page, 1 to 1000. Default 100."),
});

const auditEntry = z.object({
  id: z.string(),
  at: dateTime,
  actor: z
    .string()
    .describe("`key:<id>`, `sign-in:<id>`, `local`, …; `unknown` for whoever could not show who they are."),
  keyName: z.string().nullable().describe("What the key of the actor is called now."),
  action: z.string(),
  outcome: z.enum(AUDIT_OUTCOMES),
  containerTags: z.array(z.string()).describe("The first 20 containers that it was about."),
  subjectIds: z.array(z.string()).describe("The first 20 ids of what it was about."),
  face: z.enum(FACES).nullable().describe("The way into the service."),
  address: z.string().nullable().describe("IP address of the other end of the connection."),
  client: z.string().nullable().describe("Name of the client program."),
  count: z.int().describe("How often the same happened within a minute."),
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
      "What was changed, who signed in and who was refused: names and ids, never content. Refusals and looks of a minute that are alike are one entry. Kept for a year, and at most a million. Only a key of the whole organisation may do this.",
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
