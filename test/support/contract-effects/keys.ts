import { expect } from "vitest";
import { type ContractGroup, doesNot, inTest, ofField, works } from "./effect.js";

const PATHS = ["/v3/documents", "/v3/memories", "/v4/memories", "/v3/search", "/v4/search", "/v4/profile"];

export const keys: readonly ContractGroup[] = [
  {
    heading: "API keys in requests",
    effects: [
      works("A key can be sent as `Authorization: Bearer` or as `x-api-key`", async (world) => {
        const { authorization } = await world.scopedKey();
        await world.gives(200, "GET", "/v3/session", undefined, { authorization: authorization ?? "" });
        await world.gives(200, "GET", "/v3/session", undefined, {
          "x-api-key": (authorization ?? "").slice("Bearer ".length),
        });
      }),
      works("A wrong key returns 401, even where no key is needed", (world) =>
        world.gives(401, "GET", "/v3/session", undefined, { authorization: "Bearer sm_wrong_key0000000000000000" }),
      ),
      works("A key has the form `sm_<organisation>_<secret>`", async (world) => {
        const { org } = await world.ok("GET", "/v3/session");
        expect((await world.scopedKey())["authorization"]).toMatch(new RegExp(`^Bearer sm_${org.id}_\\S{17,}$`));
      }),
      works(
        "Requests from this machine need no key if the server listens on loopback only; all others do",
        inTest("transports/http", "on all addresses, a key is required, even from this machine"),
      ),
      works(
        "The SDK's key `local` is accepted from this machine",
        inTest("transports/auth", "a program on this machine is accepted with %s"),
      ),
    ],
  },
  {
    heading: "Scoped keys",
    effects: [
      works("Reading or writing another container returns 403", async (world) => {
        const key = await world.scopedKey();
        await world.gives(403, "POST", "/v4/search", { q: "x", containerTag: `${world.tag}-b` }, key);
        await world.gives(403, "POST", "/v3/documents", { content: "x", containerTag: `${world.tag}-b` }, key);
        await world.gives(403, "POST", "/v4/search", { q: "x", containerTags: [world.tag, `${world.tag}-b`] }, key);
      }),
      works("A batch with one tag of another container is rejected as a whole", async (world) => {
        const documents = [{ content: "x" }, { content: "y", containerTag: `${world.tag}-b` }];
        await world.gives(403, "POST", "/v3/documents/batch", { documents }, await world.scopedKey());
        await world.gives(404, "GET", `/v3/container-tags/${world.tag}-b`);
      }),
      works("A request without a container tag uses the key's own containers", async (world) => {
        await world.remember("Mia keeps bees");
        await world.ok("POST", "/v4/memories", {
          containerTag: `${world.tag}-b`,
          memories: [{ content: "Tom keeps bees" }],
        });
        const { results } = await world.ok("POST", "/v4/search", { q: "bees", threshold: 0 }, await world.scopedKey());
        expect(results.map(({ memory }: { memory: string }) => memory)).toEqual(["Mia keeps bees"]);
      }),
      works(
        "A write without a tag goes to the key's only container; a key with several must name one",
        inTest("transports/rest-keys", "has to name one for a write when it has several containers"),
      ),
      works("A write with a read-only key returns 403", async (world) => {
        const key = await world.scopedKey({ permission: "read" });
        await world.gives(403, "POST", "/v3/documents", { content: "x" }, key);
        await world.ok("POST", "/v4/search", { q: "x" }, key);
      }),
      works(
        "A scoped key can use six paths; conversations, containers, analytics and settings return 403",
        async (world) => {
          const key = await world.scopedKey();
          for (const path of ["/v3/container-tags/list", "/v3/analytics/usage", "/v3/settings", "/v3/connections"])
            await world.gives(403, "GET", path, undefined, key);
          await world.gives(
            403,
            "POST",
            "/v4/conversations",
            { conversationId: "x", messages: [{ role: "user", content: "x" }] },
            key,
          );
        },
      ),
      works(
        "An agent key can store conversations and read its own containers",
        inTest(
          "transports/rest-keys",
          "for some containers stores conversations and reads and changes these containers",
        ),
      ),
      works(
        "Items in other containers return 404 by id and are not found by searches",
        inTest("transports/rest-keys", "neither sees nor searches documents of other containers"),
      ),
      works("No restricted key can create, list or revoke keys, or perform a reset", async (world) => {
        const key = await world.scopedKey();
        await world.gives(403, "POST", "/v3/auth/scoped-key", { containerTag: world.tag }, key);
        await world.gives(403, "GET", "/v3/auth/keys", undefined, key);
      }),
    ],
  },
  {
    heading: "Session and keys",
    effects: [
      works(
        "`/v3/session` returns the user and the organisation, and the containers of a restricted key",
        async (world) => {
          expect(await world.ok("GET", "/v3/session")).toMatchObject({
            user: { id: expect.any(String) },
            org: { id: expect.any(String) },
            accessType: "full",
          });
          expect(await world.ok("GET", "/v3/session", undefined, await world.scopedKey())).toMatchObject({
            accessType: "restricted",
            containerTags: [{ containerTag: world.tag, permission: "write" }],
          });
        },
      ),
      works("Fields that a session does not have are absent, not null", async (world) => {
        const { user, org } = await world.ok("GET", "/v3/session");
        const values = [...Object.values(user), ...Object.values(org)];
        expect(values).not.toEqual([]);
        for (const value of values) expect(value).not.toBeNull();
      }),
      works("`GET /v3/auth/key` returns a key only to pages of this server", (world) =>
        world.gives(403, "GET", "/v3/auth/key?client=x"),
      ),
      works("A scoped key is shown once, with its name, its expiry and the six paths", async (world) => {
        const made = await world.ok("POST", "/v3/auth/scoped-key", { containerTag: world.tag });
        expect(made).toMatchObject({ name: `scoped_${world.tag}`, containerTag: world.tag, expiresAt: null });
        expect(made.allowedEndpoints).toEqual(expect.arrayContaining(PATHS));
        expect(JSON.stringify(await world.ok("GET", "/v3/auth/keys"))).not.toContain(made.key);
      }),
      works("`expiresInDays` (1 to 365) sets when the key expires", ofField("POST /v3/auth/scoped-key expiresInDays")),
      works(
        "A key expires to the millisecond and then returns 401",
        inTest("core/keys", "a key is valid until the last millisecond before it expires"),
      ),
      works("An `expiresInDays` out of range returns 400", async (world) => {
        for (const expiresInDays of [0, 366])
          await world.gives(400, "POST", "/v3/auth/scoped-key", { containerTag: world.tag, expiresInDays });
      }),
      works(
        "Responses under a rate limit state the remaining requests",
        inTest("transports/rest-limits", "each answer states the remaining requests"),
      ),
      works("`rateLimitMax` and `rateLimitTimeWindow` limit this key alone, within their bounds", async (world) => {
        await world.gives(400, "POST", "/v3/auth/scoped-key", { containerTag: world.tag, rateLimitMax: 10_001 });
        await world.gives(400, "POST", "/v3/auth/scoped-key", {
          containerTag: world.tag,
          rateLimitTimeWindow: 3_600_001,
        });
      }),
      works(
        "`containerTags` creates one key for several containers",
        ofField("POST /v3/auth/scoped-key containerTags"),
      ),
      works("A deleted key no longer works; what it wrote stays", async (world) => {
        const { id, key } = await world.ok("POST", "/v3/auth/scoped-key", { containerTag: world.tag });
        const shown = { authorization: `Bearer ${key}` };
        await world.ok(
          "POST",
          "/v4/memories",
          { containerTag: world.tag, memories: [{ content: "Mia keeps bees" }] },
          shown,
        );
        expect(await world.ok("DELETE", `/v3/auth/scoped-key/${id}`)).toMatchObject({ success: true });
        await world.gives(401, "GET", "/v3/session", undefined, shown);
        expect(await world.entries()).toHaveLength(1);
        await world.gives(404, "DELETE", `/v3/auth/scoped-key/${id}`);
      }),
      works(
        "A key can be disabled and enabled",
        inTest("transports/rest-keys", "is listed without its secret, disabled and enabled, and deleted"),
      ),
      works(
        "An agent key has a permission, containers, an expiry and a plugin",
        ofField("POST /v3/auth/agent-key pluginId"),
      ),
      works(
        "Mail is sent before a key expires",
        inTest("core/expiring-keys", "is announced 14, 3 and 1 days before and when it has expired, once each"),
      ),
      works("`/v3/auth/plugins` lists the connected plugins", (world) => world.ok("GET", "/v3/auth/plugins")),
      works(
        "The command line and plugins sign in through the browser",
        inTest("e2e/connect-flow", "is signed in, stores what it needs, and its key works"),
      ),
      works(
        "Apps can sign in with OAuth, which they discover through its metadata",
        inTest(
          "transports/oauth-flow",
          "leads from the first 401 to scopes, resource and authorization server metadata",
        ),
      ),
      doesNot(
        "Teams have members, roles and invitations",
        "there is one owner: the list has only the owner, and an invitation is rejected with an explanation",
        async (world) => {
          const { status } = await world.send("POST", "/v3/auth/team/invite", {
            email: "a@example.org",
            role: "member",
          });
          expect(status).toBeGreaterThanOrEqual(400);
          expect(status).toBeLessThan(500);
        },
      ),
      works(
        "Usage is counted, and nothing is limited or billed",
        inTest("transports/rest-small-endpoints", "counts usage and limits nothing"),
      ),
      doesNot(
        "Invoices and automatic top-ups are available",
        "nothing is sold here: the lists are empty",
        async (world) => expect(await world.ok("GET", "/v3/auth/billing/invoices")).toMatchObject({ invoices: [] }),
      ),
    ],
  },
];
