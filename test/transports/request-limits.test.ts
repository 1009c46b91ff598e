import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type OpenedRest, openRest } from "../support/rest.js";

const LONGEST_REFUSAL = 16 * 1024;

let rest: OpenedRest;
let url: string;
let reader: string;
let scoped: string;
beforeAll(async () => {
  rest = await openRest();
  ({ url } = await rest.listen());
  const by = { actor: rest.actor };
  ({ secret: reader } = await rest.core.createKey(by, { name: "reader", permission: "read" }));
  ({ secret: scoped } = await rest.core.createKey(by, { name: "scoped", containers: ["mia"] }));
});
afterAll(() => rest.close());

async function post(path: string, key: string, body: string, headers: Record<string, string> = {}) {
  const answer = await fetch(`${url}${path}`, {
    method: "POST",
    body,
    headers: { "content-type": "application/json", authorization: `Bearer ${key}`, ...headers },
  });
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
}

const numbers = (count: number): string => `[${"1,".repeat(count - 1)}1]`;
const names = (count: number): string =>
  Array.from({ length: count }, (_, index) => `"k${index.toString(36)}":1`).join();

describe("the size of a request is checked before it is parsed, and refused briefly", () => {
  const document = (metadata: string): string => `{"content":"Mia","containerTag":"mia","metadata":{${metadata}}}`;
  test.each([
    ["1.4 million keys of metadata", "/v3/documents/batch", () => `{"documents":[${document(names(1_400_000))}]}`],
    ["100,000 keys of metadata", "/v3/documents", () => document(names(100_000))],
  ])("%s", async (_what, path, body) => {
    const { status, text } = await post(path, scoped, body());
    expect(status).toBe(400);
    expect(JSON.parse(text).message).toMatch(/more than 100,000 values and field names\. Send it in parts/);
    expect(text.length).toBeLessThan(LONGEST_REFUSAL);
  });

  test.each([
    ["300,000 numbers in categoriesFilter", "/v3/search", "categoriesFilter", 300_000, /more than 100,000 values/],
    ["300,000 numbers in include", "/v4/search", "include", 300_000, /more than 100,000 values/],
    ["90,000 numbers in categoriesFilter", "/v3/search", "categoriesFilter", 90_000, /^categoriesFilter: has 90,000/],
    ["9,000 numbers in categoriesFilter", "/v3/search", "categoriesFilter", 9_000, /^categoriesFilter\.0: /],
    ["90,000 numbers in include", "/v4/search", "include", 90_000, /^include: /],
  ])("%s, with a read-only key", async (_what, path, field, count, message) => {
    const { status, text } = await post(path, reader, `{"q":"bees","${field}":${numbers(count)}}`);
    expect(status).toBe(400);
    const answer = JSON.parse(text);
    expect(answer.message).toMatch(message);
    expect(answer.issues.length).toBeLessThanOrEqual(21);
    expect(text.length).toBeLessThan(LONGEST_REFUSAL);
  });

  test("more unknown fields than are examined", async () => {
    const { status, text } = await post("/v4/search", reader, `{"q":"bees",${names(40_000)}}`);
    expect(status).toBe(400);
    expect(JSON.parse(text).message).toBe("more than 5,000 fields are not known; leave them out");
  });

  test("one misspelt scope field among thousands is still found", async () => {
    const { status, text } = await post("/v4/search", reader, `{"q":"bees",${names(4_000)},"container_tag":"mia"}`);
    expect(status).toBe(400);
    expect(JSON.parse(text).message).toBe("container_tag: is not known; write containerTag");
  });

  test("names that are long and odd are shortened in the answer", async () => {
    const odd = Array.from({ length: 60 }, (_, index) => `"${"\\u0001".repeat(9_000)}${index}":[]`).join();
    const { status, text } = await post("/v3/documents", scoped, document(odd));
    expect(status).toBe(400);
    expect(text.length).toBeLessThan(LONGEST_REFUSAL);
    expect(JSON.parse(text).message).not.toMatch(/\p{Cc}/u);
  });

  test("a batch of documents that are all wrong in every field", async () => {
    const wrong = JSON.stringify({
      containerTags: Array.from({ length: 50 }, () => 1),
      metadata: { a: {} },
      facts: [1],
    });
    const { status, text } = await post(
      "/v3/documents/batch",
      scoped,
      `{"documents":[${Array.from({ length: 600 }, () => wrong).join()}]}`,
    );
    expect(status).toBe(200);
    expect(JSON.parse(text).failed).toBe(600);
    expect(text.length).toBeLessThan(600 * 1_500);
  });

  test("accepts what is allowed: 600 documents with 50 metadata fields, 9,000 messages", async () => {
    const documents = Array.from({ length: 600 }, () => document(names(50))).join();
    const { text } = await post("/v3/documents/batch", scoped, `{"documents":[${documents}]}`);
    expect(JSON.parse(text)).toMatchObject({ success: 600, failed: 0 });
    const messages = Array.from({ length: 9_000 }, (_, index) => ({ role: "user", content: `Number ${index}` }));
    const conversation = { conversationId: "long", containerTags: ["mia"], messages };
    expect((await post("/v4/conversations", scoped, JSON.stringify(conversation))).status).toBe(200);
  });
});

