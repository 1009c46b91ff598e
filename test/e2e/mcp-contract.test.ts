import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { StreamableHTTPClientTransport as ModernHttp } from "@modelcontextprotocol/client";
import { StdioClientTransport as ModernStdio } from "@modelcontextprotocol/client/stdio";
import { StdioClientTransport as EarlierStdio } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport as EarlierHttp } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { afterAll, beforeAll, vi } from "vitest";
import { describeMcp } from "../contract/mcp.js";
import { type ClientName, connectionOf, createClient, type McpConnection } from "../support/mcp-client.js";
import { environmentFor, PROGRAM, type ServeProcess, startServe } from "../support/recollect-process.js";

// A busy machine takes longer to start a process.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

let dataDirectory: string;
let service: ServeProcess;

beforeAll(async () => {
  dataDirectory = await mkdtemp(join(tmpdir(), "recollect-e2e-"));
  service = await startServe(dataDirectory);
});
afterAll(async () => {
  await service.stop();
  await rm(dataDirectory, { recursive: true, force: true, maxRetries: 5 });
});

async function connectBy(name: ClientName, transport: unknown): Promise<McpConnection> {
  const client = createClient(name);
  await (client as { connect(to: unknown): Promise<void> }).connect(transport);
  return connectionOf(client);
}

describeMcp("standard input and output", (name, { tools } = {}) => {
  const parameters = {
    command: process.execPath,
    args: [PROGRAM, "mcp", ...(tools ? ["--tools", tools] : [])],
    env: environmentFor(dataDirectory),
    stderr: "ignore" as const,
  };
  return connectBy(name, name === "v1" ? new EarlierStdio(parameters) : new ModernStdio(parameters));
});

describeMcp("HTTP", (name, { tools } = {}) => {
  const url = new URL(`${service.url}/mcp${tools ? `?tools=${tools}` : ""}`);
  return connectBy(name, name === "v1" ? new EarlierHttp(url) : new ModernHttp(url));
});
