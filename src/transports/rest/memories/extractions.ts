import * as z from "zod";
import { pendingExtractionsSchema, submitExtractionSchema } from "../../../core/index.js";
import { presentFact, rememberedFact } from "../documents/present-receipt.js";
import { defineEndpoint } from "../endpoint.js";

const task = z.object({
  taskId: z
    .string()
    .length(22)
    .describe("Anyone who has it can submit facts; it changes when the task is handed out again."),
  documentId: z.string().length(22),
  title: z.string().nullable(),
  date: z.string().describe("The date of the text; relative dates in it are resolved against this date."),
  part: z.int().min(1).describe("Number of this part of the document, starting at 1."),
  parts: z.int().min(1),
  text: z.string().max(8_000),
  known: z
    .array(z.object({ id: z.string().describe("Valid only for this task, such as `m1`."), memory: z.string() }))
    .describe("Memories that a fact may relate to."),
  guidance: z.record(z.string(), z.unknown()).describe("Guidance from the owner of the memory."),
});

const pendingAnswer = z.object({
  tasks: z.array(task),
  remaining: z.int().describe("Minimum number of further tasks; counted up to 1,000."),
  instructions: z.string().describe("How to read a text and submit its facts, written for a language model."),
});

const submittedAnswer = z.object({
  documentId: z.string().length(22),
  containerTag: z.string(),
  batchId: z
    .string()
    .length(22)
    .describe("Id with which everything written can be undone together: `POST /v3/journal/{batchId}/undo`."),
  facts: z.array(rememberedFact).describe("The outcome for each fact, in order."),
  remaining: z.int().describe("Minimum number of tasks left in the container; counted up to 1,000."),
});

export const extractionEndpoints = [
  defineEndpoint({
    method: "post",
    path: "/v3/extractions/pending",
    operationId: "claimExtractions",
    summary: "Claim texts that no language model has read yet",
    description:
      "Extension. Hands out texts that only rules have read, so that an agent can find the facts in them; a long document comes in parts. For ten minutes, nobody else receives them. Submit the facts of each with `POST /v3/extractions/{taskId}`.",
    tag: "memories",
    example: { containerTag: "mia", limit: 3 },
    body: pendingExtractionsSchema,
    isBodyOptional: true,
    status: 200,
    answer: pendingAnswer,
    async handle({ core, call, body }) {
      const { tasks, remaining, instructions } = await core.pendingExtractions(call, body);
      const presented = tasks.map(({ known, guidance, ...rest }) => ({
        ...rest,
        known: known.map(({ id, text }) => ({ id, memory: text })),
        guidance: { ...guidance },
      }));
      return { tasks: presented, remaining, instructions };
    },
  }),
  defineEndpoint({
    method: "post",
    path: "/v3/extractions/{taskId}",
    operationId: "submitExtraction",
    summary: "Submit the facts of a claimed text",
    description:
      "Extension. An empty list of facts is valid. Quotes are checked: a fact whose `quote` is not in the document waits for review. `relation.ids` are ids from `known`. Repeating a submission returns the same response; a different one returns 409, permanently.",
    tag: "memories",
    example: {
      facts: [
        {
          text: "Mia prefers night trains to planes.",
          kind: "preference",
          quote: "I take night trains",
          relation: { kind: "updates", ids: ["m1"] },
        },
      ],
    },
    body: submitExtractionSchema.pick({ facts: true }),
    status: 200,
    answer: submittedAnswer,
    async handle({ core, call, body, parameter }) {
      const { facts, warnings, ...rest } = await core.submitExtraction(call, {
        ...body,
        taskId: parameter("taskId"),
      });
      return { ...rest, facts: facts.map(presentFact), ...(warnings && { warnings: [...warnings] }) };
    },
  }),
];
