import { StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StreamableHTTPClientTransport as EarlierTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { CLIENTS, type ClientName, connectionOf, createClient, type McpConnection } from "../support/mcp-client.js";
import { allow, createOwnerBrowser } from "../support/oauth-browser.js";
import { type ClientProvider, createClientProvider } from "../support/oauth-client.js";
import { type OpenedRest, openRest } from "../support/rest.js";

/** Programs on this machine need no token; requests through a proxy do. */
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

interface Visit {
  readonly provider: ClientProvider;
  readonly transport: EarlierTransport | StreamableHTTPClientTransport;
  /** Resolves when the server has responded; rejects while the app has no access. */
  connect(): Promise<McpConnection>;
}

function visit(name: ClientName, provider: ClientProvider): Visit {
  const Transport = name === "v1" ? EarlierTransport : StreamableHTTPClientTransport;
  const transport = new Transport(new URL(`${url}/mcp`), {
    authProvider: provider,
    requestInit: { headers: THROUGH_A_PROXY },
  });
  return {
    provider,
    transport,
    async connect() {
      const client = createClient(name);
      await (client as { connect(to: unknown): Promise<void> }).connect(transport);
      const connection = connectionOf(client);
      open.push(connection);
      return connection;
    },
  };
}

/** Lets the owner approve the app's request, and passes the result to the app's callback. */
async function answerFor({ provider, transport }: Visit, change: Record<string, string> = {}): Promise<void> {
  const callback = await allow(await createOwnerBrowser(rest, url), provider.opened ?? "");
  expect(callback.searchParams.get("iss")).toBe(url);
  expect(callback.searchParams.get("state")).toBe("state-1");
  for (const [parameter, value] of Object.entries(change)) callback.searchParams.set(parameter, value);
  if (transport instanceof StreamableHTTPClientTransport) await transport.finishAuth(callback.searchParams);
  else await transport.finishAuth(callback.searchParams.get("code") ?? "");
}

/** Signs in with an official client, which discovers everything; the owner approves in a browser. */
async function signIn(name: ClientName): Promise<{ mcp: McpConnection; provider: ClientProvider }> {
  const provider = createClientProvider();
  const first = visit(name, provider);
  await expect(first.connect()).rejects.toThrow(/unauthorized/i);
  await answerFor(first);
  return { mcp: await visit(name, provider).connect(), provider };
}

describe.each(CLIENTS)("the client %s", (name) => {
  test("discovers the server, registers, asks the owner and calls tools", async () => {
    const { mcp } = await signIn(name);
    expect((await mcp.listTools()).map((tool) => tool.name)).toEqual(
      expect.arrayContaining(["search", "add-memory", "profile", "fetch", "forget"]),
    );
    await mcp.call("add-memory", { content: "Mia keeps bees in Rome.", containerTag: "mia" });
    await rest.settle();
    const found = await mcp.call("search", { query: "Where does Mia keep bees?", containerTag: "mia" });
    expect(found.text).toContain("Rome");
  });

  test("refreshes an expired token without asking the owner", async () => {
    const { provider } = await signIn(name);
    const { refresh_token } = provider.kept.tokens;
    provider.kept.tokens = { ...provider.kept.tokens, access_token: "over" };
    const mcp = await visit(name, provider).connect();
    expect(await mcp.listTools()).not.toEqual([]);
    expect(provider.kept.tokens.refresh_token).not.toBe(refresh_token);
  });

  test("asks the owner again after its grant was revoked", async () => {
    const { provider } = await signIn(name);
    const opened = provider.opened;
    await rest.core.revokeGrants({ actor: rest.actor }, { client: provider.kept.client.client_id });
    await expect(visit(name, provider).connect()).rejects.toThrow(/unauthorized/i);
    expect(provider.opened).not.toBe(opened);
  });
});

test("a client that checks the issuer rejects the response of another server", async () => {
  const first = visit("v2 auto", createClientProvider());
  await expect(first.connect()).rejects.toThrow(/unauthorized/i);
  await expect(answerFor(first, { iss: "https://evil.example" })).rejects.toThrow(/issuer/i);
  expect(first.provider.kept.tokens).toBeUndefined();
});
