import * as z from "zod";
import type { PendingTask } from "../../../core/index.js";
import { createId } from "../../../lib/ids.js";
import { fence, NOTICE } from "../recalled.js";
import { count } from "../../../lib/count.js";
import { oneLine } from "../../../lib/one-line.js";
import { writingPlace } from "../places.js";
import { defineTool } from "../tool.js";
import { containerTag } from "./arguments.js";

const input = z.object({ containerTag, limit: z.int().min(1).max(10).default(3) });

const output = z.object({
  tasks: z.array(
    z.looseObject({
      taskId: z.string(),
      text: z.string(),
      known: z.array(z.object({ id: z.string(), text: z.string() })),
    }),
  ),
  remaining: z.number(),
  instructions: z.string(),
  notice: z.string(),
});

export const pendingExtractionsTool = defineTool({
  name: "pending-extractions",
  title: "Get texts to extract facts from",
  description:
    "Hands out stored texts that only rules have read, for you to find the facts in them. They are yours for ten minutes; " +
    "answer each with submit-extraction. Call it when the user asks to work through the memory.",
  input,
  output,
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  async run({ core, actor, defaultContainer }, args) {
    const container = writingPlace({ actor, defaultContainer }, args.containerTag);
    const call = { actor, operationId: createId() };
    const { tasks, remaining, instructions } = await core.pendingExtractions(call, {
      containerTag: container,
      limit: args.limit,
    });
    const text = [
      tasks.length > 0
        ? `${count(tasks.length, "task")} in ${container}, ${remaining} more waiting.\n\n${instructions}`
        : `No texts in ${container} are waiting to be read.`,
      ...tasks.map(describe),
    ].join("\n\n");
    const structured = { tasks: tasks.map((task) => ({ ...task, known: [...task.known] })), remaining, instructions };
    return { text, structured: { ...structured, notice: NOTICE } };
  },
});

function describe({ taskId, title, date, part, parts, text, known, guidance }: PendingTask): string {
  const { statedContext: stated, ...ofOwner } = guidance;
  const wishes = Object.entries(ofOwner).map(([name, wish]) => `${name}: ${oneLine(asText(wish))}`);
  const shown = known.map((memory) => `[${memory.id}] ${oneLine(memory.text)}`);
  return [
    `Task ${taskId}, from ${oneLine(date)}${parts > 1 ? `, part ${part} of ${parts}` : ""}`,
    ...(wishes.length > 0 ? ["Guidance from the owner of this memory:", ...wishes] : []),
    fence(
      [
        ...(title === null ? [] : [`Title: ${oneLine(title)}`]),
        ...(stated ? [`About the container, by ${oneLine(stated.by)}, not the owner: ${oneLine(stated.text)}`] : []),
        ...(shown.length > 0 ? ["Known memories:", ...shown] : []),
        "Text:",
        text,
      ].join("\n"),
    ),
  ].join("\n");
}

function asText(wish: unknown): string {
  return typeof wish === "string" ? wish : JSON.stringify(wish);
}
