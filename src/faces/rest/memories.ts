import * as z from "zod";
import { createMemoriesSchema, forgetSchema } from "../../core/index.js";
import { AppError } from "../../core/errors.js";
import { defineEndpoint } from "./endpoint.js";
import { createdMemory, presentCreatedMemory } from "./present-memory.js";
import { containerTag } from "./schemas.js";

const createAnswer = z.object({ documentId: z.string().nullable(), memories: z.array(createdMemory) });

const forgetBody = z.object({
  containerTag,
  id: forgetSchema.shape.ids.unwrap().element.optional(),
  content: forgetSchema.shape.content,
  reason: forgetSchema.shape.reason,
});

const forgetAnswer = z.object({ id: z.string(), forgotten: z.boolean() });

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
    method: "delete",
    path: "/v4/memories",
    summary: "Forget a memory by id or by its exact text",
    tag: "memories",
    body: forgetBody,
    status: 200,
    answer: forgetAnswer,
    async handle({ core, call, body }) {
      const { id, ...fields } = body;
      if (id === undefined && body.content === undefined)
        throw new AppError("invalid", "Name the memory to forget: its id, or its exact text as content.");
      const { forgotten } = await core.forget(call, { ...fields, ...(id !== undefined && { ids: [id] }) });
      return { id: forgotten[0]?.id ?? id ?? "", forgotten: forgotten.length > 0 };
    },
  }),
];
