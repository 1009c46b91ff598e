import { expect } from "vitest";
import { type ContractGroup, doesNot, inTest, ofField, works } from "./effect.js";

const PATHS = ["/v3/documents", "/v3/memories", "/v4/memories", "/v3/search", "/v4/search", "/v4/profile"];

export const keys: readonly ContractGroup[] = [
  {
    heading: "Keys on requests",
    effects: [
      works("`Authorization: Bearer` and `x-api-key` both show a key", async (world) => {
        const { authorization } = await world.scopedKey();
        await world.gives(200, "GET", "/v3/session", undefined, { authorization: authorization ?? "" });
        await world.gives(200, "GET", "/v3/session", undefined, {
          "x-api-key": (authorization ?? "").slice("Bearer ".length),
        });
      }),
      works("A wrong key is 401, also where none is needed", (world) =>
        world.gives(401, "GET", "/v3/session", undefined, { authorization: "Bearer sm_wrong_key0000000000000000" }),
      ),
      works("A key has the form `sm_<organisation>_<secret>`", async (world) => {
        const { org } = await world.ok("GET", "/v3/session");
        expect((await world.scopedKey())["authorization"]).toMatch(new RegExp(`^Bearer sm_${org.id}_\\S{17,}$`));
      }),
      works(
        "This machine needs no key; others do",
        inTest("transports/http", "on all addresses, a key is required, even from this machine"),
      ),
      works(
        "The key `local` of the SDK is taken from this machine",
        inTest("transports/auth", "a program on this machine is accepted with %s"),
      ),
    ],
  },
  {
    heading: "Restricted keys",
    effects: [
      works("Another container is 403, to read or to write", async (world) => {
        const key = await world.scopedKey();
        await world.gives(403, "POST", "/v4/search", { q: "x", containerTag: `${world.tag}-b` }, key);
        await world.gives(403, "POST", "/v3/documents", { content: "x", containerTag: `${world.tag}-b` }, key);
        await world.gives(403, "POST", "/v4/search", { q: "x", containerTags: [world.tag, `${world.tag}-b`] }, key);
      }),
      works("A batch with one foreign tag is refused whole", async (world) => {
        const documents = [{ content: "x" }, { content: "y", containerTag: `${world.tag}-b` }];
        await world.gives(403, "POST", "/v3/documents/batch", { documents }, await world.scopedKey());
        await world.gives(404, "GET", `/v3/container-tags/${world.tag}-b`);
      }),
      works("No tag means the key's own", async (world) => {
        await world.remember("Mia keeps bees");
        await world.ok("POST", "/v4/memories", {
          containerTag: `${world.tag}-b`,
          memories: [{ content: "Tom keeps bees" }],
        });
        const { results } = await world.ok("POST", "/v4/search", { q: "bees", threshold: 0 }, await world.scopedKey());
        expect(results.map(({ memory }: { memory: string }) => memory)).toEqual(["Mia keeps bees"]);
      }),
      works(
        "A write without a tag goes to the only one; with several it has to name one",
        inTest("transports/rest-keys", "has to name one for a write when it has several containers"),
      ),
      works("A key that may only read writes nothing: 403", async (world) => {
        const key = await world.scopedKey({ permission: "read" });
        await world.gives(403, "POST", "/v3/documents", { content: "x" }, key);
        await world.ok("POST", "/v4/search", { q: "x" }, key);
      }),
      works("A scoped key has six paths; conversations, containers, analytics, settings are 403", async (world) => {
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
      }),
      works(
        "An agent key may converse and read its own containers",
        inTest(
          "transports/rest-keys",
          "for some containers stores conversations and reads and changes these containers",
        ),
      ),
      works(
        "What lies elsewhere is 404 by id, and finds no way into a search",
        inTest("transports/rest-keys", "neither sees nor searches documents of other containers"),
      ),
      works("No restricted key makes, lists or revokes keys, or resets", async (world) => {
        const key = await world.scopedKey();
        await world.gives(403, "POST", "/v3/auth/scoped-key", { containerTag: world.tag }, key);
        await world.gives(403, "GET", "/v3/auth/keys", undefined, key);
      }),
    ],
  },
  {
    heading: "Session and keys",
    effects: [
      works("`/v3/session` has user and organisation; of a restricted key its containers", async (world) => {
        expect(await world.ok("GET", "/v3/session")).toMatchObject({
          user: { id: expect.any(String) },
          org: { id: expect.any(String) },
          accessType: "full",
        });
        expect(await world.ok("GET", "/v3/session", undefined, await world.scopedKey())).toMatchObject({
          accessType: "restricted",
          containerTags: [{ containerTag: world.tag, permission: "write" }],
        });
      }),
      works("What a session does not have is absent, not null", async (world) => {
        const { user, org } = await world.ok("GET", "/v3/session");
        for (const value of [...Object.values(user), ...Object.values(org)]) expect(value).not.toBeNull();
      }),
      works("`GET /v3/auth/key` gives a key to pages of this server alone", (world) =>
        world.gives(403, "GET", "/v3/auth/key?client=x"),
      ),
      works("A scoped key is told once, with name, end and the six paths", async (world) => {
        const made = await world.ok("POST", "/v3/auth/scoped-key", { containerTag: world.tag });
        expect(made).toMatchObject({ name: `scoped_${world.tag}`, containerTag: world.tag, expiresAt: null });
        expect(made.allowedEndpoints).toEqual(expect.arrayContaining(PATHS));
        expect(JSON.stringify(await world.ok("GET", "/v3/auth/keys"))).not.toContain(made.key);
      }),
      works("`expiresInDays` (1 to 365) is when it ends", ofField("POST /v3/auth/scoped-key expiresInDays")),
      works(
        "It ends to the millisecond, with 401",
        inTest("core/keys", "a key is valid until the last millisecond before it expires"),
      ),
      works("`expiresInDays` beyond its bounds is 400", async (world) => {
        for (const expiresInDays of [0, 366])
          await world.gives(400, "POST", "/v3/auth/scoped-key", { containerTag: world.tag, expiresInDays });
      }),
      works(
        "Answers under a rate say what is left of it",
        inTest("transports/rest-limits", "each answer states the remaining requests"),
      ),
      works("`rateLimitMax` and `rateLimitTimeWindow` limit it alone, in their bounds", async (world) => {
        await world.gives(400, "POST", "/v3/auth/scoped-key", { containerTag: world.tag, rateLimitMax: 10_001 });
        await world.gives(400, "POST", "/v3/auth/scoped-key", {
          containerTag: world.tag,
          rateLimitTimeWindow: 3_600_001,
        });
      }),
      works("`containerTags` makes one key for several containers", ofField("POST /v3/auth/scoped-key containerTags")),
      works("Deleted, it opens nothing any more; what it wrote stays", async (world) => {
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
        "A key is switched off and on",
        inTest("transports/rest-keys", "is listed without its secret, disabled and enabled, and deleted"),
      ),
      works("An agent key has permission, containers, end and plugin", ofField("POST /v3/auth/agent-key pluginId")),
      works(
        "Mail goes out before a key ends",
        inTest("core/expiring-keys", "is announced 14, 3 and 1 days before and when it has expired, once each"),
      ),
      works("`/v3/auth/plugins` lists what is connected", (world) => world.ok("GET", "/v3/auth/plugins")),
      works(
        "The command line and plugins sign in by the browser",
        inTest("e2e/connect-flow", "is signed in, stores what it needs, and its key works"),
      ),
      works(
        "OAuth sign-in by its metadata, for apps that want it",
        inTest(
          "transports/oauth-flow",
          "leads from the first 401 to scopes, resource and authorization server metadata",
        ),
      ),
      doesNot(
        "Members, roles and invitations of a team",
        "there is one owner: the list has the owner alone, an invitation is refused in words",
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
      doesNot("Invoices and automatic top-ups", "nothing is sold here: the lists are empty", async (world) =>
        expect(await world.ok("GET", "/v3/auth/billing/invoices")).toMatchObject({ invoices: [] }),
      ),
    ],
  },
];
