import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openRest, type OpenedRest } from "../support/rest.js";
import type { RunningServer } from "../../src/transports/http.js";

const TOKEN = "the-owner-token";
const OWNER = { "x-recollect-owner": TOKEN };

let rest: OpenedRest;
let server: RunningServer;
beforeAll(async () => {
  rest = await openRest({ ownerToken: TOKEN });
  server = await rest.listen();
});
afterAll(() => rest.close());

async function send(path: string, init: RequestInit = {}): Promise<{ status: number; headers: Headers; body: any }> {
  const response = await fetch(`${server.url}/internal${path}`, init);
  return { status: response.status, headers: response.headers, body: await response.json() };
}

const callAs = (actor: unknown, useCase: string, input: unknown, operationId?: string) =>
  send(`/call/${useCase}`, {
    method: "POST",
    headers: OWNER,
    body: JSON.stringify({ call: { actor, operationId }, input }),
  });
const call = (useCase: string, input: unknown, operationId?: string) => callAs(rest.actor, useCase, input, operationId);

describe("calls", () => {
  test("reach the use cases and return their results", async () => {
    const added = await call("addDocument", { content: "Told by another process.", wait: 30 });
    expect(added).toMatchObject({ status: 200, body: { result: { status: "done" } } });
    const { body } = await call("getDocument", { id: added.body.result.id });
    expect(body.result.document.content).toBe("Told by another process.");
  });

  test("with the same operation id take effect once and return the same result", async () => {
    const first = await call("addDocument", { content: "Only once." }, "operation-1");
    const second = await call("addDocument", { content: "Only once." }, "operation-1");
    expect(second.body).toEqual(first.body);
  });

  test("carry errors with everything that the caller needs to raise them again", async () => {
    const { status, body } = await call("search", { q: "", limit: -1 });
    expect(status).toBe(400);
    expect(body.error).toEqual({
      kind: "invalid",
      message: expect.stringContaining("limit: must be at least 1"),
      issues: expect.arrayContaining([{ path: ["limit"], message: "must be at least 1" }]),
      retryAfter: null,
      paths: [],
    });
  });

  test.each<[what: string, key: Record<string, unknown>, useCase: string, input: unknown]>([
    ["may only read", { permission: "read" }, "addDocument", { content: "x" }],
    [
      "may read one container and write to another",
      { grants: [{ containerTag: "mine" }, { containerTag: "library", permission: "read" }] },
      "addDocument",
      { content: "x", containerTags: ["library"] },
    ],
    [
      "is scoped",
      { kind: "scoped", grants: [{ containerTag: "mine" }] },
      "updateContainer",
      { containerTag: "mine", name: "x" },
    ],
  ])("of a key that %s keep its limits", async (_what, key, useCase, input) => {
    const { secret } = await rest.core.createKey({ actor: rest.actor }, key);
    const { result: actor } = (await call("authenticate", secret)).body;
    expect(actor).toEqual(await rest.core.authenticate({ actor: rest.actor }, secret));
    const answer = await callAs(actor, useCase, input);
    expect([answer.status, answer.body.error.kind]).toEqual([403, "forbidden"]);
    expect((await callAs(actor, "session", {})).status).toBe(200);
  });

  test("of an actor with a limit unknown to this version are refused", async () => {
    const answer = await callAs({ ...rest.actor, maySeeFiles: false }, "session", {});
    expect([answer.status, answer.body.error.kind]).toEqual([400, "invalid"]);
  });

  test("may be large", async () => {
    const { status, body } = await call("search", { q: "x", filters: { AND: [] }, padding: "y".repeat(12_000_000) });
    expect(status).toBe(200);
    expect(body.result.results).toBeDefined();
  });

  test("may carry the largest file and the largest batch", { timeout: 30_000 }, async () => {
    const file = await call("addFile", { bytes: Buffer.alloc(52_428_800, 1).toString("base64"), name: "a.bin" });
    expect(file.body.error).toMatchObject({ kind: "unsupported_type", message: expect.stringContaining("a.bin") });
    const batch = await call("addDocuments", { documents: [{ content: "", padding: "y".repeat(16_777_216) }] });
    expect(batch).toMatchObject({ status: 200, body: { result: { items: [{ id: "unknown" }] } } });
  });

  test.each<[string, string, string, number, string]>([
    ["an unknown use case", "/call/dropEverything", "{}", 404, "not_found"],
    ["a property of every object", "/call/constructor", "{}", 404, "not_found"],
    ["no call", "/call/session", "{}", 400, "invalid"],
    ["a call without an actor", "/call/session", '{"call":{},"input":{}}', 400, "invalid"],
    ["invalid JSON", "/call/session", "{", 400, "invalid"],
    ["another path", "/anything", "{}", 404, "not_found"],
  ])("%s is refused", async (_what, path, body, status, kind) => {
    const answer = await send(path, { method: "POST", headers: OWNER, body });
    expect(answer.status).toBe(status);
    expect(answer.body.error.kind).toBe(kind);
  });
});

