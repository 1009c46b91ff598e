import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { openBrowser } from "../support/owner-browser.js";
import { type OpenedRest, openRest } from "../support/rest.js";

const TOKEN = "the-owner-token";

let rest: OpenedRest;
beforeEach(async () => {
  rest = await openRest({ asOwner: true, ownerToken: TOKEN });
});
afterEach(() => rest.close());

const makeKey = async (input: Record<string, unknown> = {}) => {
  const { key, secret } = await rest.core.createKey({ actor: rest.actor }, input);
  return { id: key.id, as: { authorization: `Bearer ${secret}` } };
};
const audit = async (query = "") => (await rest.send("GET", `/v3/audit${query}`)).body.entries;

describe("GET /v3/audit", () => {
  test("returns who did what, where and from which address", async () => {
    const { id, as } = await makeKey({ name: "laptop", client: "opencode" });
    const added = await rest.send("POST", "/v3/documents", { content: "Hello", containerTag: "mia" }, as);
    const [entry] = await audit("?action=addDocument");
    expect(entry).toMatchObject({
      actor: `key:${id}`,
      keyName: "laptop",
      outcome: "ok",
      containerTags: ["mia"],
      subjectIds: [added.body.id],
      face: "rest",
      address: "127.0.0.1",
      client: "opencode",
      count: 1,
    });
  });

  test("names the program by its own headers where its key names none", async () => {
    const { as } = await makeKey();
    const agent = { ...as, "user-agent": "supermemory-node/4.25.4 (linux; content of somebody)" };
    await rest.send("POST", "/v3/documents", { content: "Hello" }, agent);
    await rest.send("POST", "/v3/documents", { content: "Hello again" }, { ...as, "x-sm-source": "codex" });
    expect((await audit("?action=addDocument")).map(({ client }: { client: string }) => client)).toEqual([
      "codex",
      "supermemory-node/4.25.4",
    ]);
  });

  test("filters by key, container, action, outcome and time, with pages", async () => {
    const { id, as } = await makeKey();
    await rest.send("POST", "/v3/documents", { content: "Hello", containerTag: "mia" }, as);
    await rest.send("POST", "/v3/documents", { content: "Hello", containerTag: "tom" }, as);
    await rest.send("DELETE", "/v3/documents/1111111111111111111111", undefined, as);
    expect(await audit(`?keyId=${id}`)).toHaveLength(3);
    expect(await audit("?containerTag=mia")).toMatchObject([{ action: "addDocument" }]);
    expect(await audit("?outcome=not_found")).toMatchObject([{ subjectIds: ["1111111111111111111111"] }]);
    expect(await audit("?to=2020-01-01")).toEqual([]);
    const { body } = await rest.send("GET", "/v3/audit?action=addDocument&limit=1&page=2");
    expect(body).toMatchObject({ entries: [{ outcome: "ok" }], pagination: { totalItems: 2, totalPages: 2 } });
    expect((await rest.send("GET", "/v3/audit?limit=5000")).status).toBe(400);
  });

  test.each<[string, Record<string, unknown>]>([
    ["some containers", { grants: [{ containerTag: "mia" }] }],
    ["reading", { permission: "read" }],
    ["a scope", { kind: "scoped", grants: [{ containerTag: "mia" }] }],
  ])("refuses a key limited to %s, and records the attempt", async (_what, input) => {
    const { id, as } = await makeKey(input);
    expect((await rest.send("GET", "/v3/audit", undefined, as)).status).toBe(403);
    expect(await audit(`?keyId=${id}`)).toMatchObject([{ action: "listAudit", outcome: "forbidden" }]);
  });

  test("counts wrong keys without storing them", async () => {
    for (let attempt = 0; attempt < 20; attempt += 1)
      await rest.send("GET", "/v3/session", undefined, { authorization: `Bearer sm_wrong_${attempt}` });
    const refused = await audit("?action=authenticate");
    expect(refused.map(({ count }: { count: number }) => count).reduce((sum: number, n: number) => sum + n)).toBe(20);
    expect(refused.length).toBeLessThanOrEqual(2);
    expect(refused[0]).toMatchObject({ actor: "unknown", outcome: "unauthorized", address: "127.0.0.1", face: "rest" });
    expect(JSON.stringify(refused)).not.toContain("sm_wrong");
  });
});

test("successful and refused browser sign-ins are recorded, without the sign-in code", async () => {
  const browser = openBrowser(rest);
  await browser.fill("/auth/sign-in", { secret: "wrong" });
  const { code } = await rest.core.createSignInCode({ actor: rest.actor });
  await browser.fill(`/auth/sign-in?code=${code}`, {});
  const [ok, refused] = await audit("?action=signIn");
  expect(ok).toMatchObject({ outcome: "ok", face: "console", actor: expect.stringMatching(/^sign-in:\w{22}$/) });
  expect(refused).toMatchObject({ outcome: "unauthorized", face: "console", actor: "unknown" });
  expect(JSON.stringify([ok, refused])).not.toContain(code);
});

