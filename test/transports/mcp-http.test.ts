import { StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StreamableHTTPClientTransport as EarlierTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { CLIENTS, type ClientName, connectionOf, createClient, type McpConnection } from "../support/mcp-client.js";
import { LOOPBACK, type OpenedRest, openRest, requestInit } from "../support/rest.js";

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

const makeKey = async (input: Record<string, unknown> = {}) =>
  (await rest.core.createKey({ actor: rest.actor }, input)).secret;

async function connect(headers: Record<string, string> = {}, name: ClientName = "v2 auto"): Promise<McpConnection> {
  const client = createClient(name);
  const Transport = name === "v1" ? EarlierTransport : StreamableHTTPClientTransport;
  const transport = new Transport(new URL(`${url}/mcp`), { requestInit: { headers } });
  await (client as { connect(to: unknown): Promise<void> }).connect(transport);
  const connection = connectionOf(client);
  open.push(connection);
  return connection;
}

const as = (key: string) => ({ authorization: `Bearer ${key}` });
const namesOf = async (connection: McpConnection) => (await connection.listTools()).map(({ name }) => name);

const initialize = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "t", version: "1" } },
};
const post = (headers: Record<string, string> = {}, path = "/mcp", body: unknown = initialize) =>
  fetch(`${url}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json, text/event-stream", ...headers },
    body: JSON.stringify(body),
  });

describe.each(CLIENTS)("the client %s", (name) => {
  test("adds and finds memories with a key, in the given container", async () => {
    const mcp = await connect(as(await makeKey()), name);
    expect(await namesOf(mcp)).toEqual(expect.arrayContaining(["search", "add-memory", "profile", "fetch", "forget"]));
    await mcp.call("add-memory", { content: "Mia keeps bees in Rome.", containerTag: "mia" });
    await rest.settle();
    const found = await mcp.call("search", { query: "Where does Mia keep bees?", containerTag: "mia" });
    expect(found.text).toContain("Rome");
    const elsewhere = await mcp.call("search", { query: "Where does Mia keep bees?", containerTag: "tom" });
    expect(elsewhere.structured["results"]).toEqual([]);
  });
});

describe("the limits of a key", () => {
  test("apply to the tools: a key for one container writes there by default, and nowhere else", async () => {
    const mcp = await connect(as(await makeKey({ kind: "scoped", grants: [{ containerTag: "mia" }] })));
    await mcp.call("add-memory", { content: "Mia keeps bees in Rome." });
    expect((await rest.core.listDocuments({ actor: rest.actor }, {})).documents).toMatchObject([
      { containerTags: ["mia"] },
    ]);
    const refused = await mcp.call("add-memory", { content: "x", containerTag: "tom" });
    expect([refused.isError, refused.text]).toEqual([true, expect.stringContaining("may not use the container tom")]);
  });

  test.each([
    ["everything", { permission: "read" }],
    ["a container", { grants: [{ containerTag: "mia", permission: "read" }] }],
  ])("hide tools that write from a key that may only read %s, and refuse calls to them", async (_name, input) => {
    const mcp = await connect(as(await makeKey(input)));
    expect(await namesOf(mcp)).toEqual(expect.arrayContaining(["search", "profile", "fetch"]));
    const tools = await (await connect()).listTools();
    const writers = tools.filter((tool) => !tool.annotations?.["readOnlyHint"]);
    expect(writers).not.toEqual([]);
    for (const { name } of writers) {
      expect(await namesOf(mcp)).not.toContain(name);
      await expect(mcp.call(name, { content: "x" })).rejects.toThrow(/not found/i);
    }
    expect((await rest.core.listDocuments({ actor: rest.actor }, {})).total).toBe(0);
  });

  test("include its rate over MCP, with the time to wait", async () => {
    const key = await makeKey({ rate: { requests: 1, windowMs: 3_600_000 } });
    expect((await post(as(key))).status).toBe(200);
    const refused = await post(as(key));
    expect([refused.status, Number(refused.headers.get("retry-after")) > 0]).toEqual([429, true]);
    // The limit is shared with the other transports.
    expect((await fetch(`${url}/v3/session`, { headers: as(key) })).status).toBe(429);
  });
});

describe("x-sm-project", () => {
  test("pins every call to one container, and removes the choice from the tools", async () => {
    const mcp = await connect({ ...as(await makeKey()), "x-sm-project": "pinned" });
    const tools = await mcp.listTools();
    expect(tools).not.toEqual([]);
    for (const tool of tools)
      expect([tool.name, JSON.stringify(tool.inputSchema).includes("containerTag")]).toEqual([tool.name, false]);
    await mcp.call("add-memory", { content: "Pinned text.", containerTag: "other" });
    expect((await rest.core.listDocuments({ actor: rest.actor }, {})).documents).toMatchObject([
      { containerTags: ["pinned"] },
    ]);
  });
});

describe("access", () => {
  test("a wrong key is refused as the protocol requires, without saying which part is wrong", async () => {
    const answer = await post(as("sm_wrong_0123456789abcdef"));
    expect(answer.status).toBe(401);
    expect(answer.headers.get("www-authenticate")).toMatch(/^Bearer error="invalid_token"/);
    expect(await answer.json()).toEqual({
      jsonrpc: "2.0",
      error: { code: -32_000, message: expect.stringContaining("API key") },
      id: null,
    });
  });

  test("a program on this machine needs no key; a web page does", async () => {
    expect((await post()).status).toBe(200);
    const fromPage = await post({ origin: "http://localhost:3000" });
    expect(fromPage.status).toBe(401);
    expect(fromPage.headers.get("www-authenticate")).not.toContain("error=");
    expect((await post({ origin: "http://localhost:3000", ...as(await makeKey()) })).status).toBe(200);
  });

  test("all paths that clients use answer", async () => {
    for (const path of ["/mcp", "/mcp/", "/"]) expect([path, (await post({}, path)).status]).toEqual([path, 200]);
  });

  test("a page of a local tool may read the response, after a preflight", async () => {
    const origin = "http://localhost:6274";
    const asked = await fetch(`${url}/mcp`, {
      method: "OPTIONS",
      headers: { origin, "access-control-request-method": "POST", "access-control-request-headers": "authorization" },
    });
    expect([asked.status, asked.headers.get("access-control-allow-headers")]).toEqual([204, "authorization"]);
    const answer = await post({ origin, ...as(await makeKey()) });
    for (const { headers } of [asked, answer]) expect(headers.get("access-control-allow-origin")).toBe(origin);
    expect(answer.headers.get("access-control-expose-headers")).toContain("WWW-Authenticate");
  });

  test.each([
    ["an unknown host name", { host: "evil.example" }],
    ["a page of another origin", { origin: "https://evil.example" }],
    ["a page with a null origin", { origin: "null" }],
  ])("%s is refused, whatever its key", async (_name, headers) => {
    const request = new Request(`${url}/mcp`, {
      method: "POST",
      headers: { "content-type": "application/json", ...as(await makeKey()), ...headers },
      body: JSON.stringify(initialize),
    });
    const answer = await rest.app.fetch(request, { incoming: { socket: { remoteAddress: "127.0.0.1" } } });
    expect(answer.status).toBe(403);
    expect(answer.headers.get("access-control-allow-origin")).toBeNull();
  });

  test("the configured public name, hosts and origins are accepted", async () => {
    const set = await openRest({
      settings: {
        RECOLLECT_PUBLIC_URL: "https://memory.example",
        RECOLLECT_ALLOWED_HOSTS: "inner:8080, other.example",
        RECOLLECT_ALLOWED_ORIGINS: "https://app.example",
      },
    });
    try {
      const key = (await set.core.createKey({ actor: set.actor }, {})).secret;
      const send = async (headers: Record<string, string>) => {
        const init = {
          method: "POST",
          headers: {
            "content-type": "application/json",
            accept: "application/json, text/event-stream",
            ...as(key),
            ...headers,
          },
          body: JSON.stringify(initialize),
        };
        return (await set.app.request("/mcp", init, { incoming: { socket: {} } })).status;
      };
      for (const host of ["memory.example", "inner:8080", "Other.example", "10.0.0.5:6767", "[fe80::1]:6767"])
        expect([host, await send({ host })]).toEqual([host, 200]);
      for (const host of ["memory.example:8080", "evil.memory.example", "1.2.3.4.example", ""])
        expect([host, await send({ host })]).toEqual([host, 403]);
      for (const [origin, status] of [
        ["https://app.example", 200],
        ["https://memory.example", 200],
        ["http://app.example", 403],
      ] as const)
        expect([origin, await send({ host: "memory.example", origin })]).toEqual([origin, status]);
    } finally {
      await set.close();
    }
  });

  test("a client is not told that its key is wrong while the store is closed", async () => {
    const key = await makeKey();
    await rest.core.session({ actor: rest.actor });
    await rest.close();
    // The socket is closed too, so the request takes the place of one that was accepted just before.
    const headers = { ...as(key), accept: "application/json, text/event-stream" };
    const answer = await rest.app.request("/mcp", requestInit("POST", initialize, headers), LOOPBACK);
    expect(answer.status).toBeGreaterThanOrEqual(500);
    rest = await openRest();
  });
});

describe("invalid input", () => {
  const send = async (body: string, headers: Record<string, string> = {}) =>
    fetch(`${url}/mcp`, {
      method: "POST",
      headers: { "content-type": "application/json", accept: "application/json, text/event-stream", ...headers },
      body,
    });

  test.each([
    ["nothing", "", 400],
    ["invalid JSON", "{", 400],
    ["an empty batch", "[]", 400],
    ["a number", "1", 400],
    ["deep nesting", "[".repeat(100_000), 400],
  ])("%s", async (_name, body, status) => {
    expect((await send(body)).status).toBe(status);
  });

  test("another content type, and a body that is too long", async () => {
    expect((await send("x", { "content-type": "text/plain" })).status).toBe(415);
    expect((await send(`{"a":"${"x".repeat(12_000_000)}"}`)).status).toBe(413);
    expect((await post()).status).toBe(200);
  });
});
