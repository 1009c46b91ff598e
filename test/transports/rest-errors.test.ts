import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { LOOPBACK, openRest, readAnswer, requestInit, type OpenedRest } from "../support/rest.js";

const MAX_TEXT_BYTES = 100_000;

let rest: OpenedRest;
beforeAll(async () => {
  rest = await openRest({
    maxTextBytes: MAX_TEXT_BYTES,
    settings: { RECOLLECT_MAX_TEXT_BYTES: String(MAX_TEXT_BYTES), RECOLLECT_MAX_METADATA_BYTES: "1000" },
  });
});
afterAll(() => rest.close());

const post = (path: string, body: unknown, headers?: Record<string, string>) => rest.send("POST", path, body, headers);
const stored = async () => (await post("/v3/documents/list", {})).body.pagination.totalItems as number;

describe("bad input stores nothing, is answered with a reason, and leaves the service unharmed", () => {
  afterEach(async () => {
    expect(await stored()).toBe(0);
    expect(rest.log.filter((line) => line.level === "error")).toEqual([]);
  });

  const deep = (levels: number) => "[".repeat(levels) + "]".repeat(levels);
  test.each<[what: string, body: unknown, words: RegExp]>([
    ["no body", undefined, /body is empty/],
    ["an empty body", "", /body is empty/],
    ["white space", " \n\t ", /body is empty/],
    ["malformed JSON", '{"content": "x"', /not JSON: it is invalid at character 15/],
    ["truncated JSON", '{"content": "some te', /not JSON/],
    ["JavaScript instead of JSON", "{content: 'x'}", /not JSON/],
    ["NaN", '{"content": NaN}', /not JSON/],
    ["an array", [], /body must be a JSON object/],
    ["a string", '"x"', /body must be a JSON object/],
    ["null", "null", /body must be a JSON object/],
    ["100,000 nested arrays", deep(100_000), /nested deeper than 64 levels/],
    ["100,000 levels in a field", `{"content":"x","metadata":{"a":${deep(40_000)}}}`, /nested deeper than 64 levels/],
    ["bytes that are not UTF-8", Buffer.from([0x22, 0xff, 0xfe, 0x22]), /not valid UTF-8/],
    ["a truncated UTF-8 character", Buffer.from([0x22, 0xe2, 0x82, 0x22]), /not valid UTF-8/],
    ["UTF-16", Buffer.from('{"content":"x"}', "utf16le"), /not JSON/],
    ["a lone surrogate", '{"content":"a\\ud800b"}', /content: is not valid Unicode/],
    ["control characters", '{"content":"a\\u0000b"}', /content: must not contain the control character U\+0000/],
    ["no content", {}, /content: is missing$/],
    ["empty content", { content: "" }, /content: must not be empty/],
    ["blank content", { content: " \n " }, /content: must not be empty/],
    ["content of the wrong type", { content: 5 }, /content: must be a string/],
    ["a container tag with a space", { content: "x", containerTag: "a b" }, /containerTag: must contain only/],
    [
      "a container tag that is too long",
      { content: "x", containerTags: ["x".repeat(101)] },
      /containerTags.0: must have/,
    ],
    ["a container tag with a path", { content: "x", containerTag: "../etc" }, /containerTag: must contain only/],
    ["nested metadata", { content: "x", metadata: { a: { b: 1 } } }, /metadata.a: must be a string, a number/],
    ["metadata that is not an object", { content: "x", metadata: [1] }, /metadata: must be an object/],
    ["an unknown task type", { content: "x", taskType: "video" }, /taskType: /],
    ["an invalid date", { content: "x", documentDate: "next week" }, /documentDate: must be an ISO 8601 date/],
    ["a customId that is too long", { content: "x", customId: "x".repeat(256) }, /customId: must have at most 255/],
    ["an empty customId", { content: "x", customId: "" }, /customId: must not be empty/],
    ["invalid facts", { content: "x", facts: [{ text: "" }] }, /facts.0.text: must not be empty/],
    [
      "a fact that updates an unknown memory",
      { content: "x", facts: [{ text: "y", updates: "nope" }] },
      /facts.0.updates: there is no/,
    ],
  ])("%s", async (_what, body, words) => {
    const { status, body: answer } = await post("/v3/documents", body);
    expect(status).toBe(400);
    expect(answer.error).toMatch(words);
    expect(answer.details).toBe(answer.error);
    expect(answer.message).toBe(answer.error);
    expect(answer.success).toBe(false);
  });

  test("names every wrong field, as a path and in the text", async () => {
    const { body } = await post("/v4/search", { q: "", threshold: "0.5", limit: -1, containerTag: "a b" });
    expect(body.issues.map((issue: { path: unknown[] }) => issue.path.join("."))).toEqual([
      "q",
      "containerTag",
      "limit",
      "threshold",
    ]);
    expect(body.error).toContain("threshold: must be a number");
    expect(body.error).toContain("limit: must be at least 1");
  });

  test.each([
    [{ q: "x", limit: 101 }, /limit: must be at most 100/],
    [{ q: "x", limit: 1.5 }, /limit: must be a whole number/],
    [{ q: "x", threshold: 1.01 }, /threshold: must be at most 1/],
    [{ q: "x", searchMode: "all" }, /searchMode: /],
    [{ q: "x", include: { documents: "yes" } }, /include.documents: must be true or false/],
    [{ q: "x", filters: { key: "a", value: "b" } }, /filters: must be an object with AND or OR/],
    [{ q: "x", filters: "{" }, /filters: is a string that is not JSON/],
    [{ q: "x", filters: 5 }, /filters: must be an object with AND or OR/],
    [{ q: "x", filters: { AND: [{ key: "a b", value: "c" }] } }, /filters.AND.0.key: /],
  ])("a search with %j", async (body, words) => {
    const { status, body: answer } = await post("/v4/search", body);
    expect(status).toBe(400);
    expect(answer.error).toMatch(words);
  });

  test.each([
    [{ limit: 0 }, /limit: must be a whole number from 1 to 1100/],
    [{ limit: 1_101 }, /limit/],
    [{ limit: "ten" }, /limit/],
    [{ page: "-1" }, /page/],
    [{ page: 1e300 }, /page/],
    [{ page: "999999999999999" }, /page/],
    [{ sort: "title" }, /sort/],
    [{ operator: "XOR" }, /operator: must be AND or OR/],
  ])("a list with %j", async (body, words) => {
    const { status, body: answer } = await post("/v3/documents/list", body);
    expect(status).toBe(400);
    expect(answer.error).toMatch(words);
  });

  test.each([
    "text/plain",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
    "application/jsonx",
  ])("the content type %s", async (type) => {
    const { status, body } = await post("/v3/documents", '{"content":"x"}', { "content-type": type });
    expect(status).toBe(415);
    expect(body.error).toContain("application/json");
  });

  test("refuses a body that announces too many bytes, naming the limit", async () => {
    const { status, body } = await post("/v3/documents", JSON.stringify({ content: "x".repeat(10_000_000) }), {
      "content-length": "10000014",
    });
    expect(status).toBe(413);
    expect(body.error).toMatch(/has 10000014 bytes, at most \d+ bytes are accepted .*RECOLLECT_MAX_TEXT_BYTES/);
  });

  test("refuses an endless body while it is read", async () => {
    let sent = 0;
    const endless = new ReadableStream<Uint8Array>({
      pull(controller) {
        sent += 65_536;
        controller.enqueue(new Uint8Array(65_536).fill(32));
      },
    });
    const init = { ...requestInit("POST", ""), body: endless, duplex: "half" } as RequestInit;
    const { status, body } = await readAnswer(await rest.app.request("/v3/documents", init, LOOPBACK));
    expect(status).toBe(413);
    expect(body.error).toContain("too long");
    expect(sent).toBeLessThan(10 * MAX_TEXT_BYTES);
  });

  test("refuses a text over the limit, naming it, and stores one at the limit however it is escaped", async () => {
    const over = await post("/v3/documents", { content: "x".repeat(MAX_TEXT_BYTES + 1) });
    expect(over.status).toBe(413);
    expect(over.body.error).toContain(`at most ${MAX_TEXT_BYTES} are accepted (RECOLLECT_MAX_TEXT_BYTES)`);
    const escaped = `{"content":"${"\\u0439".repeat(MAX_TEXT_BYTES / 2)}","taskType":"superrag"}`;
    const { status, body } = await post("/v3/documents", escaped);
    expect(status).toBe(200);
    await rest.send("DELETE", `/v3/documents/${body.id}`);
  });

  test("refuses metadata over the limit, naming it", async () => {
    const { status, body } = await post("/v3/documents", { content: "x", metadata: { a: "y".repeat(1_000) } });
    expect(status).toBe(413);
    expect(body.error).toContain("RECOLLECT_MAX_METADATA_BYTES");
  });

  test("101 memories in one request", async () => {
    const memories = Array.from({ length: 101 }, (_, index) => ({ content: `memory ${index}` }));
    const { status, body } = await post("/v4/memories", { containerTag: "a", memories });
    expect(status).toBe(400);
    expect(body.error).toContain("memories: must have at most 100 entries");
  });

  test.each(["%00", "%E0%A4%A", "x".repeat(300)])("the document id %s", async (id) => {
    expect([400, 404]).toContain((await rest.send("GET", `/v3/documents/${id}`)).status);
    expect([400, 404]).toContain((await rest.send("DELETE", `/v3/documents/${id}`)).status);
  });
});

