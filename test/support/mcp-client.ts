import { Client as ModernClient } from "@modelcontextprotocol/client";
import { Client as EarlierClient } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport as EarlierTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { InMemoryTransport, type McpServerFactory, type Transport } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";

/** The independent clients: the first generation of the official SDK, and the second in each of its modes. */
export const CLIENTS = ["v1", "v2 legacy", "v2 auto", "v2 pinned"] as const;
export type ClientName = (typeof CLIENTS)[number];

export interface ToolResult {
  readonly isError: boolean;
  /** The first text block. */
  readonly text: string;
  /** All text blocks. */
  readonly texts: readonly string[];
  readonly structured: Readonly<Record<string, unknown>>;
}

export interface ListedTool {
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly inputSchema: Readonly<Record<string, unknown>>;
  readonly outputSchema?: Readonly<Record<string, unknown>> | undefined;
  readonly annotations?: Readonly<Record<string, unknown>> | undefined;
}

export interface McpConnection {
  readonly instructions: string | undefined;
  listTools(): Promise<readonly ListedTool[]>;
  /** Rejects for protocol errors. The clients check structured results against the advertised schema. */
  call(name: string, args?: Readonly<Record<string, unknown>>): Promise<ToolResult>;
  /** Everything other than tools, through the client itself; protocol errors are thrown. */
  readonly client: Pick<
    ModernClient,
    "listResources" | "listResourceTemplates" | "readResource" | "listPrompts" | "getPrompt" | "complete"
  >;
  close(): Promise<void>;
}

const ABOUT = { name: "test", version: "1.0.0" };
const MODES = { "v2 legacy": "legacy", "v2 auto": "auto", "v2 pinned": { pin: "2026-07-28" } } as const;

export function createClient(name: ClientName): EarlierClient | ModernClient {
  if (name === "v1") return new EarlierClient(ABOUT);
  return new ModernClient(ABOUT, { versionNegotiation: { mode: MODES[name] } });
}

/** A client and a server in this process, with the era chosen as over stdio. */
export async function connectInMemory(name: ClientName, factory: McpServerFactory): Promise<McpConnection> {
  const [near, far] = name === "v1" ? EarlierTransport.createLinkedPair() : InMemoryTransport.createLinkedPair();
  const handle = serveStdio(factory, { transport: far as Transport });
  const client = createClient(name);
  await client.connect(near);
  const connection = connectionOf(client);
  return {
    ...connection,
    async close() {
      await connection.close();
      await handle.close();
    },
  };
}

export function connectionOf(client: EarlierClient | ModernClient): McpConnection {
  return {
    instructions: client.getInstructions(),
    listTools: async () => (await client.listTools()).tools,
    call: async (name, args = {}) => read(await client.callTool({ name, arguments: { ...args } })),
    client: client as McpConnection["client"],
    close: () => client.close(),
  };
}

function read(result: Readonly<Record<string, unknown>>): ToolResult {
  const texts = ((result["content"] ?? []) as readonly { text?: string }[]).map(({ text = "" }) => text);
  return {
    isError: result["isError"] === true,
    text: texts[0] ?? "",
    texts,
    structured: (result["structuredContent"] ?? {}) as ToolResult["structured"],
  };
}
