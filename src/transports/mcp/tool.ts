import type { CallToolResult, ToolAnnotations } from "@modelcontextprotocol/server";
import type * as z from "zod";
import type { Core } from "../../core/index.js";
import type { Actor } from "../../core/types.js";

/** The service and its caller. */
export interface CallerSession {
  readonly core: Core;
  readonly actor: Actor;
}

export interface ToolContext extends CallerSession {
  /** The container for calls that name none. */
  readonly defaultContainer: string;
}

/** The same answer twice: as text for a model, and as data for a program. */
interface ToolAnswer<Output> {
  readonly text: string;
  readonly structured: Output;
}

interface ToolDefinition<Input extends z.ZodObject, Output extends z.ZodObject> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: Input;
  readonly output: Output;
  /** All four hints; clients assume the worst of one that is missing. */
  readonly annotations: Required<Omit<ToolAnnotations, "title">>;
  /** @throws AppError for what the model can correct */
  readonly run: (context: ToolContext, args: z.output<Input>) => Promise<ToolAnswer<z.input<Output>>>;
}

/** A tool with its types erased. */
export interface Tool extends Omit<ToolDefinition<z.ZodObject, z.ZodObject>, "run"> {
  call(context: ToolContext, args: unknown): Promise<CallToolResult>;
}

export function defineTool<Input extends z.ZodObject, Output extends z.ZodObject>(
  definition: ToolDefinition<Input, Output>,
): Tool {
  const { run, ...described } = definition;
  return {
    ...described,
    async call(context, args) {
      const { text, structured } = await run(context, definition.input.parse(args));
      // Parsed, because the schema promises that there are no other fields, and clients check.
      return { content: [{ type: "text", text }], structuredContent: definition.output.parse(structured) };
    },
  };
}
