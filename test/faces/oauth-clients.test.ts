import { StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StreamableHTTPClientTransport as EarlierTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { afterEach, beforeEach, expect, test } from "vitest";
import { CLIENTS, type ClientName, connectionOf, createClient, type McpConnection } from "../support/mcp-client.js";
import { allow, type Answer, createOwnerBrowser } from "../support/oauth-browser.js";
import { createClientProvider } from "../support/oauth-client.js";
import { type OpenedRest, openRest } from "../support/rest.js";

/** Programs of this machine need no token; what comes through a proxy does. */
const THROUGH_A_PROXY = { via: "1.1 proxy.example" };

let rest: OpenedRest;
let url: string;
let open: McpConnection[];

beforeEach(async () => {
  open = [];
  rest = await openRest();
  ({ url } = await rest.listen());
});
afterEach(async () => {
  for (const connection of open) await connection.close();
  await rest.close();
});

/** Signs in with an official client: it finds everything by itself, and the owner answers in a browser. */
async function signIn(name: ClientName, answer: Answer = {}): Promise<McpConnection> {
  const provider = createClientProvider();
  const Transport = name === "v1" ? EarlierTransport : StreamableHTTPClientTransport;
  const connect = async () => {
    const client = createClient(name);
    const transport = new Transport(new URL(`${url}/mcp`), {
      authProvider: provider,
      requestInit: { headers: THROUGH_A_PROXY },
    });
    const connecting = (client as { connect(to: unknown): Promise<void> }).connect(transport);
    return { client, transport, connecting };
  };
  const first = await connect();
  await expect(first.connecting).rejects.toThrow(/unauthorized/i);
  const callback = await allow(await createOwnerBrowser(rest, url), provider.opened ?? "", answer);
  expect(callback.searchParams.get("iss")).toBe(url);
  expect(callback.searchParams.get("state")).toBe("state-1");
  const { transport } = first;
  if (transport instanceof StreamableHTTPClientTransport) await transport.finishAuth(callback.searchParams);
  else await transport.finishAuth(callback.searchParams.get("code") ?? "");
  const second = await connect();
  await second.connecting;
  const connection = connectionOf(second.client);
  open.push(connection);
  return connection;
}

test.each(CLIENTS)(
  "the client %s finds the way by itself: registers, asks the owner, and calls tools",
  async (name) => {
    const mcp = await signIn(name);
    expect((await mcp.listTools()).map((tool) => tool.name)).toEqual(
      expect.arrayContaining(["search", "add-memory", "profile", "fetch", "forget"]),
    );
    await mcp.call("add-memory", { content: "Mia keeps bees in Rome.", containerTag: "mia" });
    await rest.settle();
    const found = await mcp.call("search", { query: "Where does Mia keep bees?", containerTag: "mia" });
    expect(found.text).toContain("Rome");
  },
);
