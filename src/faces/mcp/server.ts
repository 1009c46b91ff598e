import { McpServer, type McpServerFactory } from "@modelcontextprotocol/server";
import type { LeveledLog } from "../../lib/log.js";
import { CACHE_HINTS, CAPABILITIES, describeServer, INSTRUCTIONS } from "./about.js";
import { failure } from "./failure.js";
import type { Session, Tool } from "./tool.js";
import { addMemoryTool } from "./tools/add-memory.js";
import { fetchTool } from "./tools/fetch.js";
import { forgetTool } from "./tools/forget.js";
import { profileTool } from "./tools/profile.js";
import { searchTool } from "./tools/search.js";

export type { Session } from "./tool.js";

/** In the order in which clients see them. */
const TOOLS: readonly Tool[] = [searchTool, addMemoryTool, profileTool, fetchTool, forgetTool];

export interface McpOptions {
  /** The service and who is asking; may open it. */
  readonly session: () => Promise<Session>;
  /** The container for calls that name none. */
  readonly defaultContainer: string;
  readonly log: LeveledLog;
  readonly version: string;
}

/** Makes servers for both protocol eras. Cheap, because schemas are made once: over HTTP every request gets its own. */
export function createMcpFactory(options: McpOptions): McpServerFactory {
  const about = describeServer(options.version);
  return () => {
    const server = new McpServer(about, {
      capabilities: CAPABILITIES,
      instructions: INSTRUCTIONS,
      cacheHints: CACHE_HINTS,
    });
    for (const tool of TOOLS) register(server, tool, options);
    return server;
  };
}

function register(server: McpServer, tool: Tool, { session, defaultContainer, log }: McpOptions): void {
  const { name, title, description, input, output, annotations } = tool;
  server.registerTool(
    name,
    { title, description, inputSchema: input, outputSchema: output, annotations },
    async (args) => {
      try {
        return await tool.call({ ...(await session()), defaultContainer }, args);
      } catch (error) {
        return failure(error, log, name);
      }
    },
  );
}
