import * as z from "zod";
import { createMemoriesSchema, forgetOneSchema, updateMemorySchema } from "../../core/index.js";
import { defineEndpoint } from "./endpoint.js";
import { createdMemory, presentCreatedMemory, presentUpdatedMemory, updatedMemory } from "./present-memory.js";

const createAnswer = z.object({ documentId: z.string().nullable(), memories: z.array(createdMemory) });

const forgetAnswer = z.object({
  id: z.string().length(22),
  forgotten: z.boolean(),
  /** Extension: what the id named. */
  removed: z.enum(["memory", "document"]),
});

export const memoryEndpoints = [
  defineEndpoint({
    method: "post",
    path: "/v4/memories",
    summary: "Create memories directly",
    description:
      "Writes facts without extraction: each becomes one memory, searchable at once. A container that does not exist is made.",
    tag: "memories",
    example: { memories: [{ content: "Mia prefers trains to planes.", isStatic: true }], containerTag: "mia" },
    body: createMemoriesSchema,
    status: 201,
    answer: createAnswer,
    async handle({ core, call, body }) {
      const { documentId, memories } = await core.createMemories(call, body);
      return { documentId, memories: memories.map(presentCreatedMemory) };
    },
  }),
  defineEndpoint({
    method: "patch",
    path: "/v4/memories",
    summary: "Write a new version of a memory, found by id or by its exact text",
    description: "The older version stays as history; `id` or the exact `content` says which memory is meant.",
    tag: "memories",
    example: { content: "Mia prefers trains to planes.", newContent: "Mia prefers night trains.", containerTag: "mia" },
    body: updateMemorySchema,
    status: 200,
    answer: updatedMemory,
    handle: async ({ core, call, body }) => presentUpdatedMemory(await core.updateMemory(call, body)),
  }),
  defineEndpoint({
    method: "delete",
    path: "/v4/memories",
    summary: "Forget a memory by id or by its exact text, or remove a document by id or customId",
    description:
      "The memory is hidden, not destroyed. An id may also be that of a document, which is then removed; the answer says which it was.",
    tag: "memories",
    example: { content: "Mia prefers trains to planes.", containerTag: "mia" },
    body: forgetOneSchema,
    status: 200,
    answer: forgetAnswer,
    async handle({ core, call, body }) {
      const { id, removed } = await core.forgetOne(call, body);
      return { id, forgotten: true, removed };
    },
  }),
];
