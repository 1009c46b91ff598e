import { completable, type McpServer } from "@modelcontextprotocol/server";
import * as z from "zod";
import { presentFact } from "./hits.js";
import { listPlaces, readingPlaces } from "./places.js";
import { profileOf } from "./profile-of.js";
import { contextOf, protocolErrorOf, resultText } from "./reading.js";
import { fence } from "./recalled.js";
import type { Caller } from "./server.js";
import { suggestContainers, suggestTo } from "./suggestions.js";
import type { ToolContext } from "./tool.js";
import { containerTag } from "./tools/arguments.js";
import { describeFacts } from "./tools/profile.js";
import { searchTool } from "./tools/search.js";

/** Strict, because a misspelt container argument would return another container's content. */
const contextArguments = z.strictObject({
  containerTag,
  includeRecent: z.enum(["true", "false"]).optional().describe("false: lasting facts only"),
});
const recallArguments = z.strictObject({
  topic: z.string().min(1).max(1_000).describe("What to recall"),
  containerTag,
});

/** Prompts that bring memories into a conversation. */
export function registerPrompts(server: McpServer, caller: Caller): void {
  const write = async (work: (context: ToolContext) => Promise<string>) => {
    try {
      const text = await work(await contextOf(caller));
      return { messages: [{ role: "user" as const, content: { type: "text" as const, text } }] };
    } catch (error) {
      throw protocolErrorOf(error, caller, "prompts/get");
    }
  };
  const shape = { value: { containerTag: completable(z.string(), suggestTo(caller, suggestContainers)) } };
  /** The same arguments with suggestions for this caller: the library looks for them only in the shape. */
  const suggesting = <Arguments extends z.ZodObject>(args: Arguments) => Object.create(args, { shape }) as Arguments;
  const placeOf = (tag: string | undefined) => (caller.isPinned ? caller.defaultContainer : tag);
  server.registerPrompt(
    "context",
    {
      title: "What is known",
      description: "Begins a conversation with what is generally known about the user or the project.",
      argsSchema: suggesting(contextArguments),
    },
    (args) => write((context) => writeContext(context, placeOf(args.containerTag), args.includeRecent !== "false")),
  );
  server.registerPrompt(
    "recall",
    {
      title: "Recall a topic",
      description: "Brings what is remembered about a topic into the conversation.",
      argsSchema: suggesting(recallArguments),
    },
    (args) =>
      write(async (context) => {
        const found = await searchTool.call(context, { query: args.topic, containerTag: placeOf(args.containerTag) });
        return `What does my long-term memory say about this: ${args.topic}\n\n${resultText(found)}`;
      }),
  );
}

async function writeContext(context: ToolContext, named: string | undefined, withRecent: boolean): Promise<string> {
  const places = readingPlaces(context, named);
  const profile = await profileOf(context, places);
  const tag = listPlaces(places);
  const parts = [
    ...describeFacts("Lasting:", (profile.static ?? []).map(presentFact), profile.timeZone),
    ...(withRecent ? describeFacts("Recent:", (profile.dynamic ?? []).map(presentFact), profile.timeZone) : []),
  ];
  const known =
    parts.length > 0 ? `This is already known:\n${fence(parts.join("\n\n"))}` : `Nothing is known in ${tag} yet.`;
  return `Use my long-term memory, container ${tag}, in this conversation: search it before you answer anything that may depend on earlier conversations, and keep what lasts.\n\n${known}`;
}
