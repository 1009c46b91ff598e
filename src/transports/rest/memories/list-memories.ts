import * as z from "zod";
import { defineEndpoint } from "../endpoint.js";
import { pageFields } from "../page-fields.js";
import { presentPagination } from "../../pagination.js";
import { paginationAnswer } from "../pagination.js";
import { memoryEntry, presentMemoryEntry } from "./present-memory.js";
import { containerFields, endUser, filters, tagsOf } from "../schemas.js";

const body = z.object({
  /** `containerTag` is also accepted (contract 4.6). */
  ...containerFields,
  filters: filters.optional(),
  endUserId: endUser.optional(),
  /** Extension. */
  kind: z
    .literal("statement", "must be statement")
    .optional()
    .describe(
      "`statement` lists only what was said in conversations, verbatim. Without it, statements are left out. The total counts all turns; a page leaves out those that say too little or are no longer valid.",
    ),
  ...pageFields,
});

const answer = z.object({ memoryEntries: z.array(memoryEntry), pagination: paginationAnswer });

export const memoryListEndpoints = [
  defineEndpoint({
    method: "post",
    path: "/v4/memories/list",
    operationId: "listMemories",
    summary: "List memories with their history",
    description:
      "The newest versions that are neither forgotten nor expired, with older ones in `history`. At least one container must be named; with a key for some containers they may be left out, which lists all of its containers. Statements from conversations that only rules have read are left out unless `kind` asks for them.",
    tag: "memories",
    example: { containerTags: ["mia"], limit: 10, page: 1 },
    body,
    status: 200,
    answer,
    async handle({ core, call, body: { containerTag, containerTags, ...fields } }) {
      const tags = tagsOf({ containerTag, containerTags });
      const page = await core.listMemories(call, { ...fields, ...(tags && { containerTags: tags }) });
      const { organizationId } = call.actor;
      return {
        memoryEntries: page.entries.map((entry) => presentMemoryEntry(entry, organizationId)),
        pagination: presentPagination(page),
      };
    },
  }),
];
