import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type OpenedRest, openRest, type RestAnswer } from "../support/rest.js";

let rest: OpenedRest;
/** A key for the whole organisation. */
let owner: string;

beforeEach(async () => {
  rest = await openRest();
  owner = (await rest.core.createKey({ actor: rest.actor }, { name: "owner" })).secret;
});
afterEach(() => rest.close());

const as = (key: string, method: string, path: string, body?: unknown): Promise<RestAnswer> =>
  rest.send(method, path, body, { authorization: `Bearer ${key}` });
const make = async (path: string, body: unknown) => {
  const answer = await as(owner, "POST", path, body);
  expect(answer.status).toBe(200);
  return answer.body;
};
const scoped = (body: unknown) => make("/v3/auth/scoped-key", body);
const agent = (body: unknown) => make("/v3/auth/agent-key", body);
const statusAs = async (...call: Parameters<typeof as>) => (await as(...call)).status;

describe("POST /v3/auth/scoped-key", () => {
  test("creates a key for one container, with the name, rate and paths of the contract", async () => {
    const body = await scoped({ containerTag: "mia" });
    expect(body).toEqual({
      key: expect.stringMatching(new RegExp(`^sm_${rest.actor.organizationId}_\\w{20,}$`)),
      id: expect.any(String),
      name: "scoped_mia",
      permission: "write",
      containerTag: "mia",
      containerTags: ["mia"],
      expiresAt: null,
      allowedEndpoints: ["/v3/documents", "/v3/memories", "/v4/memories", "/v3/search", "/v4/search", "/v4/profile"],
    });
    expect((await as(body.key, "GET", "/v3/session")).body).toMatchObject({
      role: "member",
      accessType: "restricted",
      containerTags: [{ containerTag: "mia", permission: "write" }],
      scope: { type: "scoped", permission: "write", tag: "mia", tags: ["mia"], rateLimit: 500 },
    });
  });

  test("accepts several containers, each once, read permission and an expiry in days", async () => {
    const body = await scoped({
      containerTags: ["mia", "tom", "mia"],
      permission: "read",
      expiresInDays: 7,
      name: "phone",
    });
    const { expiresAt } = body;
    expect(body).toMatchObject({ containerTag: null, containerTags: ["mia", "tom"], permission: "read" });
    expect(Math.round((Date.parse(expiresAt) - Date.now()) / 86_400_000)).toBe(7);
    expect((await as(body.key, "GET", "/v3/session")).body.scope).toEqual({
      type: "scoped",
      permission: "read",
      tags: ["mia", "tom"],
      rateLimit: 500,
      expires: expiresAt,
    });
  });

  test("a key's rate applies to that key only", async () => {
    const { key } = await scoped({ containerTag: "mia", rateLimitMax: 2, rateLimitTimeWindow: 3_600_000 });
    const statuses: number[] = [];
    for (let call = 0; call < 3; call++) statuses.push(await statusAs(key, "GET", "/v3/session"));
    expect(statuses).toEqual([200, 200, 429]);
    expect((await as(key, "GET", "/v3/session")).body.message).toContain("2 requests in 3600 seconds");
    expect(await statusAs(owner, "GET", "/v3/session")).toBe(200);
  });

  test.each([
    [{}, "grants: must name at least 1 container"],
    [{ containerTag: "no spaces" }, "containerTag: must contain only"],
    [{ containerTag: "a", expiresInDays: 0 }, "expiresInDays: must be at least 1"],
    [{ containerTag: "a", expiresInDays: 366 }, "expiresInDays: must be at most 365"],
    [{ containerTag: "a", rateLimitMax: 10_001 }, "rateLimitMax: must be at most 10,000"],
    [{ containerTag: "a", rateLimitTimeWindow: 3_600_001 }, "rateLimitTimeWindow: must be at most 3,600,000"],
    [{ containerTag: "a", permission: "admin" }, "permission: must be read or write"],
    [{ containerTag: "a", name: "" }, "name: must not be empty"],
  ])("refuses %j", async (body, message) => {
    const answer = await as(owner, "POST", "/v3/auth/scoped-key", body);
    expect(answer.status).toBe(400);
    expect(answer.body.message).toContain(message);
  });
});