describe("paths and methods that are not served", () => {
  test.each([
    ["/v3/v3/documents", "Leave the version out of the base URL."],
    ["/v4/v4/search", "Leave the version out of the base URL."],
    ["/v4/search/", "Leave out the trailing slash."],
  ])("POST %s: answers 404 and says what is wrong with the address", async (path, advice) => {
    const { status, body } = await rest.send("POST", path, {});
    expect(status).toBe(404);
    expect(body.error).toBe(`This server does not serve POST ${path}. ${advice}`);
  });

  test.each([
    ["GET", "/v3"],
    ["GET", "/v3/nothing"],
    ["POST", "/v3/documents/a/file"],
    ["GET", "/v3/documents/a/b"],
    ["GET", "/internal/ping"],
    ["POST", "/v9/anything"],
  ])("%s %s: answers 404 and names the path", async (method, path) => {
    const { status, body } = await rest.send(method, path, method === "POST" ? {} : undefined);
    expect(status).toBe(404);
    expect(body.error).toBe(`This server does not serve ${method} ${path}.`);
    expect(body.message).toBe(body.error);
  });

  test.each([
    ["PUT", "/v3/documents/x", "GET, PATCH, DELETE"],
    ["GET", "/v4/search", "POST"],
    ["PUT", "/v4/memories", "POST, PATCH, DELETE"],
    ["GET", "/v3/documents/list", "POST"],
    ["PROPFIND", "/v3/session", "GET"],
  ])("%s %s: answers 405 and names the methods", async (method, path, allowed) => {
    const { status, headers, body } = await rest.send(method, path);
    expect(status).toBe(405);
    expect(headers.get("allow")).toBe(allowed);
    expect(body.error).toContain(allowed);
  });

  test("HEAD answers like GET, without a body", async () => {
    expect(await rest.send("HEAD", "/v3/session")).toMatchObject({ status: 200, body: undefined });
    expect(await rest.send("HEAD", "/v4/search")).toMatchObject({ status: 405, body: undefined });
  });
});

