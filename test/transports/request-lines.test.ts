import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createLog } from "../../src/lib/log.js";
import { logRequest } from "../../src/transports/telemetry/log-request.js";
import type { LogLine } from "../support/captured-log.js";
import { openRest, type OpenedRest } from "../support/rest.js";

let rest: OpenedRest;
let key: Record<string, string>;
let before = 0;
beforeAll(async () => {
  rest = await openRest({ settings: { RECOLLECT_KEYLESS: "off" } });
  const { secret } = await rest.core.createKey({ actor: rest.actor }, { name: "the laptop" });
  key = { authorization: `Bearer ${secret}` };
});
afterAll(() => rest.close());
beforeEach(() => {
  before = rest.log.length;
});

const lines = (): LogLine[] => rest.log.slice(before).filter(({ event }) => event === "request");
const json = { "content-type": "application/json" };
const mcp = { ...json, accept: "application/json, text/event-stream" };
const callOf = (name: string, args: object) => ({
  jsonrpc: "2.0",
  id: 1,
  method: "tools/call",
  params: { name, arguments: args },
});

describe("the log line of a request", () => {
  test("says who requested what, and the outcome", async () => {
    await rest.send("POST", "/v4/search", { q: "teal parrot", containerTag: "birds" }, key);
    expect(lines()).toEqual([
      {
        time: expect.any(String) as string,
        level: "info",
        event: "request",
        method: "POST",
        route: "/v4/search",
        status: 200,
        ms: expect.any(Number) as number,
        key: "the laptop",
        container: "birds",
        requestId: expect.any(String) as string,
      },
    ]);
  });

  test("names the path pattern, and nothing from query, body or headers", async () => {
    await rest.send("GET", "/v3/documents/teal-parrot?teal=parrot", undefined, key);
    await rest.send("GET", "/teal-parrot/teal", undefined, key);
    await rest.send("POST", "/v4/search", { q: "teal parrot", containerTag: "teal\nparrot" }, key);
    await rest.send("GET", "/v3/session", undefined, { authorization: "Bearer sm_teal_parrot" });
    expect(lines().map(({ route, status }) => [route, status])).toEqual([
      ["/v3/documents/{id}", 404],
      ["(unknown path)", 404],
      ["/v4/search", 400],
      ["/v3/session", 401],
    ]);
    expect(JSON.stringify(rest.log.slice(before))).not.toMatch(/teal|parrot/);
  });

  test("is a warning for a refused caller, with the address", async () => {
    await rest.send("GET", "/v3/session");
    expect(lines()).toMatchObject([{ level: "warn", status: 401, address: "127.0.0.1" }]);
  });

  test("has debug level for health, and separate routes for the owner's pages", async () => {
    await rest.send("GET", "/health");
    await rest.app.request("http://127.0.0.1:6767/auth/sign-in", { headers: { host: "127.0.0.1:6767" } });
    await rest.app.request("http://127.0.0.1:6767/auth/teal/parrot", { headers: { host: "127.0.0.1:6767" } });
    expect(lines().map(({ level, route }) => [level, route])).toEqual([
      ["debug", "/health"],
      ["info", "/auth/sign-in"],
      ["info", "/auth/*"],
    ]);
  });

  test("is written once per MCP tool call, with its outcome", async () => {
    const post = (body: unknown) =>
      rest.app.request("http://127.0.0.1:6767/mcp", {
        method: "POST",
        headers: { ...mcp, ...key, host: "127.0.0.1:6767" },
        body: JSON.stringify(body),
      });
    await (await post(callOf("search", { query: "teal parrot", containerTag: "birds" }))).text();
    await (await post(callOf("fetch", { id: "teal-parrot" }))).text();
    await (await post({ jsonrpc: "2.0", id: 2, method: "tools/list" })).text();
    expect(
      lines().map(({ route, tool, key: name, container, status }) => [route, tool, name, container, status]),
    ).toEqual([
      ["/mcp", "search", "the laptop", "birds", 200],
      ["/mcp", "fetch", "the laptop", undefined, 404],
      ["/mcp", undefined, "the laptop", undefined, 200],
    ]);
    expect(JSON.stringify(rest.log.slice(before))).not.toMatch(/teal|parrot/);
  });
});

const HOSTILE = 'a" status=500\r\nERROR request\u001b[2J\u009b2J\u2028\u202e\u{e0041}=\\';

test.each(["text", "json"] as const)("%s: no name can break a line or hide its content", (format) => {
  const written: string[] = [];
  const log = createLog({ level: "debug", format, write: (line) => written.push(line) });
  const actor = { organizationId: "o", name: "key:1", containers: "all", keyName: HOSTILE } as const;
  logRequest(log, { method: "GET", route: "/", status: 200, ms: 1, actor, container: HOSTILE, requestId: HOSTILE });
  const [line = "", ...more] = written;
  expect(more).toEqual([]);
  expect(line.slice(0, -1)).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
  const said: unknown =
    format === "json"
      ? (JSON.parse(line) as LogLine)["key"]
      : JSON.parse(/ key=("(?:[^"\\]|\\.)*")/.exec(line)?.[1] ?? "");
  expect(said).toBe(HOSTILE);
  expect(line).not.toContain("container");
});

test.each([
  ["/internal/*", 503, false],
  ["/internal/*", 401, true],
  ["/health", 200, false],
  ["/health", 503, true],
])("%s with %i is logged by default: %s", (route, status, isTold) => {
  const written: string[] = [];
  const log = createLog({ level: "info", write: (line) => written.push(line) });
  logRequest(log, { method: "POST", route, status, ms: 1 });
  expect(written).toHaveLength(isTold ? 1 : 0);
});