test("the owner's page warns of a key that is about to expire", async () => {
  const browser = openBrowser(rest);
  await browser.signIn();
  await makeKey({ name: "old <laptop>", expiresInDays: 15 });
  expect((await browser.get("/auth")).text).not.toContain("laptop");
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 14 * 86_400_000 });
  onTestFinished(() => void vi.useRealTimers());
  expect((await browser.get("/auth")).text).toMatch(
    /class="warning">\s*The key “old &lt;laptop&gt;” \(….{4}\) expires at/,
  );
});

describe("calls over MCP", () => {
  const rpc = async (headers: Record<string, string>, method: string, params: object) => {
    const response = await fetch(`${(await listening).url}/mcp`, {
      method: "POST",
      headers: { "content-type": "application/json", accept: "application/json, text/event-stream", ...headers },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
    });
    return { status: response.status, text: await response.text() };
  };
  const call = (as: Record<string, string>, name: string, args: object) =>
    rpc({ ...as, "mcp-protocol-version": "2025-06-18" }, "tools/call", { name, arguments: args });
  const logs = async () => {
    await rest.recorded();
    const { body } = await rest.send("GET", "/v3/analytics/requests");
    return body.logs.filter(({ input }: { input: { path: string } }) => input.path.startsWith("/mcp"));
  };
  let listening: ReturnType<OpenedRest["listen"]>;
  beforeEach(() => {
    listening = rest.listen();
  });

  test("are recorded as requests of their kind, with key and address but no content", async () => {
    const { id, as } = await makeKey({ client: "codex" });
    await call(as, "add-memory", { content: "Mia keeps xqbeeszv.", containerTag: "mia" });
    await call(as, "search", { query: "xqwherezv", containerTag: "mia" });
    await call(as, "forget", { ids: ["1111111111111111111111"], reason: "xqreasonzv" });
    const of = { keyId: id, client: "codex", address: "127.0.0.1" };
    const kept = await logs();
    expect(kept).toMatchObject([
      { ...of, type: "delete", input: { path: "/mcp#forget" } },
      { ...of, type: "search_v4", statusCode: 200, input: { path: "/mcp#search", containerTag: "mia" }, output: null },
      { ...of, type: "add", statusCode: 200, input: { path: "/mcp#add-memory", containerTag: "mia" } },
    ]);
    expect(JSON.stringify(kept)).not.toMatch(/xq\w+zv/);
    expect(await audit("?action=addDocument")).toMatchObject([
      { actor: `key:${id}`, face: "mcp", address: "127.0.0.1" },
    ]);
  });

  test("with a wrong key are recorded as refused requests", async () => {
    expect((await call({ authorization: "Bearer sm_wrong" }, "search", { query: "x" })).status).toBe(401);
    expect(await logs()).toMatchObject([{ type: "request", statusCode: 401, input: { path: "/mcp" }, keyId: null }]);
    expect(await audit("?action=authenticate")).toMatchObject([{ face: "mcp", count: 1 }]);
  });
});

describe("another process with the same data folder", () => {
  const tell = (call: object, useCase = "createProject", input: object = { name: `x${Math.random()}` }) =>
    rest.app.request(`/internal/call/${useCase}`, {
      method: "POST",
      headers: { "x-recollect-owner": TOKEN, "content-type": "application/json" },
      body: JSON.stringify({ call: { actor: rest.actor, ...call }, input }),
    });

  test("states where its calls come from", async () => {
    await tell({ from: { face: "cli", client: "script" } });
    expect(await audit("?action=createProject")).toMatchObject([{ face: "cli", client: "script", address: null }]);
  });

  test("is recorded as internal where it states nothing, or something invalid", async () => {
    await tell({});
    await tell({ from: { face: "nonsense", address: "1.2.3.4.5", client: "a\u0000b" } });
    const told = await audit("?action=createProject");
    expect(told).toMatchObject([
      { face: "internal", address: null, client: "a b" },
      { face: "internal", address: null, client: null },
    ]);
  });

  test("cannot write audit entries of its choice", async () => {
    for (const useCase of ["putAudit", "noteAudit", "audit"]) expect((await tell({}, useCase)).status).toBe(404);
    const before = new Date().toISOString();
    await tell({ from: { face: "cli", at: "2001-01-01", outcome: "ok", actor: "key:somebody" } });
    const [entry] = await audit("?action=createProject");
    expect(entry.actor).toBe(rest.actor.name);
    expect(entry.at >= before).toBe(true);
  });
});
