import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createHttpFace } from "../../src/transports/http.js";
import { captureLog } from "../support/captured-log.js";
import { sendRaw } from "../support/raw-http.js";
import { LOOPBACK, openRest, type OpenedRest, requestInit } from "../support/rest.js";
import { uploadsOf } from "../support/uploads-of.js";

const OWNER_TOKEN = "owner-token-of-this-test";

let rest: OpenedRest;
let url: string;
let port: number;
let key: Record<string, string>;
beforeAll(async () => {
  rest = await openRest({ ownerToken: OWNER_TOKEN, settings: { RECOLLECT_RATE_LIMIT: "0" } });
  ({ url, port } = await rest.listen());
  key = await rest.ownerKey();
});
afterAll(() => rest.close());

const INITIALIZE = JSON.stringify({
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "t", version: "1" } },
});
const json = { "content-type": "application/json" };
const mcp = { ...json, accept: "application/json, text/event-stream" };
const WRONG_KEY = { authorization: "Bearer sm_wrong" };

type Asked = readonly [method: string, path: string, status: number, init?: RequestInit];
const ANSWERS: readonly Asked[] = [
  ["GET", "/v3/session", 200],
  ["HEAD", "/v3/session", 200],
  ["POST", "/v4/search", 400, { headers: json, body: "{}" }],
  ["POST", "/v4/search", 400, { headers: json, body: "{" }],
  ["GET", "/v3/session", 401, { headers: WRONG_KEY }],
  ["GET", "/v3/documents/none", 404],
  ["GET", "/nothing/here", 404],
  ["DELETE", "/v3/session", 405],
  ["PROPFIND", "/v3/session", 405],
  ["POST", "/v4/search", 415, { headers: { "content-type": "text/csv" }, body: "a" }],
  ["OPTIONS", "/v4/search", 204],
  ["POST", "/v3/connections/notion", 400],
  ["GET", "/health", 200],
  ["GET", "/health/live", 200],
  ["GET", "/v3/openapi", 200],
  ["GET", "/openapi.json", 200],
  ["GET", "/reference", 200],
  ["GET", "/auth/sign-in", 200],
  ["GET", "/auth/none", 404],
  ["POST", "/auth/sign-in", 415, { headers: json, body: "{}" }],
  ["POST", "/mcp", 200, { headers: mcp, body: INITIALIZE }],
  ["POST", "/mcp", 400, { headers: mcp, body: "[]" }],
  ["POST", "/mcp", 401, { headers: { ...mcp, ...WRONG_KEY }, body: INITIALIZE }],
  ["OPTIONS", "/mcp", 204],
  ["GET", "/mcp/server-card", 200],
  ["GET", "/.well-known/oauth-protected-resource", 200],
  ["GET", "/.well-known/oauth-authorization-server", 200],
  ["POST", "/oauth/token", 400, { headers: { "content-type": "application/x-www-form-urlencoded" }, body: "a=b" }],
  ["GET", "/oauth/authorize", 400],
  ["PATCH", "/oauth/token", 405],
  ["GET", "/internal/ping", 200, { headers: { "x-recollect-owner": OWNER_TOKEN } }],
  ["GET", "/internal/ping", 401],
];

const ANSWER_TABLE = ANSWERS.map(([method, path, status, init]) => [method, path, status, init ?? {}] as const);

