import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openRest, type OpenedRest } from "../support/rest.js";

/** Twelve requests of known kinds, with and without a key, and what analytics report about them afterwards. */

let rest: OpenedRest;
let keyId: string;
let asKey: Record<string, string>;

beforeAll(async () => {
  rest = await openRest({ asOwner: true });
  const { key, secret } = await rest.core.createKey({ actor: rest.actor }, { name: "laptop", client: "opencode" });
  keyId = key.id;
  asKey = { "x-api-key": secret };
  await rest.send("POST", "/v3/documents", { content: "Mia keeps bees.", containerTag: "mia" }, asKey);
  await rest.send("POST", "/v3/documents", { content: "Ben keeps goats.", containerTags: ["ben", "farm"] }, asKey);
  await rest.settle();
  await rest.send("POST", "/v4/search", { q: "bees", containerTag: "mia" }, asKey);
  await rest.send("POST", "/v4/search", { q: "goats" }, { "x-api-key": "local" });
  await rest.send("POST", "/v4/search", { q: "" }, { "x-api-key": "local" });
  await rest.send("GET", "/v3/documents/secret-name-of-a-document", undefined, asKey);
  await rest.send("DELETE", "/v3/documents/secret-name-of-a-document", undefined, asKey);
  await rest.send("GET", "/v3/session", undefined, { "x-api-key": "sm_org_wrong-key-of-somebody" });
  await rest.send("GET", "/v3/nowhere/secret-name");
  await rest.send("PUT", "/v4/search", {}, asKey);
  await rest.send("OPTIONS", "/v4/search");
  await rest.send("GET", "/health");
  await rest.recorded();
});
afterAll(() => rest.close());

async function logs(query = "", path = "/v3/analytics/requests") {
  const { body } = await rest.send("GET", `${path}?to=${encodeURIComponent(END)}${query}`);
  return body;
}

/** The end of the requests above; those of the tests come later. */
let END: string;
beforeAll(() => {
  END = new Date(Date.now() + 1).toISOString();
});

describe("single requests", () => {
  test("lists each API request, newest first, without preflights and health checks", async () => {
    const { logs: all, pagination } = await logs();
    expect(pagination).toEqual({ currentPage: 1, limit: 20, totalItems: 10, totalPages: 1 });
    expect(all.map((log: any) => [log.input.method, log.input.path, log.type, log.statusCode])).toEqual([
      ["PUT", "/v4/search", "request", 405],
      ["GET", "(unknown path)", "request", 404],
      ["GET", "/v3/session", "request", 401],
      ["DELETE", "/v3/documents/{id}", "delete", 404],
      ["GET", "/v3/documents/{id}", "request", 404],
      ["POST", "/v4/search", "search_v4", 400],
      ["POST", "/v4/search", "search_v4", 200],
      ["POST", "/v4/search", "search_v4", 200],
      ["POST", "/v3/documents", "add", 200],
      ["POST", "/v3/documents", "add", 200],
    ]);
  });

  test("each names its key, or none if the key was wrong or missing", async () => {
    const { logs: all } = await logs();
    expect(all.map((log: any) => log.keyId)).toEqual([null, null, null, keyId, keyId, null, null, keyId, keyId, keyId]);
  });

  test("each names its container if exactly one was given", async () => {
    const { logs: all } = await logs("&type=add");
    expect(all.map((log: any) => log.input.containerTag)).toEqual([null, "mia"]);
  });

  test("only refused requests carry a reason", async () => {
    const { logs: refused } = await logs("&status=error");
    expect(refused).toHaveLength(6);
    expect(refused.map((log: any) => log.output.error)).toEqual([
      "/v4/search does not accept PUT.",
      "This server does not serve this path.",
      "Unauthorized",
      "not found",
      "not found",
      "invalid request: q",
    ]);
    const { logs: answered } = await logs("&status=success");
    expect(answered.map((log: any) => log.output)).toEqual([null, null, null, null]);
  });

  test("no request content is recorded: no text, no key, no unknown path", async () => {
    const text = JSON.stringify([await logs(), await logs("", "/v3/analytics/logs")]);
    for (const secret of ["bees", "goats", "wrong-key", "nowhere"]) expect(text).not.toContain(secret);
  });

  test("filters narrow the list, and pages divide it", async () => {
    expect((await logs("&statusCode=404")).logs).toHaveLength(3);
    expect((await logs(`&keyId=${keyId}`)).logs).toHaveLength(5);
    const { logs: second, pagination } = await logs("&limit=3&page=2");
    expect(second.map((log: any) => log.type)).toEqual(["delete", "request", "search_v4"]);
    expect(pagination).toEqual({ currentPage: 2, limit: 3, totalItems: 10, totalPages: 4 });
    expect((await logs("&page=99")).logs).toEqual([]);
    const [first] = (await logs()).logs;
    expect((await logs(`&id=${first.id}&limit=1`)).logs).toEqual([first]);
    expect((await logs("&id=unknown")).logs).toEqual([]);
  });

  test("the logs without the key id are otherwise the same", async () => {
    const { logs: all } = await logs("", "/v3/analytics/logs");
    const { logs: withKey } = await logs();
    expect(all).toEqual(withKey.map(({ keyId: _keyId, ...log }: any) => log));
  });

  test("a period before the service started has no requests", async () => {
    const { body } = await rest.send("GET", "/v3/analytics/logs?from=2020-01-01&to=2020-01-02");
    expect(body).toEqual({
      logs: [],
      pagination: { currentPage: 1, limit: 20, totalItems: 0, totalPages: 0 },
    });
  });
});