describe("health", () => {
  test("is live while it responds, and ready while it can work; no key is needed", async () => {
    let isReady = false;
    const opened = await openRest({ isReady: () => isReady });
    const status = async (path: string) => (await opened.app.request(path)).status;
    expect(await status("/health/live")).toBe(200);
    expect(await status("/health/ready")).toBe(503);
    expect(await opened.send("GET", "/health")).toMatchObject({
      status: 503,
      body: { status: "unavailable", live: true, ready: false },
    });
    isReady = true;
    expect(await status("/health/ready")).toBe(200);
    expect((await opened.send("GET", "/health")).body).toEqual({
      status: "ok",
      live: true,
      ready: true,
      version: "0.0.0-test",
    });
    await opened.close();
  });
});

describe("CORS", () => {
  test("a preflight allows every origin, the methods of the API and the requested headers", async () => {
    const response = await rest.app.request("/v3/documents", {
      method: "OPTIONS",
      headers: {
        origin: "https://app.example",
        "access-control-request-method": "POST",
        "access-control-request-headers": "authorization,content-type,x-api-key,x-sm-source,x-stainless-lang",
      },
    });
    expect(response.status).toBe(204);
    expect(response.headers.get("access-control-allow-origin")).toBe("*");
    expect(response.headers.get("access-control-allow-methods")).toBe("GET,POST,PUT,PATCH,DELETE,OPTIONS");
    expect(response.headers.get("access-control-allow-headers")).toBe(
      "authorization,content-type,x-api-key,x-sm-source,x-stainless-lang",
    );
    expect(response.headers.get("access-control-allow-credentials")).toBeNull();
  });

  test.each<[what: string, status: number, method: string, path: string, body?: unknown]>([
    ["an answer", 200, "GET", "/v3/session"],
    ["health", 200, "GET", "/health"],
    ["liveness", 200, "GET", "/health/live"],
    ["a page", 200, "GET", "/reference"],
    ["a description", 200, "GET", "/v3/openapi"],
    ["an empty answer", 204, "DELETE", "/v3/documents/thing"],
    ["an invalid request", 400, "POST", "/v4/search", {}],
    ["an unknown path", 404, "GET", "/nowhere"],
    ["an unknown document", 404, "GET", "/v3/documents/nowhere"],
    ["a wrong method", 405, "PATCH", "/v4/search"],
    ["an answer to HEAD", 200, "HEAD", "/v3/session"],
  ])("%s is readable by any page, with the headers that steer retries, and is never cached", async (...told) => {
    const [, status, method, path, body] = told;
    if (status === 204) await post("/v3/documents", { content: "A thing.", customId: "thing" });
    const response = await rest.app.request(path, requestInit(method, body), LOOPBACK);
    expect(response.status).toBe(status);
    expect(response.headers.get("access-control-allow-origin")).toBe("*");
    expect(response.headers.get("access-control-expose-headers")).toContain("Retry-After");
    expect(response.headers.get("x-content-type-options")).toBe("nosniff");
    expect(response.headers.get("cache-control")).toBe("no-store");
  });
});