describe("over MCP", () => {
  const message = (method: string, params: unknown = {}, id: unknown = 1) => ({ jsonrpc: "2.0", id, method, params });
  const search = message("tools/call", { name: "search", arguments: { query: "bees" } });
  const accept = { accept: "application/json, text/event-stream", "mcp-protocol-version": "2025-03-26" };
  const send = (key: string, body: unknown) => post("/mcp", key, JSON.stringify(body), accept);
  const keyWith = async (requests: number) => {
    const rate = { requests, windowMs: 3_600_000 };
    return (await rest.core.createKey({ actor: rest.actor }, { name: `with ${requests}`, rate })).secret;
  };
  const batch = (count: number) => Array.from({ length: count }, (_, id) => ({ ...search, id }));

  test("each message of a batch counts as one request", async () => {
    const key = await keyWith(250);
    const first = await send(key, batch(100));
    expect(first.status).toBe(200);
    expect(first.text.match(/"result"/g)).toHaveLength(100);
    expect(first.headers.get("x-ratelimit-remaining")).toBe("150");
    expect((await send(key, batch(100))).headers.get("x-ratelimit-remaining")).toBe("50");
    const third = await send(key, batch(60));
    expect(third.status).toBe(429);
    expect(Number(third.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(JSON.parse(third.text)).toMatchObject({ jsonrpc: "2.0", id: null, error: { code: -32_000 } });
    expect((await send(key, batch(20))).status).toBe(200);
  });

  test("notifications count as messages too", async () => {
    const key = await keyWith(20);
    const note = { jsonrpc: "2.0", method: "notifications/roots/list_changed" };
    const { headers } = await send(
      key,
      Array.from({ length: 12 }, () => note),
    );
    expect(headers.get("x-ratelimit-remaining")).toBe("8");
  });

  test("a batch larger than the rate is refused permanently, with a reason", async () => {
    const { status, text } = await send(await keyWith(5), batch(6));
    expect(status).toBe(400);
    expect(JSON.parse(text).error.message).toMatch(/5 .*Send them in parts/);
  });

  test.each([
    ["more than 100 messages", batch(101), /has 101 messages, at most 100/],
    ["a long id", { ...search, id: "x".repeat(100_000) }, /^id: has 100000 characters/],
    ["a long method", message("x".repeat(100_000)), /^method: /],
    ["a long tool name", message("tools/call", { name: "x".repeat(100_000) }), /^name: /],
    [
      "too many notifications from a client",
      message("tools/call", {
        name: "search",
        arguments: { query: "bees" },
        _meta: Object.fromEntries(Array.from({ length: 1_001 }, (_, index) => [`field${index}`, 1])),
      }),
      /^_meta: has 1001 fields, at most 1000/,
    ],
    [
      "too many arguments in total",
      Array.from({ length: 10 }, () =>
        message("tools/call", {
          name: "search",
          arguments: Object.fromEntries(Array.from({ length: 900 }, (_, index) => [`field${index}`, 1])),
        }),
      ),
      /have \d+ fields, at most 5000/,
    ],
    [
      "too many arguments",
      message("tools/call", {
        name: "add_memory",
        arguments: Object.fromEntries(Array.from({ length: 1_001 }, (_, index) => [`field${index}`, 1])),
      }),
      /^arguments: has 1001 fields, at most 1000/,
    ],
    ["too many values", message("tools/call", { name: "search", arguments: { a: Array(100_000).fill(1) } }), /100,000/],
  ])("%s are refused briefly", async (_what, body, words) => {
    const { status, text } = await send(reader, body);
    expect(status).toBe(400);
    expect(JSON.parse(text).error.message).toMatch(words);
    expect(text.length).toBeLessThan(1_000);
  });

  test("a long list of wrong arguments is shortened", async () => {
    const facts = Array.from({ length: 90 }, () => ({ text: 1, ["x".repeat(10_000)]: 1 }));
    const { text } = await send(
      scoped,
      message("tools/call", { name: "add-memory", arguments: { content: 1, facts } }),
    );
    expect(text).toContain("isError");
    expect(text.length).toBeLessThan(LONGEST_REFUSAL);
  });

  test("without a rate no caller is limited", async () => {
    const { status, headers } = await send(reader, batch(100));
    expect([status, headers.get("x-ratelimit-limit")]).toEqual([200, null]);
  });
});
