import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { HttpBindings } from "../../src/transports/http.js";
import { isLoopbackAddress, isLoopbackHost } from "../../src/transports/auth.js";
import { LOOPBACK, openRest, readAnswer, requestInit, type OpenedRest, type RestAnswer } from "../support/rest.js";

let rest: OpenedRest;
let key: string;
let revoked: string;

beforeAll(async () => {
  rest = await openRest();
  const call = { actor: rest.actor };
  key = (await rest.core.createKey(call, { name: "good" })).secret;
  const other = await rest.core.createKey(call, { name: "revoked" });
  revoked = other.secret;
  await rest.core.revokeKey(call, { id: other.key.id });
});
afterAll(() => rest.close());

const REMOTE: HttpBindings = { incoming: { socket: { remoteAddress: "192.168.1.20" } }, isLoopbackOnly: false };

async function session(headers: Record<string, string>, bindings: HttpBindings): Promise<RestAnswer> {
  return readAnswer(await rest.app.request("/v3/session", requestInit("GET", undefined, headers), bindings));
}

describe("with a key", () => {
  test.each([
    ["Authorization: Bearer", () => ({ authorization: `Bearer ${key}` })],
    ["authorization: bearer, in small letters", () => ({ authorization: `bearer  ${key}` })],
    ["x-api-key", () => ({ "x-api-key": key })],
  ])("%s grants access from anywhere, including from a web page", async (_name, headers) => {
    for (const extra of [{}, { origin: "https://app.example" }, { host: "memory.example.org" }]) {
      const { status, body } = await session({ ...headers(), ...extra }, REMOTE);
      expect(status).toBe(200);
      expect(body.org.id).toBe(rest.actor.organizationId);
      expect(body.user.id).toBe("owner");
    }
  });

  test.each([
    ["an unknown key", () => `sm_${rest.actor.organizationId}_${"x".repeat(43)}`],
    ["a revoked key", () => revoked],
    ["a key with one character missing", () => key.slice(0, -1)],
    ["a text that is not a key", () => "password"],
    ["an empty text", () => ""],
  ])("%s is refused with the same message, also on this machine", async (_name, credential) => {
    for (const bindings of [LOOPBACK, REMOTE]) {
      const { status, body } = await session({ authorization: `Bearer ${credential()}` }, bindings);
      expect(status).toBe(401);
      expect(body.error).toBe("Unauthorized");
      expect(body.details).toContain("Invalid or missing API key");
      expect(JSON.stringify(body)).not.toContain(key);
    }
    expect((await session({ "x-api-key": credential() }, LOOPBACK)).status).toBe(401);
  });

  test("rejects schemes other than Bearer", async () => {
    expect((await session({ authorization: `Basic ${btoa(`x:${key}`)}` }, LOOPBACK)).status).toBe(401);
  });

  test("a valid x-api-key does not make up for a wrong Authorization", async () => {
    expect((await session({ authorization: "Bearer nonsense", "x-api-key": key }, LOOPBACK)).status).toBe(401);
  });
});

