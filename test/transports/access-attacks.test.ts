import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { HttpBindings, RunningServer } from "../../src/transports/http.js";
import { LOOPBACK, type OpenedRest, openRest, requestInit } from "../support/rest.js";
import { sendRaw } from "../support/raw-http.js";

const OWNER_TOKEN = "the-owner-token";
const SECRET_TEXT = "zanzibarcanary";
const REMOTE: HttpBindings = { incoming: { socket: { remoteAddress: "192.168.1.20" } }, isLoopbackOnly: true };

let rest: OpenedRest;
let server: RunningServer;
let full: string;
/** Grants access to the container `mia` only. */
let scoped: string;
/** A document of another container. */
let foreign: string;

beforeAll(async () => {
  rest = await openRest({ ownerToken: OWNER_TOKEN });
  server = await rest.listen();
  const call = { actor: rest.actor };
  full = (await rest.core.createKey(call, {})).secret;
  scoped = (await rest.core.createKey(call, { kind: "scoped", grants: [{ containerTag: "mia" }] })).secret;
  foreign = (await rest.core.addDocument(call, { content: `The ${SECRET_TEXT} sings.`, containerTags: ["tom"] })).id;
  await rest.settle();
});
afterAll(() => rest.close());

const as = (key: string) => ({ authorization: `Bearer ${key}` });

/** Sends the request line and headers exactly as given. @returns status 0 if the connection ends without a response */
async function raw(
  line: string,
  headers: readonly string[] = [],
  body = "",
): Promise<{ status: number; text: string }> {
  const length = body === "" ? [] : [`Content-Length: ${Buffer.byteLength(body)}`, "Content-Type: application/json"];
  const head = [`${line} HTTP/1.1`, ...headers, ...length, "Connection: close", "", body].join("\r\n");
  const answer = await sendRaw(server.port, head);
  return { status: Number(answer.split(" ")[1] ?? 0), text: answer };
}

const host = () => `Host: 127.0.0.1:${server.port}`;
const bearer = (key: string) => `Authorization: Bearer ${key}`;

async function documents(): Promise<number> {
  return (await rest.core.listDocuments({ actor: rest.actor }, {})).total;
}

describe("a host name that resolves to this machine (DNS rebinding)", () => {
  test.each([
    "evil.example",
    "127.0.0.1.evil.example",
    "localhost.evil.example",
    "localhost.",
    "evil.example:127",
    "0.0.0.0",
    "[::ffff:127.0.0.1]",
    "2130706433",
    "127.0.0.1:6767@evil.example",
    "127.999.1.1",
    "127.0.0.1:99999",
    "",
  ])("%j without a key reads nothing from the API, MCP or the pages", async (name) => {
    const { status, text } = await raw("GET /v3/documents/processing", [`Host: ${name}`]);
    expect([401, 400]).toContain(status);
    expect(text).not.toContain(SECRET_TEXT);
    if (["0.0.0.0", "[::ffff:127.0.0.1]"].includes(name)) return;
    for (const path of ["/mcp", "/auth/sign-in", "/auth"])
      expect([path, await raw(`POST ${path}`, [`Host: ${name}`], "{}")]).toEqual([
        path,
        { status: expect.toSatisfy((code: number) => [400, 403].includes(code)), text: expect.any(String) },
      ]);
  });

  test.each(["127.999.1.1", "127.0.0.1:99999", "[::", "a b"])(
    "%j causes no server error, even with a key",
    async (name) => {
      const { status } = await raw("GET /v3/session", [`Host: ${name}`, bearer(full)]);
      expect([200, 400]).toContain(status);
    },
  );

  test("judges the host by the Host header, not by the request line", async () => {
    const line = `GET http://127.0.0.1:${server.port}/v3/session`;
    expect((await raw(line, ["Host: evil.example"])).status).toBe(401);
    expect((await raw("GET http://evil.example/v3/session", [host()])).status).not.toBe(500);
    expect([400, 401]).toContain((await raw("GET /v3/session", ["Host: evil.example", host()])).status);
    expect([400, 401]).toContain((await raw("GET /v3/session")).status);
  });
});

