import * as z from "zod";
import type { SubmittedExtraction } from "../../../core/index.js";
import { createId } from "../../../lib/ids.js";
import { fence, NOTICE } from "../recalled.js";
import { count } from "../../../lib/count.js";
import { oneLine } from "../../../lib/one-line.js";
import { defineTool } from "../tool.js";
import { anyId } from "./arguments.js";

const fact = z.object({
  text: z.string(),
  kind: z.enum(["fact", "preference", "episode"]).optional(),
  isStatic: z.boolean().optional(),
  forgetAfter: z.string().optional(),
  eventDates: z.array(z.string()).optional(),
  entities: z.array(z.string()).optional(),
  quote: z.string().optional().describe("Words of the text that say it"),
  relation: z
    .object({
      kind: z.enum(["new", "duplicate", "updates", "extends", "derives"]),
      ids: z.array(z.string()).optional().describe("Known memories of the task, such as m1"),
    })
    .optional(),
});

const input = z.object({
  taskId: anyId,
  facts: z.array(fact).max(100).describe("[] if there is nothing to remember"),
});

const output = z.object({
  documentId: z.string(),
  containerTag: z.string(),
  batchId: z.string(),
  facts: z.array(z.looseObject({ id: z.string(), text: z.string(), outcome: z.string() })),
  remaining: z.number(),
  warnings: z.array(z.string()).optional(),
  notice: z.string(),
});

export const submitExtractionTool = defineTool({
  name: "submit-extraction",
  title: "Submit extracted facts",
  description:
    "Answers a task of pending-extractions, as its instructions say. Quotes are checked; a fact without one waits for review.",
  input,
  output,
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  async run({ core, actor }, args) {
    const submitted = await core.submitExtraction({ actor, operationId: createId() }, args);
    const { facts, warnings, ...rest } = submitted;
    return {
      text: describe(submitted, args.facts.length),
      structured: {
        ...rest,
        ...(warnings && { warnings: [...warnings] }),
        facts: facts.map((known) => ({ ...known })),
        notice: NOTICE,
      },
    };
  },
});

const OUTCOMES: Readonly<Record<SubmittedExtraction["facts"][number]["outcome"], string>> = {
  added: "remembered",
  extended: "remembered, next to what it extends",
  updated: "updated",
  duplicate: "already known",
  outdated: "kept as past, something newer is known",
  review: "doubtful, waits for review",
};

function describe(
  { facts, containerTag, remaining, batchId, warnings = [] }: SubmittedExtraction,
  submitted: number,
): string {
  const lines = facts.map(({ id, text, outcome, replaced }) => {
    const place = replaced === undefined ? `[${id}]` : `[${replaced}] -> [${id}]`;
    return `${OUTCOMES[outcome]} ${place} ${oneLine(text)}`;
  });
  return [
    `Accepted: ${count(facts.length, "fact")} of ${submitted}. ${count(remaining, "task")} of ${containerTag} left.`,
    ...warnings.map((warning) => `Warning: ${warning}`),
    ...(lines.length > 0 ? [`Undo with batch ${batchId}.`, fence(lines.join("\n"))] : []),
  ].join("\n");
}