describe("a scoped key", () => {
  let key: string;
  beforeEach(async () => {
    ({ key } = await scoped({ containerTag: "mia" }));
    await as(owner, "POST", "/v3/documents", { content: "Tom's secret", containerTag: "tom", customId: "toms" });
  });

  test("writes to its only container without naming it", async () => {
    const { body } = await as(key, "POST", "/v3/documents", { content: "Mia keeps bees." });
    expect((await as(owner, "GET", `/v3/documents/${body.id}`)).body.containerTags).toEqual(["mia"]);
  });

  test("has to name one for a write when it has several containers", async () => {
    const { key: several } = await scoped({ containerTags: ["mia", "tom"] });
    const answer = await as(several, "POST", "/v3/documents", { content: "x" });
    expect([answer.status, answer.body.message]).toEqual([
      400,
      "containerTag: is required for this key, which may write to mia, tom",
    ]);
  });

  test("is refused for another container, even next to its own", async () => {
    const add = (tags: string[]) => statusAs(key, "POST", "/v3/documents", { content: "x", containerTags: tags });
    expect(await add(["tom"])).toBe(403);
    expect(await add(["mia", "tom"])).toBe(403);
    const batch = {
      documents: [
        { content: "a", containerTag: "mia" },
        { content: "b", containerTag: "tom" },
      ],
    };
    expect(await statusAs(key, "POST", "/v3/documents/batch", batch)).toBe(403);
    expect(await statusAs(key, "POST", "/v4/search", { q: "secret", containerTag: "tom" })).toBe(403);
    expect(await statusAs(key, "POST", "/v4/profile", { containerTag: "tom" })).toBe(403);
  });

  test("neither sees nor searches documents of other containers", async () => {
    expect(await statusAs(key, "GET", "/v3/documents/toms")).toBe(404);
    expect(await statusAs(key, "DELETE", "/v3/documents/toms")).toBe(404);
    expect((await as(key, "POST", "/v3/documents/list", {})).body.memories).toEqual([]);
    const found = await as(key, "POST", "/v4/search", { q: "secret", threshold: 0, searchMode: "hybrid" });
    expect(found.body.results).toEqual([]);
  });

  test.each([
    ["POST", "/v4/conversations", { conversationId: "c", messages: [{ role: "user", content: "x" }] }],
    ["GET", "/v3/container-tags/list", undefined],
    ["PATCH", "/v3/container-tags/mia", { name: "Mia" }],
    ["GET", "/v3/projects", undefined],
    ["GET", "/v3/settings", undefined],
    ["PATCH", "/v3/settings", { filterPrompt: "x" }],
    ["POST", "/v3/connections/list", {}],
    ["GET", "/v3/analytics/usage", undefined],
    ["GET", "/v3/auth/billing", undefined],
    ["GET", "/v3/auth/keys", undefined],
    ["POST", "/v3/auth/scoped-key", { containerTag: "mia" }],
    ["POST", "/v3/auth/agent-key", { name: "x" }],
    ["GET", "/v3/journal", undefined],
  ])("may not %s %s", async (method, path, body) => {
    expect(await statusAs(key, method, path, body)).toBe(403);
  });
});

describe("an agent key", () => {
  test("for all containers has no other limits", async () => {
    const body = await agent({ name: "laptop" });
    expect(body).toMatchObject({ name: "laptop", permission: "write", containerTags: null, pluginId: null });
    expect(await statusAs(body.key, "GET", "/v3/auth/keys")).toBe(200);
    expect((await as(body.key, "GET", "/v3/session")).body).toMatchObject({ role: "owner", scope: { type: "full" } });
  });

  test("for reading changes nothing, creates no keys, and sees everything", async () => {
    await as(owner, "POST", "/v3/documents", { content: "Mia keeps bees.", containerTag: "mia", customId: "d" });
    const { key } = await agent({ name: "reader", permission: "read" });
    expect(await statusAs(key, "GET", "/v3/documents/d")).toBe(200);
    expect(await statusAs(key, "POST", "/v4/search", { q: "bees" })).toBe(200);
    for (const [method, path, body] of [
      ["POST", "/v3/documents", { content: "x", containerTag: "mia" }],
      ["PATCH", "/v3/documents/d", { metadata: { a: 1 } }],
      ["DELETE", "/v3/documents/d", undefined],
      ["POST", "/v4/memories", { containerTag: "mia", memories: [{ content: "x" }] }],
      ["PATCH", "/v3/container-tags/mia", { name: "x" }],
      ["POST", "/v3/auth/agent-key", { name: "more" }],
      ["GET", "/v3/auth/keys", undefined],
      ["POST", "/v3/settings/reset", { confirmation: "reset" }],
    ] as const) {
      const answer = await as(key, method, path, body);
      expect([path, answer.status, answer.body.message]).toEqual([path, 403, expect.stringContaining("may only read")]);
    }
    expect((await as(key, "GET", "/v3/session")).body).toMatchObject({
      role: "member",
      accessType: "restricted",
      scope: { type: "scoped", permission: "read" },
    });
  });

  test("for some containers stores conversations and reads and changes these containers", async () => {
    const { key } = await agent({ name: "a", containerTags: ["mia"] });
    const conversation = { conversationId: "c", messages: [{ role: "user", content: "I live in Rome." }] };
    expect(await statusAs(key, "POST", "/v4/conversations", { ...conversation, containerTags: ["mia"] })).toBe(200);
    expect(await statusAs(key, "GET", "/v3/container-tags/mia")).toBe(200);
    expect(await statusAs(key, "PATCH", "/v3/container-tags/mia", { name: "Mia" })).toBe(200);
    expect(await statusAs(key, "GET", "/v3/container-tags/tom")).toBe(403);
  });
});

