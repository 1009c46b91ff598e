import type { StandardSchemaWithJSON, Tool as ToolDescription } from "@modelcontextprotocol/server";
import * as z from "zod";
import { briefly } from "./brief-schema.js";
import { watchFields } from "./watch-fields.js";
import { LEGACY_TOOLS } from "./legacy/index.js";
import type { Tool } from "./tool.js";
import { addMemoryTool } from "./tools/add-memory.js";
import { fetchTool } from "./tools/fetch.js";
import { forgetTool } from "./tools/forget.js";
import { pendingExtractionsTool } from "./tools/pending-extractions.js";
import { profileTool } from "./tools/profile.js";
import { searchTool } from "./tools/search.js";
import { submitExtractionTool } from "./tools/submit-extraction.js";
import { undoTool } from "./tools/undo.js";

/** Which tools are listed: today's, or those of all generations. All of them may be called in either case. */
export const TOOL_SETS = ["small", "all"] as const;
export type ToolSet = (typeof TOOL_SETS)[number];

/** In the order in which clients see them. Every conversation of every client pays for each of them. */
const SMALL: readonly Tool[] = [
  searchTool,
  addMemoryTool,
  profileTool,
  fetchTool,
  forgetTool,
  undoTool,
  pendingExtractionsTool,
  submitExtractionTool,
];
const ALL: readonly Tool[] = [...SMALL, ...LEGACY_TOOLS];

/** What a caller may do with tools. */
export interface ToolAccess {
  /** False for a caller who may only read, and has no tools that write. */
  readonly mayWrite: boolean;
  /** True when every call is about one container, so that no tool asks for it. */
  readonly isPinned: boolean;
}

/** The tools that a caller may call. */
export function toolsFor({ mayWrite }: Pick<ToolAccess, "mayWrite">): readonly Tool[] {
  return mayWrite ? ALL : ALL.filter(reads);
}

const lists = new Map<string, ToolDescription[]>();

/** The tools that a caller sees, always in the same order. */
export function listTools(access: ToolAccess, set: ToolSet): ToolDescription[] {
  const { mayWrite, isPinned } = access;
  const key = JSON.stringify([mayWrite, isPinned, set]);
  const known = lists.get(key);
  if (known) return known;
  const tools = set === "all" ? ALL : SMALL;
  const made = tools.filter((tool) => mayWrite || reads(tool)).map((tool) => describe(tool, isPinned));
  lists.set(key, made);
  return made;
}

function reads(tool: Tool): boolean {
  return tool.annotations.readOnlyHint === true;
}

/** The dialect of JSON Schema that the protocol assumes. */
const DIALECT = { target: "draft-2020-12" } as const;

function describe(tool: Tool, isPinned: boolean): ToolDescription {
  const { name, title, description, annotations } = tool;
  const { input, output } = schemasOf(tool, isPinned);
  return {
    name,
    title,
    description,
    inputSchema: { type: "object", ...input["~standard"].jsonSchema.input(DIALECT) },
    annotations,
    outputSchema: { type: "object", ...output["~standard"].jsonSchema.output(DIALECT) },
  };
}

interface ToolSchemas {
  readonly input: StandardSchemaWithJSON;
  readonly output: StandardSchemaWithJSON;
}

/** Arguments that name a container, of any generation. */
const CONTAINER_ARGUMENTS = ["containerTag", "namespace", "projectId"];

const whole = new WeakMap<z.ZodObject, StandardSchemaWithJSON>();
const pinned = new WeakMap<z.ZodObject, StandardSchemaWithJSON>();
const outputs = new WeakMap<z.ZodObject, StandardSchemaWithJSON>();

/** The schemas of a tool's input and output, built once; a pinned tool does not ask for a container. */
export function schemasOf(tool: Tool, isPinned: boolean): ToolSchemas {
  return {
    input: isPinned
      ? remember(pinned, tool.input, (schema) =>
          watched(withoutContainer(schema), { overruled: CONTAINER_ARGUMENTS, isExact: mayDestroy(tool) }),
        )
      : remember(whole, tool.input, (schema) => watched(schema, { overruled: [], isExact: mayDestroy(tool) })),
    output: remember(outputs, tool.output, briefly),
  };
}

function withoutContainer({ shape }: z.ZodObject): z.ZodObject {
  return z.object(Object.fromEntries(Object.entries(shape).filter(([name]) => !CONTAINER_ARGUMENTS.includes(name))));
}

function mayDestroy(tool: Tool): boolean {
  return tool.annotations.destructiveHint === true;
}

function watched(schema: z.ZodObject, options: Parameters<typeof watchFields>[2]): StandardSchemaWithJSON {
  return watchFields(schema, briefly(schema), options);
}

function remember(
  made: WeakMap<z.ZodObject, StandardSchemaWithJSON>,
  schema: z.ZodObject,
  make: (schema: z.ZodObject) => StandardSchemaWithJSON,
): StandardSchemaWithJSON {
  const known = made.get(schema) ?? make(schema);
  made.set(schema, known);
  return known;
}
