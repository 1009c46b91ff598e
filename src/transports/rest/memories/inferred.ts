import * as z from "zod";
import { reviewSchema } from "../../../core/index.js";
import { defineEndpoint } from "../endpoint.js";
import { anyMetadata, dateTime } from "../schemas.js";

const inferredAnswer = z.object({
  memories: z.array(
    z.object({
      id: z.string().length(22),
      memory: z.string(),
      parentCount: z.int(),
      createdAt: dateTime,
      updatedAt: dateTime,
      metadata: anyMetadata,
    }),
  ),
  /** How many are listed. */
  total: z.int(),
});

const reviewAnswer = z.object({
  id: z.string().length(22),
  isInference: z.boolean(),
  isForgotten: z.boolean(),
  reviewStatus: z.enum(["approved", "declined"]).nullable(),
});

export const inferredEndpoints = [
  defineEndpoint({
    method: "get",
    path: "/v3/container-tags/{containerTag}/inferred",
    operationId: "listInferredMemories",
    summary: "List inferred memories that await review",
    description:
      "At most 50: first those that were derived from the most memories, then the newest. They include anything that reads like an instruction or would redirect mail or money: `metadata.flagged` says why.",
    tag: "container tags",
    status: 200,
    answer: inferredAnswer,
    async handle({ core, call, parameter }) {
      const inferred = await core.listInferred(call, { containerTag: parameter("containerTag") });
      const memories = inferred.map(({ memory, parentCount }) => ({
        id: memory.id,
        memory: memory.text,
        parentCount,
        createdAt: memory.createdAt,
        updatedAt: memory.updatedAt,
        metadata: memory.metadata,
      }));
      return { memories, total: memories.length };
    },
  }),
  defineEndpoint({
    method: "post",
    path: "/v3/container-tags/{containerTag}/inferred/{memoryId}/review",
    operationId: "reviewInferredMemory",
    summary: "Approve or decline an inferred memory, or undo its review",
    description:
      "Once approved, it counts as stated and replaces what it was held back from replacing; once declined, it is no longer found; once undone, it is back in the queue, and what it replaced is valid again. Returns 409, permanently, if it is not an open guess, if there is nothing to undo, or if it has been changed since.",
    tag: "container tags",
    example: { action: "approve" },
    body: reviewSchema.pick({ action: true }),
    status: 200,
    answer: reviewAnswer,
    handle: ({ core, call, body, parameter }) =>
      core.reviewInferred(call, { ...body, containerTag: parameter("containerTag"), id: parameter("memoryId") }),
  }),
];
