import {
  type CallToolResult,
  McpServer,
  type McpRequestContext,
  type McpServerFactory,
  mergeCapabilities,
  type ServerEventBus,
  type ServerOptions,
} from "@modelcontextprotocol/server";
import type { LeveledLog } from "../../lib/log.js";
import { traced } from "../../lib/traces.js";
import { CACHE_HINTS, CAPABILITIES, describeServer, INSTRUCTIONS } from "./about.js";
import type { ErrorReader } from "../errors.js";
import { failure } from "./failure.js";
import { withProgress } from "./progress.js";
import { registerPrompts } from "./prompts.js";
import { ALL_RESOURCES, listResources, registerResource, registerTemplates } from "./resources.js";
import type { CallerSession, Tool } from "./tool.js";
import { listTools, schemasOf, type ToolAccess, type ToolSet, toolsFor } from "./tool-list.js";
import { fieldWarningsOf } from "./watch-fields.js";

export type { CallerSession as Session } from "./tool.js";

/** Whom the tools work for. */
export interface Principal {
  /** The service and the caller; may open the service. */
  readonly session: () => Promise<CallerSession>;
  /** The container for calls that name none. */
  readonly defaultContainer: string;
  /** True when every call is about the default container, whatever it names. */
  readonly isPinned?: boolean;
  /** False for a caller who may only read, and sees no tools that write. Default true. */
  readonly mayWrite?: boolean;
  /** Called for each tool call, and then at its end with the error or null. */
  readonly onToolCall?: (tool: string, args: unknown) => (error: unknown) => void;
  /** Who reads errors. Default: others. */
  readonly reader?: ErrorReader;
  /** Where errors are logged. Default: the common log. */
  readonly log?: LeveledLog;
  /** Which tools are listed; the others may still be called. Default: small. */
  readonly tools?: ToolSet;
}

/** What servers offer besides the product; the product itself has none. */
export interface McpExtension {
  readonly capabilities?: NonNullable<ServerOptions["capabilities"]>;
  readonly requestState?: NonNullable<ServerOptions["requestState"]>;
  /** Where changes are announced to clients that listen over HTTP. */
  readonly bus?: ServerEventBus;
  /** Adds to a server that already has everything of the product. */
  readonly extend: (server: McpServer) => void;
}

export interface McpOptions {
  readonly log: LeveledLog;
  readonly version: string;
  /** Over HTTP every request has its own. */
  readonly principal: (context: McpRequestContext) => Principal;
  readonly extension?: McpExtension | undefined;
}

/** Makes servers for both protocol eras. Cheap, because schemas are built once: over HTTP every request gets its own server. */
export function createMcpFactory({ log, version, principal, extension }: McpOptions): McpServerFactory {
  const about = describeServer(version);
  const capabilities = mergeCapabilities(CAPABILITIES, extension?.capabilities ?? {});
  return (context) => {
    const server = new McpServer(about, {
      capabilities,
      instructions: INSTRUCTIONS,
      cacheHints: CACHE_HINTS,
      ...(extension?.requestState && { requestState: extension.requestState }),
    });
    const { isPinned = false, mayWrite = true, tools = "small", reader = "others", ...rest } = principal(context);
    const caller: Caller = { log, ...rest, isPinned, reader };
    const access = { isPinned, mayWrite };
    for (const tool of toolsFor(access)) registerTool(server, tool, caller);
    for (const resource of ALL_RESOURCES) registerResource(server, resource, caller);
    registerTemplates(server, caller);
    registerPrompts(server, caller);
    if (extension) extension.extend(server);
    else listLess(server, access, tools);
    return server;
  };
}

/**
 * The library lists everything that can be used, including names of earlier generations; clients are shown the set they ask for.
 */
function listLess({ server }: McpServer, access: ToolAccess, set: ToolSet): void {
  server.setRequestHandler("tools/list", () => ({ tools: listTools(access, set) }));
  server.setRequestHandler("resources/list", () => ({ resources: listResources(set) }));
}

/** A caller, with what answering them requires. */
export interface Caller
  extends
    Required<Pick<Principal, "session" | "defaultContainer" | "isPinned" | "reader">>,
    Pick<Principal, "onToolCall"> {
  readonly log: LeveledLog;
}

function registerTool(server: McpServer, tool: Tool, caller: Caller): void {
  const { name, title, description, annotations } = tool;
  const { session, defaultContainer, isPinned } = caller;
  const { input, output } = schemasOf(tool, isPinned);
  const pinned = isPinned ? { containerTag: defaultContainer } : {};
  server.registerTool(
    name,
    { title, description, inputSchema: input, outputSchema: output, annotations },
    async (args: unknown, context) => {
      const given = Object.assign({}, args, pinned);
      const noted = caller.onToolCall?.(name, given);
      try {
        const answer = await withProgress(context, async () => {
          // The first session over stdio opens the service, including its tracing.
          const opened = await session();
          return traced({ name: `tool ${name}` }, () => tool.call({ ...opened, defaultContainer }, given));
        });
        noted?.(null);
        return withWarnings(answer, fieldWarningsOf(args), tool);
      } catch (error) {
        noted?.(error);
        return failure(error, caller, name);
      }
    },
  );
}

/**
 * Appended as a separate text, because a program may read the tool's own; and added to the data where the tool has a field for
 * them.
 */
function withWarnings(answer: CallToolResult, warnings: readonly string[], { output }: Tool): CallToolResult {
  if (warnings.length === 0) return answer;
  const told = warnings.join("; ").replace(/[^.?]$/, "$&.");
  const content = [...answer.content, { type: "text" as const, text: `Warning: ${told}` }];
  if (!("warnings" in output.shape)) return { ...answer, content };
  const data: Readonly<Record<string, unknown>> = Object(answer.structuredContent);
  const own = Array.isArray(data["warnings"]) ? data["warnings"] : [];
  return { ...answer, content, structuredContent: { ...data, warnings: [...own, ...warnings] } };
}
