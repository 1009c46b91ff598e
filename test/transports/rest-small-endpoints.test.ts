import Supermemory from "supermemory";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { LOOPBACK, openRest, type OpenedRest, requestInit } from "../support/rest.js";

let rest: OpenedRest;
beforeAll(async () => {
  rest = await openRest({ asOwner: true });
});
afterAll(() => rest.close());

const get = async (path: string, headers?: Record<string, string>) =>
  (await rest.send("GET", path, undefined, headers)).body;

describe("GET /", () => {
  test("describes this server and links its documentation, without a key", async () => {
    const { status, body } = await rest.send("GET", "/", undefined, { origin: "https://page.example" });
    expect(status).toBe(200);
    expect(body).toEqual({
      name: "Recollect",
      version: "0.0.0-test",
      description: expect.any(String),
      documentation: {
        openapi: "http://localhost/v3/openapi",
        reference: "http://localhost/reference",
        health: "http://localhost/health",
      },
    });
    for (const address of Object.values<string>(body.documentation)) {
      const answer = await rest.app.request(address, requestInit("GET", undefined), LOOPBACK);
      expect(answer.status).toBe(200);
    }
  });
});

describe("GET /v3/session", () => {
  test("shows the owner with full access", async () => {
    const body = await get("/v3/session");
    const { organizationId } = rest.actor;
    expect(body).toEqual({
      user: { id: "owner", name: "Owner", email: "owner@localhost" },
      org: { id: organizationId, name: "Recollect", slug: organizationId },
      plan: "enterprise",
      role: "owner",
      accessType: "full",
      scope: { type: "full" },
    });
  });

  test("names the client of the key, or of the caller", async () => {
    const { secret } = await rest.core.createKey({ actor: rest.actor }, { name: "x", client: "OpenCode" });
    expect(await get("/v3/session", { "x-api-key": secret })).toMatchObject({ client: "opencode" });
    expect(await get("/v3/session", { "x-sm-source": "raycast" })).toMatchObject({ client: "raycast" });
  });
});

describe("the team", () => {
  test("consists of the owner alone, since the first key", async () => {
    const { members } = await get("/v3/auth/team/members");
    const [first] = (await rest.core.listKeys({ actor: rest.actor })).keys;
    expect(members).toEqual([
      { id: "owner", name: "Owner", email: "owner@localhost", role: "owner", joinedAt: first?.createdAt },
    ]);
    expect(await get("/v3/auth/team/invitations")).toEqual({ invitations: [] });
  });

  test.each([
    ["POST", "/v3/auth/team/invite", { email: "mia@example.com", role: "admin" }],
    ["PUT", "/v3/auth/team/members/owner/role", { role: "member" }],
    ["DELETE", "/v3/auth/team/members/owner", undefined],
    ["PATCH", "/v3/auth/billing/auto-topups", { enabled: true }],
  ])("%s %s is refused with a reason", async (method, path, body) => {
    const answer = await rest.send(method, path, body);
    expect(answer.status).toBe(403);
    expect(answer.body.message).toMatch(/^This server (has one owner|belongs to its owner)/);
  });
});

describe("billing", () => {
  test("counts usage and limits nothing", async () => {
    await rest.send("POST", "/v3/documents", { content: "Mia keeps bees.", containerTag: "mia" });
    await rest.send("POST", "/v4/search", { q: "bees" });
    await rest.recorded();
    const billing = await get("/v3/auth/billing");
    expect(billing).toMatchObject({
      plan: "enterprise",
      usage: { tokens: { used: 4, limit: 0 }, queries: { used: 1, limit: 0 } },
      orgName: "Recollect",
    });
    expect(billing.resetDate).toMatch(/-01T00:00:00\.000Z$/);
    const { items, periodStart, periodEnd } = await get("/v3/auth/billing/usage");
    expect(items.map(({ name, used, limit }: any) => [name, used > 0, limit])).toEqual([
      ["Tokens", true, 0],
      ["Searches", true, 0],
      ["Requests", true, 0],
    ]);
    expect(periodStart < periodEnd).toBe(true);
    const events = await get("/v3/auth/billing/usage-events");
    expect(events).toMatchObject({ memoryTotal: 4, superragTotal: 0 });
    expect(events.byDay.reduce((sum: number, { total }: any) => sum + total, 0)).toBeGreaterThan(1);
    expect(await get("/v3/auth/billing/usage-events?start=2020-01-01&end=2020-01-31")).toMatchObject({
      byDay: [],
      memoryTotal: 0,
    });
    expect(await get("/v3/auth/billing/invoices")).toEqual({ invoices: [] });
    expect(await get("/v3/auth/billing/auto-topups")).toMatchObject({ enabled: false });
  });
});

