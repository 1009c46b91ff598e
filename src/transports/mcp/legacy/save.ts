import * as z from "zod";
import { createId } from "../../../lib/ids.js";
import { unreadContentWarnings } from "../../unread-content.js";
import { fence, NOTICE } from "../recalled.js";
import { oneLine } from "../../../lib/one-line.js";
import { defineTool, type Tool, type ToolContext } from "../tool.js";
import {
  ADDS,
  ADDS_OR_FORGETS,
  containerToWrite,
  LONGEST_CONTENT,
  placeArguments,
  bothNamesSchema,
  presentBothNames,
} from "./arguments.js";
import { forgetText } from "./forget-text.js";

/** Seconds to wait until saved text is searchable. */
const WAIT_SECONDS = 5;

const content = z.string().min(1).max(LONGEST_CONTENT).describe("The text to remember, or the memory to forget");
const action = z.enum(["save", "forget"]).default("save");

const output = z.object({
  action: z.enum(["save", "forget"]),
  success: z.boolean(),
  ...bothNamesSchema,
  message: z.string(),
  id: z.string().optional(),
  status: z.string().optional(),
  warnings: z.array(z.string()).optional(),
  notice: z.string(),
});
type Outcome = Omit<z.output<typeof output>, "notice">;

async function save({ core, actor }: ToolContext, text: string, container: string) {
  const receipt = await core.addDocument(
    { actor, operationId: createId() },
    {
      content: text,
      containerTags: [container],
      origin: "agent",
      dreaming: "instant",
      rememberAsIs: true,
      metadata: { sm_source: "supermemory-mcp" },
      wait: WAIT_SECONDS,
    },
  );
  const { id, status } = receipt;
  const warnings = [...(receipt.warnings ?? []), ...unreadContentWarnings(text)];
  const success = status !== "failed";
  const message = success
    ? `Saved in ${container} as document ${id}.`
    : `Stored in ${container} as document ${id}, but it could not be processed and is not searchable.`;
  const warned = warnings.map((warning) => ` Warning: ${warning}`).join("");
  return told({
    action: "save",
    success,
    ...presentBothNames(container),
    message: `${message}${warned}`,
    id,
    status,
    ...(warnings.length > 0 && { warnings }),
  });
}

async function forget(context: ToolContext, text: string, container: string) {
  const forgotten = await forgetText(context, text, container);
  const place = { action: "forget" as const, ...presentBothNames(container) };
  if (!forgotten)
    return told({ ...place, success: false, message: `No memory in ${container} says this. Nothing was forgotten.` });
  const { statedIn, saidBy } = forgotten;
  const rest = statedIn.length > 0 ? ` The text that states it is still there: document ${statedIn.join(", ")}.` : "";
  const others = saidBy.length > 0 ? ` Another memory still says it: ${saidBy.map(({ id }) => id).join(", ")}.` : "";
  const message = `Forgotten in ${container}.${rest}${others}`;
  return told({ ...place, success: true, message, id: forgotten.id }, forgotten.text);
}

function told(outcome: Outcome, recalled?: string) {
  const { message, id } = outcome;
  const text = recalled === undefined ? message : `${message}\n${fence(`[${id}] ${oneLine(recalled)}`)}`;
  return { text, structured: { ...outcome, notice: NOTICE } };
}

const saveOrForget = {
  title: "Remember or forget",
  description:
    "Remembers a text (action save), or forgets a memory (action forget): the one with exactly this text, or else the one that says nearly the same thing.",
  input: z.object({ content, action, ...placeArguments }),
  output,
  annotations: ADDS_OR_FORGETS,
  run: (
    context: ToolContext,
    args: { content: string; action: "save" | "forget"; containerTag?: string | undefined },
  ) => (args.action === "forget" ? forget : save)(context, args.content, containerToWrite(context, args)),
};

const saveMemory = defineTool({
  name: "save-memory",
  title: "Remember",
  description: "Remembers a text.",
  input: z.object({ content, ...placeArguments, viewId: z.string().max(255).optional() }),
  output,
  annotations: ADDS,
  run: (context, args) => save(context, args.content, containerToWrite(context, args)),
});

const addToSupermemory = defineTool({
  name: "addToSupermemory",
  title: "Remember",
  description: "Remembers a text.",
  input: z.object({
    thingToRemember: content,
    ...placeArguments,
    projectId: placeArguments.containerTag.describe("Same as containerTag"),
  }),
  output,
  annotations: ADDS,
  run: (context, args) => save(context, args.thingToRemember, containerToWrite(context, args)),
});

/** Saving and forgetting, from `add_memory` of today back to `addToSupermemory` of the first generation. */
export const saveTools: readonly Tool[] = [
  defineTool({ ...saveOrForget, name: "add_memory" }),
  defineTool({ ...saveOrForget, name: "memory" }),
  saveMemory,
  addToSupermemory,
];