describe("totals", () => {
  test("usage: by type, by hour, by key, and the number of documents", async () => {
    const { body } = await rest.send("GET", `/v3/analytics/usage?period=1h&to=${END}`);
    expect(body.usage.map(({ type, count }: any) => [type, count])).toEqual([
      ["add", 2],
      ["delete", 1],
      ["request", 4],
      ["search_v4", 3],
    ]);
    expect(body.hourly.reduce((sum: number, hour: any) => sum + hour.count, 0)).toBe(10);
    for (const { hour } of body.hourly) expect(hour).toMatch(/:00:00\.000Z$/);
    expect(body.byKey).toMatchObject([{ keyId, keyName: "laptop", count: 5, avgDuration: expect.any(Number) }]);
    expect(body.totalMemories).toBe(2);
    expect(body.pagination).toEqual({ currentPage: 1, limit: 20, totalItems: 1, totalPages: 1 });
  });

  test("errors: the fields of the documentation and of the web app", async () => {
    const { body } = await rest.send("GET", `/v3/analytics/errors?to=${END}&limit=2`);
    expect(body).toMatchObject({ totalErrors: 6, errorRate: 0.6, byStatusCode: { 400: 1, 401: 1, 404: 3, 405: 1 } });
    expect(body.topErrors.map(({ type, count, statusCodes }: any) => [type, count, statusCodes])).toEqual([
      ["request", 4, [401, 404, 405]],
      ["delete", 1, [404]],
      ["search_v4", 1, [400]],
    ]);
    expect(body.errors).toHaveLength(2);
    expect(body.errors[0]).toEqual({ type: "request", statusCode: 404, count: 2, percentage: 33.33 });
    expect(body.pagination).toEqual({ currentPage: 1, limit: 2, totalItems: 5, totalPages: 3 });
    expect(body.byKey).toMatchObject([{ keyId, keyName: "laptop", count: 5, errorCount: 2, errorRate: 0.4 }]);
    expect(body.timeline.reduce((sum: number, { count }: any) => sum + count, 0)).toBe(6);
    expect(body.summary).toContainEqual(
      expect.objectContaining({ type: "add", totalRequests: 2, errorRate: 0, successRate: 1 }),
    );
  });

  test("memory: current totals, searches and tokens of the period, growth since the previous one", async () => {
    const { body } = await rest.send("GET", `/v3/analytics/memory?period=all`);
    expect(body).toMatchObject({
      totalMemories: 2,
      totalMemoryEntries: expect.any(Number),
      totalContainerTags: 3,
      totalConnections: 0,
      searchQueries: 3,
      tokensProcessed: Math.ceil(("Mia keeps bees.".length + "Ben keeps goats.".length) / 4),
      memoriesGrowth: 0,
      searchGrowth: 0,
    });
    expect(body.totalMemoryEntries).toBeGreaterThan(0);
    const { body: before } = await rest.send("GET", "/v3/analytics/memory?from=2020-01-01&to=2020-01-02");
    expect(before).toMatchObject({ totalMemories: 0, searchQueries: 0, tokensProcessed: 0 });
  });

  test("chat: zeros, because this server has none", async () => {
    const { body } = await rest.send("GET", "/v3/analytics/chat?period=7d");
    expect(body.overview.lifetime.tokensSent).toEqual({ current: 0, previousPeriod: 0 });
    expect(body.analytics.apiUsage).toEqual({ current: 0, limit: 0 });
  });
});

describe.each(["usage", "errors", "logs", "requests", "memory", "chat"])("/v3/analytics/%s refuses", (name) => {
  test.each([
    ["limit=0", "limit"],
    ["limit=101", "limit"],
    ["limit=x", "limit"],
    ["page=0", "page"],
    ["page=-1", "page"],
    ["page=1e9", "page"],
    ["page=1&page=2", "page"],
    ["period=2h", "period"],
    ["from=yesterday", "from"],
    ["to=2024-02-30", "to"],
    ["from=2024-01-02&to=2024-01-01", "from"],
    ["from=2024-01-01&to=2024-01-01", "from"],
    ["from=2024-01-01&to=2024-06-01", "from"],
  ])("%s", async (query, field) => {
    const { status, body } = await rest.send("GET", `/v3/analytics/${name}?${query}`);
    expect(status).toBe(400);
    expect(body.issues.map(({ path }: any) => path[0])).toEqual([field]);
  });

  test("nothing equivalent to the defaults: empty values, unknown names, exactly 90 days", async () => {
    for (const query of ["from=&to=&period=", "unknown=1", "from=2024-01-01T00:00:00Z&to=2024-03-31T00:00:00Z"])
      expect((await rest.send("GET", `/v3/analytics/${name}?${query}`)).status).toBe(200);
  });
});

test.each([
  ["type=fly", "type"],
  ["statusCode=99", "statusCode"],
  ["statusCode=abc", "statusCode"],
  ["status=maybe", "status"],
])("logs refuse %s", async (query, field) => {
  const { status, body } = await rest.send("GET", `/v3/analytics/logs?${query}`);
  expect(status).toBe(400);
  expect(body.issues[0].path).toEqual([field]);
});