describe("without a key", () => {
  test.each([
    ["nothing", {}],
    ["the literal key `local`", { authorization: "Bearer local" }],
    ["the literal x-api-key `local`", { "x-api-key": "local" }],
    ["Host localhost", { host: "localhost:6767" }],
    ["Host [::1]", { host: "[::1]:6767" }],
    ["a browser's own address bar", { "sec-fetch-site": "none" }],
  ])("a program on this machine is accepted with %s", async (_name, headers) => {
    const { status, body } = await session(headers, LOOPBACK);
    expect(status).toBe(200);
    expect(body.user.id).toBe("owner");
  });

  test.each<[string, Record<string, string>, HttpBindings, RegExp]>([
    ["another machine", {}, REMOTE, /accepts connections from other machines/],
    ["another machine, on a loopback server", {}, { ...REMOTE, isLoopbackOnly: true }, /not come from this machine/],
    [
      "this machine, on a server for all addresses",
      {},
      { ...LOOPBACK, isLoopbackOnly: false },
      /accepts connections from other machines/,
    ],
    ["an unknown place", {}, { isLoopbackOnly: true }, /not come from this machine/],
    ["a web page", { origin: "https://evil.example" }, LOOPBACK, /web page/],
    ["a web page of this machine", { origin: "http://localhost:3000" }, LOOPBACK, /web page/],
    ["a page from a file", { origin: "null" }, LOOPBACK, /web page/],
    ["an image in a web page", { "sec-fetch-site": "cross-site" }, LOOPBACK, /web page/],
    ["a host name that resolves to this machine", { host: "evil.example:6767" }, LOOPBACK, /Host header/],
    ["a name that looks like this machine", { host: "127.0.0.1.evil.example" }, LOOPBACK, /Host header/],
    ["another name that looks like this machine", { host: "localhost.evil.example" }, LOOPBACK, /Host header/],
    ["a proxy on this machine", { "x-forwarded-for": "203.0.113.9" }, LOOPBACK, /proxy/],
    [
      "the literal key from elsewhere",
      { authorization: "Bearer local" },
      REMOTE,
      /accepts connections from other machines/,
    ],
    ["the literal key in a web page", { "x-api-key": "local", origin: "https://evil.example" }, LOOPBACK, /web page/],
  ])("%s is refused with the reason", async (_name, headers, bindings, words) => {
    const { status, body } = await session(headers, bindings);
    expect(status).toBe(401);
    expect(body.error).toBe("Unauthorized");
    expect(body.details).toMatch(words);
    expect(body.details).toContain("recollect keys create");
  });

  test.each([
    "Forwarded",
    "Via",
    "X-Forwarded",
    "X-Forwarded-Host",
    "X-Original-Forwarded-For",
    "X-Real-IP",
    "X-Cluster-Client-IP",
    "True-Client-IP",
    "CDN-Loop",
    "CF-Ray",
    "CF-Connecting-IP",
    "Fastly-Client-IP",
    "Fly-Client-IP",
    "X-Vercel-Forwarded-For",
    "X-Envoy-External-Address",
    "X-Amzn-Trace-Id",
    "X-Amz-Cf-Id",
    "X-Azure-ClientIP",
    "X-Appengine-Remote-Addr",
    "X-Remote-Addr",
  ])("refuses a request with %s, a header that proxies and hosts send", async (name) => {
    const { status, body } = await session({ [name.toLowerCase()]: "1" }, LOOPBACK);
    expect([status, body.details]).toEqual([401, expect.stringContaining("it comes through a proxy")]);
  });

  test("headers that programs send are not taken as signs of a proxy", async () => {
    const headers = {
      accept: "*/*",
      "user-agent": "x",
      "x-sm-source": "codex",
      "x-stainless-lang": "js",
      traceparent: "1",
      "x-request-id": "1",
    };
    expect((await session(headers, LOOPBACK)).status).toBe(200);
  });

  test("endpoints refuse without reading the body", async () => {
    const attempts = [
      ["POST", "/v3/documents"],
      ["GET", "/v3/documents/x"],
      ["DELETE", "/v3/documents/x"],
      ["POST", "/v3/documents/list"],
      ["GET", "/v3/documents/processing"],
      ["POST", "/v4/search"],
      ["POST", "/v4/memories"],
      ["DELETE", "/v4/memories"],
      ["POST", "/v4/profile"],
      ["GET", "/v3/session"],
    ] as const;
    for (const [method, path] of attempts) {
      const body = method === "GET" ? undefined : "not even JSON";
      expect((await rest.app.request(path, requestInit(method, body), REMOTE)).status).toBe(401);
    }
  });
});

test.each([
  ["127.0.0.1", true],
  ["127.8.9.10", true],
  ["::1", true],
  ["::ffff:127.0.0.1", true],
  ["::ffff:10.0.0.1", false],
  ["10.0.0.1", false],
  ["0.0.0.0", false],
  ["", false],
  [undefined, false],
])("the address %s is loopback: %s", (address, expected) => {
  expect(isLoopbackAddress(address)).toBe(expected);
});

test.each([
  ["localhost", true],
  ["LOCALHOST:80", true],
  ["127.0.0.1:6767", true],
  ["[::1]", true],
  ["::1", false],
  ["localhost.", false],
  ["127.0.0.1@evil.example", false],
  ["evil.example:127", false],
  ["", false],
  [null, false],
])("the host %s is this machine: %s", (host, expected) => {
  expect(isLoopbackHost(host)).toBe(expected);
});
