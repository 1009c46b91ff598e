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
    tag: "memories",
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
    tag: "memories",
    body: updateMemorySchema,
    status: 200,
    answer: updatedMemory,
    handle: async ({ core, call, body }) => presentUpdatedMemory(await core.updateMemory(call, body)),
  }),
  defineEndpoint({
    method: "delete",
    path: "/v4/memories",
    summary: "Forget a memory by id or by its exact text, or remove a document by id or customId",
    tag: "memories",
    body: forgetOneSchema,
    status: 200,
    answer: forgetAnswer,
    async handle({ core, call, body }) {
      const { id, removed } = await core.forgetOne(call, body);
      return { id, forgotten: true, removed };
    },
  }),
];