describe("pages of other origins", () => {
  const origin = "https://evil.example";

  test("are accepted only with a key, and can read the reason for a refusal", async () => {
    const without = await fetch(`${server.url}/v3/session`, { headers: { origin } });
    expect([without.status, without.headers.get("access-control-allow-origin")]).toEqual([401, "*"]);
    const { headers, status } = await fetch(`${server.url}/v3/session`, { headers: { origin, ...as(full) } });
    expect([status, headers.get("access-control-allow-origin")]).toEqual([200, "*"]);
  });

  test.each(["cross-site", "same-site"])("a request that the browser marks as %s also needs a key", async (site) => {
    const init = requestInit("GET", undefined, { "sec-fetch-site": site });
    expect((await rest.app.request("/v3/session", init, LOOPBACK)).status).toBe(401);
  });

  test("neither send nor receive cookies: none is set, and none grants access to the API", async () => {
    const { code } = await rest.core.createSignInCode({ actor: rest.actor });
    const { token } = await rest.core.signIn({ actor: rest.actor }, { code });
    const cookie = ["recollect_session", "__Host-recollect_session", "session"].map((name) => `${name}=${token}`);
    for (const path of ["/v3/session", "/v3/documents", "/v3/auth/keys", `/v3/documents/${foreign}`]) {
      const init = requestInit("GET", undefined, { origin, cookie: cookie.join("; ") });
      for (const bindings of [LOOPBACK, REMOTE]) {
        const answer = await rest.app.request(path, init, bindings);
        expect([path, answer.status]).toEqual([path, 401]);
        expect(answer.headers.get("access-control-allow-credentials")).toBeNull();
        expect(answer.headers.get("set-cookie")).toBeNull();
      }
    }
  });

  test("may send preflight requests, which change and reveal nothing", async () => {
    const before = await documents();
    for (const path of ["/v3/documents", `/v3/documents/${foreign}`, "/v3/settings/reset"]) {
      const headers = {
        origin,
        "access-control-request-method": "DELETE",
        "access-control-request-headers": "x-api-key",
      };
      const answer = await rest.app.request(path, requestInit("OPTIONS", undefined, headers), REMOTE);
      expect([answer.status, await answer.text()]).toEqual([204, ""]);
      expect(answer.headers.get("access-control-allow-headers")).toContain("x-api-key");
      expect(answer.headers.get("access-control-allow-credentials")).toBeNull();
    }
    expect(await documents()).toBe(before);
  });

  test("cannot write with a form post, which needs no preflight", async () => {
    const before = await documents();
    for (const type of ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"]) {
      const headers = { origin, "content-type": type };
      const init = requestInit("POST", '{"content":"Mine now."}', headers);
      expect((await rest.app.request("/v3/documents", init, LOOPBACK)).status).toBe(401);
    }
    expect(await documents()).toBe(before);
  });
});

describe("a key in the wrong place", () => {
  test("in the URL or the body grants no access, and appears in no response, log or request record", async () => {
    for (const name of ["key", "apikey", "api_key", "api-key", "access_token", "token", "authorization", "x-api-key"]) {
      const value = name === "authorization" ? `Bearer ${full}` : full;
      const path = `/v3/session?${name}=${encodeURIComponent(value)}`;
      const answer = await rest.app.request(path, requestInit("GET", undefined), REMOTE);
      expect([name, answer.status]).toEqual([name, 401]);
      expect(await answer.text()).not.toContain(full);
    }
    const body = { key: full, apiKey: full, authorization: `Bearer ${full}`, q: "x" };
    expect((await rest.app.request("/v4/search", requestInit("POST", body), REMOTE)).status).toBe(401);
    await rest.app.request(`/v3/documents/${full}`, requestInit("GET", undefined, as(full)), REMOTE);
    await rest.app.request(`/${full}`, requestInit("GET", undefined, as(full)), REMOTE);
    await rest.recorded();
    const { items } = await rest.core.listRequests({ actor: rest.actor }, {});
    expect(items.length).toBeGreaterThan(0);
    for (const text of [JSON.stringify(items), JSON.stringify(rest.log)]) expect(text).not.toContain(full.slice(-20));
  });
});