describe("access", () => {
  test("requires the token", async () => {
    expect((await send("/ping", { headers: OWNER })).body).toEqual({ version: "0.0.0-test", pid: process.pid });
    const { secret } = await rest.core.createKey({ actor: rest.actor }, { name: "a key" });
    const strangers: Record<string, string>[] = [
      {},
      { "x-recollect-owner": "" },
      { "x-recollect-owner": TOKEN.slice(0, -1) },
      { "x-recollect-owner": `${TOKEN}x` },
      { authorization: `Bearer ${secret}` },
      { authorization: `Bearer ${TOKEN}` },
    ];
    for (const headers of strangers)
      for (const path of ["/ping", "/watch", "/call/session"])
        expect(await send(path, { headers, method: path.startsWith("/call") ? "POST" : "GET" })).toMatchObject({
          status: 401,
          body: { error: { kind: "unauthorized" } },
        });
  });

  test("is refused to web pages, even with the token", async () => {
    const { status, headers } = await send("/ping", { headers: { ...OWNER, origin: "https://evil.example" } });
    expect(status).toBe(403);
    expect(headers.get("access-control-allow-origin")).toBeNull();
    const preflight = await fetch(`${server.url}/internal/ping`, {
      method: "OPTIONS",
      headers: { origin: "https://evil.example", "access-control-request-method": "GET" },
    });
    expect(preflight.headers.get("access-control-allow-origin")).toBeNull();
    expect(preflight.ok).toBe(false);
    await preflight.text();
  });

  test("does not exist without a token", async () => {
    const closed = await openRest();
    const response = await closed.app.request("/internal/ping", { headers: OWNER });
    expect(response.status).toBe(404);
    await closed.close();
  });
});

describe("watching", () => {
  test("starts immediately and ends when the owner closes", async () => {
    const own = await rest.listen();
    const response = await fetch(`${own.url}/internal/watch`, { headers: OWNER });
    const reader = response.body?.getReader();
    expect((await reader?.read())?.done).toBe(false);
    let hasEnded = false;
    const ended = reader?.read().then(({ done }) => (hasEnded = done));
    await fetch(`${own.url}/internal/ping`, { headers: OWNER }).then((ping) => ping.text());
    expect(hasEnded).toBe(false);
    await own.close();
    await ended;
    expect(hasEnded).toBe(true);
  });

  test("a watcher that disconnects leaves nothing behind", async () => {
    const own = await rest.listen();
    const leaving = new AbortController();
    const response = await fetch(`${own.url}/internal/watch`, { headers: OWNER, signal: leaving.signal });
    await response.body?.getReader().read();
    leaving.abort();
    expect((await fetch(`${own.url}/internal/ping`, { headers: OWNER })).status).toBe(200);
    await own.close();
    expect(rest.log.filter((line) => line.level === "error")).toEqual([]);
  });
});
