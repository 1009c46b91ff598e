import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type OpenedRest, openRest } from "../support/rest.js";
import { startScriptedProvider } from "../support/scripted-provider.js";

let rest: OpenedRest;
let url: string;
beforeEach(async () => {
  rest = await openRest();
  ({ url } = await rest.listen());
});
afterEach(() => rest.close());

const BOTH = "application/json, text/event-stream";
const META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {},
  "io.modelcontextprotocol/clientInfo": { name: "t", version: "1" },
};

interface Sent {
  readonly path?: string;
  readonly headers?: Record<string, string>;
  readonly signal?: AbortSignal;
}

/** A request of the stateless era. */
function modern(method: string, params: Record<string, unknown> = {}, { path = "/mcp", headers, signal }: Sent = {}) {
  const name = params["name"] ?? params["uri"];
  return fetch(`${url}${path}`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: BOTH,
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": method,
      ...(typeof name === "string" && { "mcp-name": name }),
      ...headers,
    },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method,
      params: { ...params, _meta: { ...META, ...(params["_meta"] as object) } },
    }),
    ...(signal && { signal }),
  });
}

/** A request of the era that starts with `initialize`. */
function earlier(method: string, params: Record<string, unknown> = {}, { path = "/mcp", headers }: Sent = {}) {
  return fetch(`${url}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", accept: BOTH, "mcp-protocol-version": "2025-06-18", ...headers },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  });
}

interface Message {
  readonly result?: Record<string, unknown>;
  readonly error?: { readonly code: number };
}

/** The message in a response, whether JSON or an event stream. */
async function read(answer: Response): Promise<Message> {
  const text = await answer.text();
  const isStream = answer.headers.get("content-type")?.startsWith("text/event-stream");
  return JSON.parse(isStream ? (/^data: (\{.*)$/m.exec(text)?.[1] ?? "null") : text) as Message;
}

const toolsIn = ({ result }: Message) =>
  (result?.["tools"] ?? []) as { name: string; annotations: { readOnlyHint: boolean } }[];
const namesIn = (message: Message) => toolsIn(message).map(({ name }) => name);
const asked = (result: Message["result"]) => (result?.["structuredContent"] as { query: string } | undefined)?.query;
const count = async () => (await rest.core.listDocuments({ actor: rest.actor }, {})).total;
const call = (name: string, args: Record<string, unknown>) => ({ name, arguments: args });

describe("the format of a response", () => {
  test("is one JSON body in the modern era, and an event stream with one message in the earlier one", async () => {
    const now = await modern("tools/list");
    expect([now.status, now.headers.get("content-type")]).toEqual([200, "application/json"]);
    const before = await earlier("tools/list");
    expect([before.status, before.headers.get("content-type")]).toEqual([200, "text/event-stream"]);
    expect(namesIn(await read(before))).toEqual(namesIn(await read(now)));
  });

  test.each([
    ["both, with weights", "text/event-stream;q=0.5, application/json"],
    ["both, the other way round", "text/event-stream, application/json"],
  ])("matches what the client accepts: %s", async (_name, accept) => {
    for (const ask of [modern, earlier])
      expect((await ask("tools/list", {}, { headers: { accept } })).status).toBe(200);
  });

  test("is refused with 406 to a client that does not accept both types", async () => {
    for (const accept of ["text/html", "application/json"]) {
      const answer = await earlier("tools/list", {}, { headers: { accept } });
      expect([accept, answer.status]).toEqual([accept, 406]);
      expect((await read(answer)).error?.code).toBe(-32_000);
    }
  });

  test("to a notification is 202 without a body", async () => {
    const answer = await fetch(`${url}/mcp`, {
      method: "POST",
      headers: { "content-type": "application/json", accept: BOTH },
      body: JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" }),
    });
    expect([answer.status, await answer.text()]).toEqual([202, ""]);
  });
});

describe("a long call", () => {
  test.each([
    ["modern", modern],
    ["earlier", earlier],
  ] as const)("reports progress to a client of the %s era that asks for it, then answers", async (_era, ask) => {
    const provider = await startScriptedProvider();
    const slow = await openRest({
      settings: { RECOLLECT_EMBEDDER: "openai", RECOLLECT_EMBEDDING_BASE_URL: provider.url },
    });
    try {
      await slow.settle();
      // Waits for embeddings that never arrive.
      provider.fail({ kind: "stall" }, 1_000);
      ({ url } = await slow.listen());
      const args = { content: "Slow but safe.", wait: 2.5 };
      const answer = await ask("tools/call", { ...call("add-memory", args), _meta: { progressToken: "p" } });
      expect(answer.headers.get("content-type")).toBe("text/event-stream");
      const messages = [...(await answer.text()).matchAll(/^data: (\{.*)$/gm)].map(([, json = ""]) => json);
      const last = messages.pop() ?? "";
      expect(messages.length).toBeGreaterThan(0);
      for (const message of messages)
        expect(JSON.parse(message)).toMatchObject({
          method: "notifications/progress",
          params: { progressToken: "p", progress: expect.any(Number) },
        });
      expect(JSON.parse(last)).toMatchObject({ id: 1, result: { structuredContent: { searchable: false } } });
    } finally {
      await provider.close();
      await slow.close();
    }
  });
});

describe("methods other than POST", () => {
  test.each(["GET", "HEAD", "DELETE", "PUT", "PATCH"])("%s is not allowed: there are no sessions", async (method) => {
    const answer = await fetch(`${url}/mcp`, { method, headers: { accept: "text/event-stream" } });
    expect(answer.status).toBe(405);
  });
});

describe("cache hints", () => {
  test("make lists that differ by caller or address private, and keep memory content out of caches", async () => {
    const hints = async (method: string, params?: Record<string, unknown>) => {
      const { result } = await read(await modern(method, params));
      return [result?.["ttlMs"], result?.["cacheScope"]];
    };
    expect(await hints("tools/list")).toEqual([300_000, "private"]);
    expect(await hints("resources/list")).toEqual([300_000, "private"]);
    expect(await hints("resources/templates/list")).toEqual([300_000, "public"]);
    expect(await hints("prompts/list")).toEqual([300_000, "public"]);
    expect(await hints("server/discover")).toEqual([300_000, "public"]);
    expect(await hints("resources/read", { uri: "memory://profile" })).toEqual([0, "private"]);
  });
});

describe("the list of tools", () => {
  const count = async (path: string, headers = {}) =>
    namesIn(await read(await modern("tools/list", {}, { path, headers }))).length;

  test("is chosen by the address, else by the setting", async () => {
    const [small, all] = [await count("/mcp"), await count("/mcp?tools=all")];
    expect(all).toBeGreaterThan(small + 20);
    expect(await count("/mcp/?tools=all")).toBe(all);
    for (const path of ["/mcp?tools=small", "/mcp?tools=", "/mcp?tools=nonsense", "/mcp?tool=all"])
      expect([path, await count(path)]).toEqual([path, small]);
    const set = await openRest({ settings: { RECOLLECT_MCP_TOOLS: "all" } });
    try {
      ({ url } = await set.listen());
      expect([await count("/mcp"), await count("/mcp?tools=small")]).toEqual([all, small]);
    } finally {
      await set.close();
    }
  });

  test("leaves out tools that write for a read-only key", async () => {
    const { secret } = await rest.core.createKey({ actor: rest.actor }, { permission: "read" });
    const headers = { authorization: `Bearer ${secret}` };
    const tools = toolsIn(await read(await modern("tools/list", {}, { path: "/mcp?tools=all", headers })));
    expect(tools.length).toBeGreaterThan(10);
    for (const tool of tools) expect([tool.name, tool.annotations.readOnlyHint]).toEqual([tool.name, true]);
    for (const name of ["add_memory", "memory", "save-memory", "addToSupermemory"])
      expect((await read(await modern("tools/call", call(name, { content: "x" }), { headers }))).error?.code).toBe(
        -32_602,
      );
  });
});

describe("scoped keys", () => {
  test("see only their containers, whichever tool lists them", async () => {
    for (const tag of ["mia", "tom", "ida"])
      await rest.core.addDocument({ actor: rest.actor }, { content: `About ${tag}.`, containerTags: [tag] });
    const { secret } = await rest.core.createKey(
      { actor: rest.actor },
      { kind: "scoped", grants: [{ containerTag: "mia" }, { containerTag: "ida", permission: "read" }] },
    );
    const headers = { authorization: `Bearer ${secret}` };
    const ask = async (name: string) => {
      const { result } = await read(await modern("tools/call", call(name, {}), { headers }));
      return result?.["structuredContent"] as Record<string, unknown>;
    };
    expect((await ask("list_spaces"))["spaces"]).toMatchObject([
      { containerTag: "mia", documentCount: 1 },
      { containerTag: "ida", documentCount: 1 },
    ]);
    expect((await ask("getProjects"))["projects"]).toMatchObject([{ id: "mia" }, { id: "ida" }]);
    expect(await ask("whoAmI")).toMatchObject({
      accessType: "restricted",
      assignedSpaces: [
        { containerTag: "mia", permission: "write" },
        { namespace: "ida", permission: "read" },
      ],
      scope: { type: "scoped", permission: "write", tags: ["mia", "ida"] },
    });
    const { result } = await read(await modern("resources/read", { uri: "memory://containers" }, { headers }));
    expect(JSON.stringify(result)).not.toContain("tom");
    const foreign = await modern("resources/read", { uri: "memory://profile/tom" }, { headers });
    expect((await read(foreign)).error?.code).toBe(-32_602);
  });
});

describe("x-sm-project", () => {
  const headers = { "x-sm-project": "pinned" };

  test("limits every tool, resource and prompt to the container, including those that take an id", async () => {
    const { id } = await rest.core.addDocument(
      { actor: rest.actor },
      { content: "A secret of elsewhere.", containerTags: ["elsewhere"], wait: 10 },
    );
    for (const [method, params] of [
      ["tools/call", call("fetch", { id })],
      ["tools/call", call("get_document", { documentId: id })],
      ["tools/call", call("search_memory", { query: "secret", namespace: "elsewhere" })],
      ["tools/call", call("list_spaces", {})],
      ["resources/read", { uri: `memory://documents/${id}` }],
      ["resources/read", { uri: "memory://profile/elsewhere" }],
      ["resources/read", { uri: "memory://containers" }],
      ["prompts/get", { name: "recall", arguments: { topic: "secret", containerTag: "elsewhere" } }],
    ] as const)
      expect([params, await (await modern(method, params, { headers })).text()]).toEqual([
        params,
        expect.not.stringMatching(/secret of elsewhere|"elsewhere"/),
      ]);
  });

  test("grants no access to a container that the key may not use", async () => {
    const { secret } = await rest.core.createKey(
      { actor: rest.actor },
      { kind: "scoped", grants: [{ containerTag: "mia" }] },
    );
    const as = { ...headers, authorization: `Bearer ${secret}` };
    const { result } = await read(await modern("tools/call", call("search_memory", { query: "x" }), { headers: as }));
    expect(result).toMatchObject({ isError: true });
    expect(JSON.stringify(result)).toContain("pinned");
    const spaces = await read(await modern("tools/call", call("list_spaces", {}), { headers: as }));
    expect(spaces.result?.["structuredContent"]).toMatchObject({ spaces: [], count: 0 });
  });
});