describe("malformed or unusual headers", () => {
  test.each<[what: string, lines: (key: string) => string[], statuses: number[]]>([
    ["a scheme in small letters", (key) => [`authorization: bearer ${key}`], [200]],
    ["a tab", (key) => [`Authorization: Bearer\t${key}`], [200]],
    ["spaces around", (key) => [`Authorization:   Bearer   ${key}   `], [200]],
    ["two keys, the right one first", (key) => [bearer(key), bearer("sm_wrong_key")], [200, 400, 401]],
    ["two keys, the right one last", (key) => [bearer("sm_wrong_key"), bearer(key)], [400, 401]],
    ["two keys in one header", (key) => [`Authorization: Bearer sm_wrong, Bearer ${key}`], [401]],
    ["the key twice", (key) => [`Authorization: Bearer ${key} ${key}`], [401]],
    ["a valid x-api-key beside a wrong Authorization", (key) => [bearer("sm_wrong"), `X-Api-Key: ${key}`], [401]],
    ["an x-api-key beside an empty Authorization", (key) => ["Authorization:", `X-Api-Key: ${key}`], [401]],
    ["no scheme", (key) => [`Authorization: ${key}`], [200, 401]],
    ["another scheme", (key) => [`Authorization: Basic ${key}`], [401]],
    ["quotes", (key) => [`Authorization: Bearer "${key}"`], [401]],
    ["only a scheme", () => ["Authorization: Bearer"], [401]],
    ["letters of another script", (key) => [`Authorization: Bearer ${key.replace("a", "а")}é`], [400, 401]],
    ["a folded line break", (key) => [`Authorization: Bearer\r\n ${key}`], [200, 400, 401]],
    ["a zero byte", (key) => [`Authorization: Bearer ${key}\u0000`], [400]],
    ["12 kB", () => [bearer("x".repeat(12_000))], [401]],
    ["100 kB", () => [bearer("x".repeat(100_000))], [431]],
  ])("%s", async (_what, lines, statuses) => {
    // The forwarded header makes the request count as one from another machine.
    const { status, text } = await raw("GET /v3/session", [host(), "X-Forwarded-For: 203.0.113.9", ...lines(full)]);
    expect(statuses).toContain(status);
    expect(text).not.toContain(full);
    expect((await fetch(`${server.url}/health`)).status).toBe(200);
  });

  test.each([
    "X-Forwarded-For: 127.0.0.1",
    "X-Forwarded-Host: localhost",
    "X-Forwarded-Proto: https",
    "X-Forwarded-Port: 443",
    "X-Forwarded-Server: edge",
    "X-Real-IP: 127.0.0.1",
    "X-Client-IP: 127.0.0.1",
    "True-Client-IP: 127.0.0.1",
    "X-Cluster-Client-IP: 127.0.0.1",
    "CF-Connecting-IP: 127.0.0.1",
    "Forwarded: for=127.0.0.1;host=localhost",
    "Via: 1.1 edge",
  ])("%s never makes a request count as local", async (line) => {
    expect((await raw("GET /v3/session", [host(), line])).status).toBe(401);
    const [name = "", value = ""] = line.split(": ");
    const init = requestInit("GET", undefined, { [name]: value });
    expect((await rest.app.request("/v3/session", init, REMOTE)).status).toBe(401);
  });

  test("that override the method or the path are ignored", async () => {
    const before = await documents();
    const overrides = ["X-HTTP-Method-Override", "X-HTTP-Method", "X-Method-Override", "_method"];
    for (const name of overrides) {
      const { status } = await raw(`GET /v3/documents/${foreign}`, [host(), bearer(full), `${name}: DELETE`]);
      expect([name, status]).toEqual([name, 200]);
    }
    expect((await raw(`GET /v3/documents/${foreign}?_method=DELETE`, [host(), bearer(full)])).status).toBe(200);
    for (const name of ["X-Original-URL", "X-Rewrite-URL", "X-Forwarded-Prefix", "X-Forwarded-Uri"]) {
      const { text } = await raw("GET /health", [host(), `${name}: /v3/documents/${foreign}`]);
      expect(text).not.toContain(SECRET_TEXT);
    }
    expect(await documents()).toBe(before);
  });
});

