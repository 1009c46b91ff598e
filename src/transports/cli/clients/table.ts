import type { Client } from "./client.js";
import { MCP_CLIENTS } from "./mcp-clients.js";
import { PLUGIN_CLIENTS } from "./plugin-clients.js";

/** Every client that `connect` knows. */
export const CLIENT_TABLE: readonly Client[] = [...MCP_CLIENTS, ...PLUGIN_CLIENTS];