describe("a key that may write to one container and read another", () => {
  let key: string;
  beforeEach(async () => {
    const grants = [{ containerTag: "mine" }, { containerTag: "library", permission: "read" }];
    ({ secret: key } = await rest.core.createKey({ actor: rest.actor }, { kind: "agent", grants }));
    for (const containerTag of ["mine", "library"])
      await as(owner, "POST", "/v3/documents", { content: "Bees fly.", containerTag, customId: containerTag });
    await rest.settle();
  });

  test("reads both", async () => {
    for (const id of ["mine", "library"]) expect(await statusAs(key, "GET", `/v3/documents/${id}`)).toBe(200);
    expect((await as(key, "POST", "/v3/documents/list", {})).body.memories).toHaveLength(2);
    expect((await as(key, "GET", "/v3/session")).body).toMatchObject({
      containerTags: [
        { containerTag: "mine", permission: "write" },
        { containerTag: "library", permission: "read" },
      ],
      scope: { permission: "write" },
    });
  });

  test("writes to one, even without naming it, and is told that the other is read-only", async () => {
    const { body } = await as(key, "POST", "/v3/documents", { content: "Mine." });
    expect((await as(owner, "GET", `/v3/documents/${body.id}`)).body.containerTags).toEqual(["mine"]);
    const refused = await as(key, "POST", "/v3/documents", { content: "x", containerTag: "library" });
    expect([refused.status, refused.body.message]).toEqual([403, "This key may only read the container library."]);
    for (const [method, path, sent] of [
      ["PATCH", "/v3/documents/library", { metadata: { a: 1 } }],
      ["DELETE", "/v3/documents/library", undefined],
      ["PATCH", "/v3/container-tags/library", { name: "x" }],
      ["POST", "/v4/memories", { containerTag: "library", memories: [{ content: "x" }] }],
      ["POST", "/v4/memories/forget-matching", { containerTag: "library", query: "bees" }],
      ["DELETE", "/v3/documents/bulk", { containerTags: ["library"] }],
    ] as const)
      expect([path, await statusAs(key, method, path, sent)]).toEqual([path, 403]);
    expect(await statusAs(owner, "GET", "/v3/documents/library")).toBe(200);
  });
});

describe("the life cycle of a key", () => {
  test("is listed without its secret, disabled and enabled, and deleted", async () => {
    const { key, id } = await agent({ name: "plugin-codex", pluginId: "codex" });
    const listed = async () => (await as(owner, "GET", "/v3/auth/keys")).body.keys.find((one: any) => one.id === id);
    expect(await listed()).toMatchObject({
      name: "plugin-codex",
      key: `sm_${rest.actor.organizationId}_…${key.slice(-4)}`,
      metadata: JSON.stringify({ sm_type: "plugin_auth", sm_client: "codex" }),
      enabled: true,
      lastRequest: null,
    });
    expect((await as(owner, "GET", "/v3/auth/plugins")).body).toEqual({ plugins: ["codex"] });
    expect((await as(owner, "PUT", `/v3/auth/keys/${id}/toggle`)).body).toEqual({ enabled: false });
    expect([await statusAs(key, "GET", "/v3/session"), (await listed()).enabled]).toEqual([401, false]);
    expect((await as(owner, "GET", "/v3/auth/plugins")).body).toEqual({ plugins: [] });
    expect((await as(owner, "PUT", `/v3/auth/keys/${id}/toggle`)).body).toEqual({ enabled: true });
    expect(await statusAs(key, "GET", "/v3/session")).toBe(200);
    expect((await listed()).lastRequest).toMatch(/^\d{4}-.*Z$/);
    expect((await as(owner, "DELETE", `/v3/auth/scoped-key/${id}`)).body).toEqual({ success: true });
    expect([await statusAs(key, "GET", "/v3/session"), await listed()]).toEqual([401, undefined]);
    for (const [method, path] of [
      ["DELETE", `/v3/auth/scoped-key/${id}`],
      ["PUT", `/v3/auth/keys/${id}/toggle`],
      ["DELETE", "/v3/auth/scoped-key/unknown"],
    ] as const)
      expect([path, await statusAs(owner, method, path)]).toEqual([path, 404]);
    expect(JSON.stringify((await as(owner, "GET", "/v3/auth/keys")).body)).not.toContain(key.slice(-12));
  });

  test("cannot disable itself", async () => {
    const { key, id } = await agent({ name: "self" });
    expect(await statusAs(key, "PUT", `/v3/auth/keys/${id}/toggle`)).toBe(409);
    expect(await statusAs(key, "GET", "/v3/session")).toBe(200);
  });
});