describe("another spelling of a path", () => {
  test.each([
    "/v3//settings",
    "//v3/settings",
    "/v3/settings/",
    "/V3/SETTINGS",
    "/v3/./settings",
    "/v3/documents/../settings",
    "/v3/documents/%2e%2e/settings",
    "/v3/documents/%2E%2E%2Fsettings",
    "/v3/documents/..%2fsettings",
    "/v3/documents/..%5csettings",
    "/v3/documents/..;/settings",
    "/v3/settings;v=1",
    "/v3/settings%20",
    "/v3/settings%00",
    "/v3/settings%2f",
    "/v3/%73ettings",
    "/v3\\settings",
    "/v3/settings#/v3/documents",
    "/v3/settings?/v3/documents",
    "/v3/documents/%2e%2e/%2e%2e/internal/ping",
    "/%69nternal/ping",
    "//internal/ping",
    "/internal//ping",
  ])("%s grants no access", async (path) => {
    const scopedKey = await raw(`GET ${path}`, [host(), bearer(scoped)]);
    expect([400, 401, 403, 404, 405]).toContain(scopedKey.status);
    const nobody = await raw(`GET ${path}`, [host(), "X-Forwarded-For: 203.0.113.9"]);
    expect([400, 401, 404, 405]).toContain(nobody.status);
  });

  test("to a document of another container returns none of its text", async () => {
    for (const path of [
      `/v3/documents/${foreign}/`,
      `/v3/documents//${foreign}`,
      `/v3/documents/./${foreign}`,
      `/v3/memories/${foreign}`,
      `/v3/documents/mia%2f..%2f${foreign}`,
      `/v3/documents/${foreign}%00`,
      `/v3/documents/${foreign}/chunks`,
      `/v3/documents/${foreign}/file-url`,
      `/v3/documents?containerTags=mia&containerTags=tom`,
      `/v3/documents?containerTags=mia,tom`,
      `/v3/documents?containerTags[]=tom`,
    ]) {
      const { text, status } = await raw(`GET ${path}`, [host(), bearer(scoped)]);
      expect([path, text.includes(SECRET_TEXT)]).toEqual([path, false]);
      expect([path, status]).not.toEqual([path, 500]);
    }
  });

  test("HEAD is refused like GET", async () => {
    for (const path of ["/v3/session", "/v3/documents", `/v3/documents/${foreign}`, "/v3/settings"]) {
      const answer = await rest.app.request(path, requestInit("HEAD", undefined), REMOTE);
      expect([path, answer.status, await answer.text()]).toEqual([path, 401, ""]);
    }
    const init = requestInit("HEAD", undefined, as(scoped));
    expect((await rest.app.request(`/v3/documents/${foreign}`, init, REMOTE)).status).toBe(404);
    expect((await rest.app.request("/v3/settings", init, REMOTE)).status).toBe(403);
  });
});

describe("requests for another protocol, or that expect 100-continue", () => {
  const settings = "X-Forwarded-For: 203.0.113.9";
  test.each<[what: string, line: string, headers: string[], statuses: number[]]>([
    ["a web socket", "GET /v3/session", [settings, "Connection: Upgrade", "Upgrade: websocket"], [401]],
    ["HTTP/2 in clear text", "GET /v3/session", [settings, "Upgrade: h2c", "HTTP2-Settings: AAMAAABkAAQAAP__"], [401]],
    ["a tunnel", "CONNECT evil.example:80", [], [0, 400, 401, 404, 405]],
    ["a proxy request", "GET http://evil.example/", [settings], [200, 400, 401, 404]],
    ["OPTIONS for the whole server", "OPTIONS *", [], [204, 400, 404]],
  ])("%s", async (_what, line, headers, statuses) => {
    const { status, text } = await raw(line, [host(), ...headers]);
    expect(statuses).toContain(status);
    expect(text).not.toContain(SECRET_TEXT);
    expect((await fetch(`${server.url}/health`)).status).toBe(200);
  });

  test("are refused without a key before their body is read", async () => {
    const lines = [host(), settings, "Expect: 100-continue", "Content-Length: 1000000000", "Connection: close"];
    const socket = connect(server.port, "127.0.0.1");
    const answer = await new Promise<string>((resolve, reject) => {
      socket.setEncoding("latin1");
      let received = "";
      socket.on("data", (text: string) => {
        received += text;
        if (received.includes(" 401 ")) resolve(received);
      });
      socket.on("error", reject);
      socket.on("close", () => resolve(received));
      socket.write(`POST /v3/documents HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n`);
    });
    socket.destroy();
    expect(answer).toContain(" 401 ");
  });
});

