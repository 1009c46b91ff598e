import * as z from "zod";
import { defineEndpoint } from "../endpoint.js";
import { pageFields } from "../page-fields.js";
import { paginationAnswer, presentPagination } from "../pagination.js";
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
      "`statement` lists what was said in conversations, in its own words, and nothing else. Left out, these are. The total counts all turns; a page leaves out those that say too little or do not hold any more.",
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
      "The newest versions that are neither forgotten nor over, with older ones in `history`. At least one container must be named; a key for some containers may leave them out, and lists all of its own. What was said in conversations that nothing but rules has read is left out unless `kind` asks for it.",
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