describe("the request id", () => {
  test.each(ANSWER_TABLE)(
    "%s %s, answered with %i, returns a new id or the one that was sent",
    async (method, path, status, init) => {
      const ask = (headers: Record<string, string>) =>
        fetch(`${url}${path}`, { ...init, method, headers: { ...key, ...(init.headers as object), ...headers } });
      const answers = [await ask({}), await ask({}), await ask({ "x-request-id": "trace/4:1.b-2_c" })];
      expect(answers.map((answer) => answer.status)).toEqual([status, status, status]);
      const [one, other, sent] = answers.map((answer) => answer.headers.get("x-request-id"));
      expect([one, other]).toEqual([expect.stringMatching(/^\w{22}$/), expect.stringMatching(/^\w{22}$/)]);
      expect(one).not.toBe(other);
      expect(sent).toBe("trace/4:1.b-2_c");
    },
  );

  test.each(["", " ", "a b", 'a"b', "a,b", "<b>", "\u00e9", "x".repeat(129)])(
    "is replaced when %j is sent",
    async (sent) => {
      const { headers } = await rest.send("GET", "/health", undefined, { "x-request-id": sent });
      expect(headers.get("x-request-id")).toMatch(/^\w{22}$/);
    },
  );

  test("is sent with answers to malformed HTTP and to requests that name no server", async () => {
    const head = /\r\nx-request-id: \w{22}\r\n/;
    expect(await sendRaw(port, "nonsense\r\n\r\n")).toMatch(head);
    expect(await sendRaw(port, `GET / HTTP/1.1\r\nx: ${"y".repeat(20_000)}\r\n\r\n`)).toMatch(head);
    expect(await sendRaw(port, "GET / HTTP/1.1\r\nhost: a b\r\nconnection: close\r\n\r\n")).toMatch(head);
    expect(await sendRaw(port, "GET / HTTP/1.1\r\nconnection: close\r\n\r\n")).toMatch(head);
    const odd = "GET /health HTTP/1.1\r\nhost: localhost\r\nexpect: wonders\r\nconnection: close\r\n\r\n";
    expect(await sendRaw(port, odd)).toMatch(head);
  });

  test("is sent when a health check fails", async () => {
    const away = await openRest({ isReady: () => false });
    const { status, headers } = await away.send("GET", "/health/ready");
    expect([status, headers.get("x-request-id")]).toEqual([503, expect.stringMatching(/^\w{22}$/)]);
    await away.close();
  });

  test("is readable by web pages", async () => {
    const answer = await fetch(`${url}/v3/session`, { headers: { ...key, origin: "https://page.example" } });
    expect(answer.headers.get("access-control-expose-headers")?.split(",")).toContain("x-request-id");
  });
});

describe("the log entry of an error carries the request id", () => {
  const broken = () => Promise.reject(new Error("broken"));
  const ask = async (path: string, init: RequestInit) => {
    const log = captureLog();
    const core = {
      ...rest.core,
      session: broken,
      addMemories: broken,
      profile: broken,
      oauthSecrets: broken,
      hasPassword: broken,
    };
    const app = createHttpFace({
      core: Object.assign(Object.create(rest.core), core),
      log,
      organizationId: rest.actor.organizationId,
      limits: { maxTextBytes: 9_999, maxMetadataBytes: 9_999, maxBatchBytes: 9_999, maxFileBytes: 9_999 },
      uploads: uploadsOf(rest),
      version: "0",
      isReady: () => true,
      defaultContainer: "a",
    });
    const answer = await app.request(path, init, LOOPBACK);
    return { log, answer, text: await answer.text() };
  };
  const call = JSON.stringify({
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: { name: "profile", arguments: {} },
  });

  test.each([
    ["of the REST API", "/v3/session", requestInit("GET", undefined), 500],
    ["of an MCP tool", "/mcp", requestInit("POST", call, mcp), 200],
    ["of an owner's page", "/auth/sign-in", requestInit("GET", undefined), 500],
    [
      "of an OAuth endpoint",
      "/oauth/token",
      requestInit("POST", "a=b", { "content-type": "application/x-www-form-urlencoded" }),
      500,
    ],
  ])("%s", async (_name, path, init, status) => {
    const { log, answer } = await ask(path, init);
    const requestId = answer.headers.get("x-request-id");
    expect(requestId).toMatch(/^\w{22}$/);
    expect(answer.status).toBe(status);
    const errors = log.lines.filter(({ level }) => level === "error");
    expect(errors).toEqual([expect.objectContaining({ event: "unexpected error", requestId })]);
  });
});
