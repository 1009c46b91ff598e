import * as z from "zod";
import { createMemoriesSchema, forgetOneSchema, updateMemorySchema } from "../../../core/index.js";
import { defineEndpoint, type Endpoint } from "../endpoint.js";
import { statedIn } from "./stated-in.js";
import { createdMemory, presentCreatedMemory, presentUpdatedMemory, updatedMemory } from "./present-memory.js";

const createAnswer = z.object({ documentId: z.string().nullable(), memories: z.array(createdMemory) });

const forgetAnswer = z.object({
  id: z.string().length(22),
  forgotten: z.boolean(),
  /** Extension: what the id named. */
  removed: z.enum(["memory", "document"]),
  statedIn,
});

const NO_MEMORY = "The container has no such memory.";

export const memoryEndpoints = [
  defineEndpoint({
    method: "post",
    path: "/v4/memories",
    operationId: "addMemories",
    summary: "Add memories directly",
    description:
      "Writes facts without extraction: each becomes one memory, searchable at once. What the container knows already is not kept twice: its entry answers with the memory that is there. A container that does not exist is made. What is written here counts as the user's own word; only text that nobody means, such as a forged system prompt, waits for review first.",
    tag: "memories",
    example: { memories: [{ content: "Mia prefers trains to planes", isStatic: true }], containerTag: "mia" },
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
    operationId: "updateMemory",
    summary: "Write a new version of a memory, found by id or by its exact text",
    description:
      "The old version stays as history. `id` counts more than `content`, and the id of an old version means the newest. `metadata` replaces what was there, except `temporalContext`; left out, all stays. `forgetAfter: null` ends an expiry. When another memory of the container has the new text already, the two become one.",
    tag: "memories",
    refusals: { 404: NO_MEMORY },
    example: { content: "Mia prefers trains to planes", newContent: "Mia prefers night trains.", containerTag: "mia" },
    body: updateMemorySchema,
    status: 200,
    answer: updatedMemory,
    handle: async ({ core, call, body }) => presentUpdatedMemory(await core.updateMemory(call, body)),
  }),
  // Some clients call the older path (contract 1.15).
  forgetEndpoint({
    method: "delete",
    path: "/v4/memories",
    operationId: "forgetMemory",
    aliases: ["/v3/memories/forget"],
  }),
  forgetEndpoint({ method: "post", path: "/v3/memories/forget", operationId: "forgetMemoryByPost" }),
];

function forgetEndpoint(route: Pick<Endpoint, "method" | "path" | "operationId" | "aliases">) {
  return defineEndpoint({
    ...route,
    isExact: true,
    summary: "Forget a memory by id or by its exact text, or delete a document by id or customId",
    description:
      "`id` counts more than `content`. A memory is hidden with all its versions, not destroyed; `removed` says whether the id was a memory's or a document's. `statedIn` are documents whose text still states what was forgotten; where `isLeftOut`, searches leave out the sentences that it was taken from, else nobody knows which these are, and searches may still show them. Delete one to be rid of it there too, or purge the memory, which cuts it out of them for good.",
    tag: "memories",
    refusals: { 404: NO_MEMORY, 409: "It is forgotten already; trying again does not help." },
    example: { content: "Mia prefers trains to planes", containerTag: "mia" },
    body: forgetOneSchema,
    status: 200,
    answer: forgetAnswer,
    async handle({ core, call, body }) {
      const { id, removed, statedIn } = await core.forgetOne(call, body);
      return { id, forgotten: true, removed, statedIn: [...statedIn] };
    },
  });
}