describe("many and large requests", () => {
  test("fifty concurrent requests each get their own answer", async () => {
    const answers = await Promise.all(
      Array.from({ length: 50 }, async (_, number) => {
        const ask = number % 2 === 0 ? modern : earlier;
        const { result } = await read(await ask("tools/call", call("recall", { query: `question ${number}` })));
        return asked(result);
      }),
    );
    expect(answers).toEqual(Array.from({ length: 50 }, (_, number) => `question ${number}`));
  });

  test("five megabytes reach the text limit, which the error names", async () => {
    const { result } = await read(
      await modern("tools/call", call("add-memory", { content: "long ".repeat(1_000_000) })),
    );
    expect(result).toMatchObject({ isError: true });
    expect(JSON.stringify(result)).toContain("1048576");
    expect(await count()).toBe(0);
  });

  test("a client that disconnects mid-call breaks nothing, and its text is stored at most once", async () => {
    const gone = new AbortController();
    const params = call("add-memory", { content: "Kept or not, but whole.", wait: 30 });
    const asked = modern("tools/call", params, { signal: gone.signal }).catch((error: unknown) => error);
    setTimeout(() => gone.abort(), 20);
    await asked;
    expect((await modern("tools/list")).status).toBe(200);
    await rest.settle();
    expect(await count()).toBeLessThanOrEqual(1);
  });
});