describe("connections when there are none", () => {
  test("are empty in each list", async () => {
    expect((await rest.send("POST", "/v3/connections/list", {})).body).toEqual([]);
    expect((await rest.send("POST", "/v3/connections/list")).body).toEqual([]);
    expect(await get("/v3/connections?endUserId=u1")).toEqual([]);
    expect((await rest.send("POST", "/v3/connections/notion/documents", {})).body).toEqual([]);
  });

  test.each([
    ["GET", "/v3/connections/abc", undefined],
    ["GET", "/v3/connections/notion", undefined],
    ["DELETE", "/v3/connections/abc?deleteDocuments=false", undefined],
    ["DELETE", "/v3/connections/notion", { containerTags: ["a"] }],
    ["POST", "/v3/connections/notion/connection", { containerTags: ["a"] }],
    ["GET", "/v3/connections/abc/resources?page=1&per_page=30", undefined],
    ["POST", "/v3/connections/abc/configure", { resources: [] }],
    ["GET", "/v3/connections/abc/sync-runs", undefined],
    ["POST", "/v3/connections/abc/google-drive/hosted-picker", {}],
  ])("%s %s answers 404", async (method, path, body) => {
    const answer = await rest.send(method, path, body);
    expect(answer.status).toBe(404);
    expect(answer.body.error).toMatch(/connection/i);
  });

  test("cannot be created for a source that is not enabled, which is final and says what to set", async () => {
    const { status, headers, body } = await rest.send("POST", "/v3/connections/folder", { containerTag: "a" });
    expect(status).toBe(404);
    expect(headers.get("x-should-retry")).toBeNull();
    expect(body.error).toMatch(/RECOLLECT_CONNECTION_FOLDERS/);
  });

  test.each([
    ["POST", "/v3/connections/dropbox", {}, "provider: must be one of notion"],
    ["POST", "/v3/connections/dropbox/documents", {}, "provider: must be one of notion"],
    ["POST", "/v3/connections/notion", { documentLimit: 0 }, "documentLimit"],
    ["POST", "/v3/connections/notion/connection", {}, "containerTags"],
    ["POST", "/v3/connections/notion/connection", { containerTags: [] }, "containerTags: must not be empty"],
    ["POST", "/v3/connections/list", { containerTags: ["a b"] }, "containerTags.0"],
    ["DELETE", "/v3/connections/notion", undefined, "containerTags: must be an array of container tags"],
    ["POST", "/v3/connections/s3", { metadata: { bucket: "b" } }, "metadata.accessKeyId"],
    ["POST", "/v3/connections/web-crawler", { metadata: { startUrl: "x" } }, "metadata.startUrl"],
    ["POST", "/v3/connections/notion/import", {}, "nothing to sync"],
    ["GET", "/v3/connections/auth/callback/notion?code=1&state=2", undefined, "No sign-in with notion is waiting"],
    ["GET", "/v3/connections/github/callback", undefined, "No sign-in with github is waiting"],
    ["DELETE", "/v3/connections/abc?deleteDocuments=maybe", undefined, "deleteDocuments"],
  ])("%s %s %j is refused", async (method, path, body, message) => {
    const answer = await rest.send(method, path, body);
    expect(answer.status).toBe(400);
    expect(answer.body.message).toContain(message);
  });

  test("are refused to the SDK once, without a retry", async () => {
    const { url } = await rest.listen();
    const { key, secret } = await rest.core.createKey({ actor: rest.actor }, { name: "sdk" });
    const client = new Supermemory({ apiKey: secret, baseURL: url });
    await expect(client.connections.create("folder" as "notion", {})).rejects.toMatchObject({ status: 404 });
    await rest.recorded();
    const { total } = await rest.core.listRequests({ actor: rest.actor }, { statusCode: 404, keyId: key.id });
    expect(total).toBe(1);
  });
});

describe("endpoints used only by the vendor's web app", () => {
  test("answer truthfully for this server", async () => {
    expect((await rest.send("POST", "/v3/documents/migrate-mcp", { userId: "u" })).body).toMatchObject({
      success: true,
      migratedCount: 0,
    });
    expect(await get("/v3/mcp/has-login")).toEqual({ previousLogin: false });
    expect(await get("/v3/waitlist/status")).toMatchObject({ inWaitlist: false, accessGranted: true });
    expect(await get("/v3/digests?page=2")).toEqual({ digests: [], page: 2, limit: 20 });
    expect(await get("/v3/digests/preferences")).toEqual({ digestOptOut: true });
    const body = { email: "mia@example.com", firstName: "Mia" };
    expect((await rest.send("POST", "/v3/emails/welcome/pro", body)).body.message).toMatch(/no email/);
  });

  test("refuse invalid input", async () => {
    for (const [path, body] of [
      ["/v3/documents/migrate-mcp", {}],
      ["/v3/digests/preferences", { digestOptOut: "yes" }],
      ["/v3/emails/welcome/pro", { email: 1 }],
    ] as const)
      expect((await rest.send("POST", path, body)).status).toBe(400);
    expect((await rest.send("GET", "/v3/digests/none")).status).toBe(404);
  });
});

test("none of these endpoints is open to unknown keys", async () => {
  const stranger = { "x-api-key": "sm_org_nobody-knows-this" };
  for (const path of [
    "/v3/auth/team/members",
    "/v3/auth/billing",
    "/v3/connections",
    "/v3/analytics/usage",
    "/v3/digests",
    "/v3/waitlist/status",
  ])
    expect((await rest.send("GET", path, undefined, stranger)).status).toBe(401);
});
