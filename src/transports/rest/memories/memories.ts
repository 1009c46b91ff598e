import * as z from "zod";
import { createMemoriesSchema, forgetOneSchema, updateMemorySchema } from "../../../core/index.js";
import { defineEndpoint, type Endpoint } from "../endpoint.js";
import { presentSaidBy, saidBy, statedIn } from "./stated-in.js";
import { createdMemory, presentCreatedMemory, presentUpdatedMemory, updatedMemory } from "./present-memory.js";

const createAnswer = z.object({ documentId: z.string().nullable(), memories: z.array(createdMemory) });

const forgetAnswer = z.object({
  id: z.string().length(22),
  forgotten: z.boolean(),
  /** Extension: what the id named. */
  removed: z.enum(["memory", "document"]),
  statedIn,
  saidBy,
});

const IDLE_REASON = "has no effect: the id names a document, and deleting one records no reason";
const NO_MEMORY = "The container has no such memory.";

export const memoryEndpoints = [
  defineEndpoint({
    method: "post",
    path: "/v4/memories",
    operationId: "addMemories",
    summary: "Add memories directly",
    description:
      "Writes facts without extraction: each becomes one memory, searchable immediately. What the container already knows is not stored twice: its entry in the response is the existing memory. A container that does not exist is created. What is written here counts as the user's own word; only text that nobody would mean, such as a forged system prompt, waits for review first.",
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
      "The old version stays as history. `id` takes precedence over `content`, and the id of an old version means the newest. `metadata` replaces the existing metadata, except `temporalContext`; if left out, all of it stays. `forgetAfter: null` removes an expiry. If another memory of the container already has the new text, the two become one.",
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
      "`id` takes precedence over `content`. A memory is hidden with all its versions, not destroyed; `removed` says whether a memory or a document was removed. `statedIn` lists documents whose text still states what was forgotten; if `isLeftOut` is true, searches leave out the sentences that it came from; otherwise it is not known which these are, and searches may still show them. Delete such a document to remove it there too, or purge the memory, which permanently cuts it out of them. `saidBy` names other memories that still say it: forget these too if they should not.",
    tag: "memories",
    refusals: { 404: NO_MEMORY, 409: "It is already forgotten; trying again does not help." },
    example: { content: "Mia prefers trains to planes", containerTag: "mia" },
    body: forgetOneSchema,
    status: 200,
    answer: forgetAnswer,
    async handle({ core, call, body }) {
      const { id, removed, statedIn, saidBy: saying } = await core.forgetOne(call, body);
      const isIdle = removed === "document" && body.reason !== undefined;
      const answered = { id, forgotten: true, removed, statedIn: [...statedIn], ...presentSaidBy(saying) };
      return isIdle ? { ...answered, warnings: [`reason: ${IDLE_REASON}`] } : answered;
    },
  });
}