describe("names that every JavaScript object inherits", () => {
  test.each([
    '{"content":"Mine.","__proto__":{"containerTag":"tom","containerTags":["tom"]}}',
    '{"content":"Mine.","constructor":{"prototype":{"containerTag":"tom"}}}',
    '{"content":"Mine.","metadata":{"__proto__":"x","constructor":"y","toString":"z"}}',
    '{"content":"Mine.","containerTag":"mia","actor":{"containers":"all"},"organizationId":"other"}',
  ])("%s neither reaches another container nor pollutes other requests", async (body) => {
    const answer = await raw("POST /v3/documents", [host(), bearer(scoped)], body);
    if (answer.status === 200) {
      const id = /"id":"(\w+)"/.exec(answer.text)?.[1] ?? "";
      const { document } = await rest.core.getDocument({ actor: rest.actor }, { id });
      expect(document.containerTags).toEqual(["mia"]);
    } else expect(answer.status).toBe(400);
    expect(Object.keys(Object.prototype)).toEqual([]);
    expect(({} as Record<string, unknown>)["containerTag"]).toBeUndefined();
    expect((await raw("GET /v3/settings", [host(), bearer(scoped)])).status).toBe(403);
  });
});

describe("ten thousand wrong keys", () => {
  const TRIES = 10_000;
  const CONNECTIONS = 20;
  const AT_ONCE = 10;

  test(
    "grant nothing, do not appear in the log, and do not block requests with the right key",
    { timeout: 60_000 },
    async () => {
      const wrong = (index: number) => `${full.slice(0, -6)}${String(index).padStart(6, "0")}`;
      const linesBefore = rest.log.length;
      let longestPause = 0;
      let last = performance.now();
      const pulse = setInterval(() => {
        longestPause = Math.max(longestPause, performance.now() - last);
        last = performance.now();
      }, 5);
      const began = performance.now();
      let isOver = false;
      let served = 0;
      const right = (async () => {
        while (!isOver) {
          expect((await fetch(`${server.url}/v3/session`, { headers: as(full) })).status).toBe(200);
          served += 1;
        }
      })();
      const floods = Array.from({ length: CONNECTIONS }, (_, connection) =>
        flood(Array.from({ length: TRIES / CONNECTIONS }, (_line, index) => wrong(connection * 10_000 + index))),
      );
      const refused = (await Promise.all(floods)).reduce((sum, count) => sum + count, 0);
      isOver = true;
      await right;
      clearInterval(pulse);
      const seconds = (performance.now() - began) / 1_000;
      console.info(
        `${TRIES} wrong keys in ${seconds.toFixed(1)} s, ${served} right ones meanwhile, longest pause ${longestPause.toFixed(0)} ms`,
      );
      expect(refused).toBe(TRIES);
      expect(served).toBeGreaterThan(10);
      const lines = rest.log.slice(linesBefore);
      expect(JSON.stringify(lines)).not.toContain(full.slice(-30, -6));
      // Each refused request writes one line, as every request does, and nothing else.
      expect(lines.length).toBeLessThan(1.1 * TRIES + served);
      expect((await fetch(`${server.url}/v3/session`, { headers: as(full) })).status).toBe(200);
    },
  );

  /** Sends a request with each key over one connection, several at a time. @returns how many were refused */
  function flood(keys: readonly string[]): Promise<number> {
    return new Promise((resolve, reject) => {
      const socket = connect(server.port, "127.0.0.1");
      let answers = "";
      let sent = 0;
      const go = (): void => {
        const wave = keys.slice(sent, sent + AT_ONCE);
        sent += wave.length;
        socket.write(wave.map((key) => `GET /v3/session HTTP/1.1\r\n${host()}\r\n${bearer(key)}\r\n\r\n`).join(""));
      };
      socket.setEncoding("latin1");
      socket.on("error", reject);
      socket.on("data", (text: string) => {
        answers += text;
        if (answers.split("HTTP/1.1 ").length - 1 < sent || !answers.endsWith("}")) return;
        if (sent < keys.length) return go();
        socket.destroy();
        resolve(answers.split("HTTP/1.1 401 ").length - 1);
      });
      go();
    });
  }

  test("connections that never finish their request do not block others", async () => {
    const slow = Array.from({ length: 200 }, () => connect(server.port, "127.0.0.1"));
    for (const socket of slow) {
      socket.on("error", () => undefined);
      socket.write(`POST /v3/documents HTTP/1.1\r\n${host()}\r\nContent-Length: 1000\r\n`);
    }
    expect((await fetch(`${server.url}/v3/session`, { headers: as(full) })).status).toBe(200);
    for (const socket of slow) socket.destroy();
  });
});
