import {
  McpServer,
  type McpRequestContext,
  type McpServerFactory,
  mergeCapabilities,
  type ServerEventBus,
  type ServerOptions,
  type StandardSchemaWithJSON,
} from "@modelcontextprotocol/server";
import * as z from "zod";
import type { LeveledLog } from "../../lib/log.js";
import { CACHE_HINTS, CAPABILITIES, describeServer, INSTRUCTIONS } from "./about.js";
import { briefly } from "./brief-schema.js";
import { failure } from "./failure.js";
import type { Session, Tool } from "./tool.js";
import { addMemoryTool } from "./tools/add-memory.js";
import { fetchTool } from "./tools/fetch.js";
import { forgetTool } from "./tools/forget.js";
import { pendingExtractionsTool } from "./tools/pending-extractions.js";
import { profileTool } from "./tools/profile.js";
import { searchTool } from "./tools/search.js";
import { submitExtractionTool } from "./tools/submit-extraction.js";

export type { Session } from "./tool.js";

/** In the order in which clients see them. */
const TOOLS: readonly Tool[] = [
  searchTool,
  addMemoryTool,
  profileTool,
  fetchTool,
  forgetTool,
  pendingExtractionsTool,
  submitExtractionTool,
];

/** Whoever the tools work for. */
export interface Principal {
  /** The service and who is asking; may open it. */
  readonly session: () => Promise<Session>;
  /** The container for calls that name none. */
  readonly defaultContainer: string;
  /** True when every call is about the default container, whatever it names. */
  readonly isPinned?: boolean;
  /** False for somebody who may only read, and sees no tools that write. Default true. */
  readonly mayWrite?: boolean;
}

/** What servers offer beside the tools of the product; a start of the product itself has none. */
export interface McpExtension {
  readonly capabilities?: NonNullable<ServerOptions["capabilities"]>;
  readonly requestState?: NonNullable<ServerOptions["requestState"]>;
  /** Where changes are announced to clients that listen over HTTP. */
  readonly bus?: ServerEventBus;
  /** Adds to a server that has all of the product. */
  readonly extend: (server: McpServer) => void;
}

export interface McpOptions {
  readonly log: LeveledLog;
  readonly version: string;
  /** Over HTTP every request has its own. */
  readonly principal: (context: McpRequestContext) => Principal;
  readonly extension?: McpExtension | undefined;
}

/** Makes servers for both protocol eras. Cheap, because schemas are made once: over HTTP every request gets its own. */
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
    const caller = principal(context);
    for (const tool of TOOLS)
      if (caller.mayWrite !== false || tool.annotations.readOnlyHint) register(server, tool, caller, log);
    extension?.extend(server);
    return server;
  };
}

function register(server: McpServer, tool: Tool, caller: Principal, log: LeveledLog): void {
  const { name, title, description, annotations } = tool;
  const { session, defaultContainer, isPinned = false } = caller;
  const { input, output } = schemasOf(tool, isPinned);
  const pinned = isPinned ? { containerTag: defaultContainer } : {};
  server.registerTool(
    name,
    { title, description, inputSchema: input, outputSchema: output, annotations },
    async (args: unknown) => {
      try {
        return await tool.call({ ...(await session()), defaultContainer }, Object.assign({}, args, pinned));
      } catch (error) {
        return failure(error, log, name);
      }
    },
  );
}

interface ToolSchemas {
  readonly input: StandardSchemaWithJSON;
  readonly output: StandardSchemaWithJSON;
}

const freeSchemas = new WeakMap<Tool, ToolSchemas>();
const pinnedSchemas = new WeakMap<Tool, ToolSchemas>();

/** What a tool takes and gives, made once; one that is pinned to a container is not asked for any. */
function schemasOf(tool: Tool, isPinned: boolean): ToolSchemas {
  const made = isPinned ? pinnedSchemas : freeSchemas;
  const known = made.get(tool);
  if (known) return known;
  const { containerTag: _pinned, ...rest } = tool.input.shape;
  const schemas = { input: briefly(isPinned ? z.object(rest) : tool.input), output: briefly(tool.output) };
  made.set(tool, schemas);
  return schemas;
}
