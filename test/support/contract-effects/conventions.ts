import { expect } from "vitest";
import { LOOPBACK } from "../rest.js";
import { type ContractGroup, doesNot, inTest, works } from "./effect.js";

const ID = /^[1-9A-HJ-NP-Za-km-z]{22}$/;
const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const timesIn = (body: unknown): string[] =>
  [...JSON.stringify(body).matchAll(/"(?:createdAt|updatedAt)":"([^"]*)"/g)].map(([, time = ""]) => time);

export const conventions: readonly ContractGroup[] = [
  {
    heading: "Transport",
    effects: [
      works("Responses with a body are `application/json`, including errors", async (world) => {
        const fine = await world.send("GET", "/v3/session");
        const refused = await world.send("GET", "/v3/documents/none");
        for (const { headers } of [fine, refused]) expect(headers.get("content-type")).toContain("application/json");
      }),
      works("`DELETE` accepts a JSON body", async (world) => {
        const id = await world.add("Mia keeps bees.");
        expect(await world.ok("DELETE", "/v3/documents/bulk", { ids: [id] })).toMatchObject({ deletedCount: 1 });
      }),
      works("A 204 response has no body", async (world) => {
        const id = await world.add("Mia keeps bees.");
        expect(await world.gives(204, "DELETE", `/v3/documents/${id}`)).toBeUndefined();
      }),
      works("`/v3/openapi` and `/v4/openapi` describe the API and need no key", async (world) => {
        for (const path of ["/v3/openapi", "/v4/openapi"]) {
          const answer = await world.rest.app.request(path, { headers: { host: "127.0.0.1:6767" } }, LOOPBACK);
          expect(await answer.json()).toMatchObject({ info: { title: "Recollect API" } });
        }
      }),
      works(
        "The API description contains every operation that is served",
        inTest("transports/rest-openapi", "contains each served operation once"),
      ),
      works("`GET /` responds, so that clients can detect the service", (world) => world.gives(200, "GET", "/")),
      works("Paths are decoded once: `%3A` is a colon", async (world) => {
        await world.ok("PATCH", `/v3/container-tags/${world.tag}%3Ax`, { name: "x" });
        expect(await world.ok("GET", `/v3/container-tags/${world.tag}:x`)).toMatchObject({
          containerTag: `${world.tag}:x`,
        });
      }),
      works("Client headers (`x-stainless-*`, `x-sm-source`, `user-agent`) have no effect", (world) =>
        world.gives(200, "GET", "/v3/session", undefined, {
          "x-stainless-lang": "js",
          "x-sm-source": "cli",
          "user-agent": "Supermemory/JS 4",
        }),
      ),
      works("No API path redirects: older paths are served directly", (world) =>
        world.gives(200, "POST", "/v3/memories/list", {}),
      ),
    ],
  },
  {
    heading: "Retries",
    effects: [
      works("A permanent conflict returns `x-should-retry: false`", async (world) => {
        const [memory] = await world.remember("Mia keeps bees");
        const body = { id: memory.id, containerTag: world.tag };
        await world.ok("DELETE", "/v4/memories", body);
        const again = await world.send("DELETE", "/v4/memories", body);
        expect([again.status, again.headers.get("x-should-retry")]).toEqual([409, "false"]);
      }),
      works(
        "A temporary conflict (a merge) can be retried by the client after a short wait",
        inTest(
          "transports/rest-container-tags",
          "the list shows it, and writes to the source are refused with a retry after one second",
        ),
      ),
      works(
        "A 429 response has a `Retry-After` of at most a minute",
        inTest("transports/rest-limits", "requests beyond it answer 429 with a short wait, and have no effect"),
      ),
      works("Repeating an addition with the same `customId` creates no second document", async (world) => {
        const customId = `${world.tag}-1`;
        const ids = [
          await world.add("Mia keeps bees.", { customId }),
          await world.add("Mia keeps bees.", { customId }),
        ];
        expect(ids[1]).toBe(ids[0]);
      }),
      works(
        "Errors that a retry cannot resolve are never 5xx",
        inTest("transports/rest-small-endpoints", "are refused to the SDK once, without a retry"),
      ),
    ],
  },
  {
    heading: "Cross-origin web pages",
    effects: [
      works(
        "A preflight allows any origin, the API's methods and the requested headers",
        inTest(
          "transports/rest-errors",
          "a preflight allows every origin, the methods of the API and the requested headers",
        ),
      ),
      works(
        "Web pages can read `Retry-After`, `x-should-retry` and `X-RateLimit-*`",
        inTest("transports/rest-limits", "web pages may read the rate-limit headers"),
      ),
      works(
        "Preflights need no key",
        inTest("transports/rest-limits", "a preflight is answered without a key, for any path"),
      ),
    ],
  },
  {
    heading: "Errors",
    effects: [
      works(
        "An error response has the strings `error`, `message` and, if there is more to say, `details`",
        async (world) => {
          const body = await world.gives(400, "POST", "/v4/search", { q: "" });
          expect(body).toMatchObject({
            error: expect.any(String),
            message: expect.any(String),
            details: expect.any(String),
          });
        },
      ),
      works("A 400 response names every invalid field by its path", async (world) => {
        const { details, issues } = await world.gives(400, "POST", "/v4/search", { q: "", limit: 0, threshold: 2 });
        for (const field of ["q", "limit", "threshold"]) expect(details).toContain(field);
        expect(issues).toHaveLength(3);
      }),
      works("Numeric strings are rejected where a number is required (`threshold`)", (world) =>
        world.gives(400, "POST", "/v4/search", { q: "a", threshold: "0.5" }),
      ),
      works("A body that is not JSON returns 400", (world) => world.gives(400, "POST", "/v4/search", "{")),
      works(
        "A missing, wrong, disabled or expired key returns 401",
        inTest("core/keys", "the refusal of a key does not say what is wrong with it"),
      ),
      works("An unknown document, memory, container or merge returns 404", async (world) => {
        await world.gives(404, "GET", "/v3/documents/none");
        await world.gives(404, "DELETE", "/v4/memories", { id: "none", containerTag: world.tag });
        await world.gives(404, "GET", `/v3/container-tags/${world.tag}`);
        await world.gives(404, "GET", "/v3/container-tags/merge/none");
      }),
      works(
        "An unknown path returns 404, an unsupported method 405",
        inTest("transports/rest-limits", "a known path with another method answers 405 and names the allowed methods"),
      ),
      works(
        "A text over the limit returns 413, and the response names the limit",
        inTest(
          "transports/rest-errors",
          "refuses a text over the limit, naming it, and stores one at the limit however it is escaped",
        ),
      ),
      works(
        "A 500 response discloses nothing about the internal error",
        inTest("core/failures", "unexpectedly is retried several times, then given up without disclosing the content"),
      ),
      doesNot(
        "402 is returned when credits are used up, 403 when the plan lacks a feature",
        "nothing is sold here: there are no plans, credits or quotas",
        async (world) => {
          const { credits } = await world.ok("GET", "/v3/auth/billing");
          expect(credits).not.toBe(0);
        },
      ),
    ],
  },
  {
    heading: "Limits",
    effects: [
      works(
        "A text has at most 1 MB and a file at most 50 MB; both limits are settings",
        inTest("transports/rest-files", "too large: answers 413 and names the setting"),
      ),
      works("A batch has 1 to 600 documents", async (world) => {
        await world.gives(400, "POST", "/v3/documents/batch", { documents: [] });
        await world.gives(400, "POST", "/v3/documents/batch", { documents: Array(601).fill("x") });
      }),
      works(
        "600 documents fit in one request",
        inTest("transports/rest-batch", "600 documents of a usual size fit in one request"),
      ),
      works("A bulk deletion has 1 to 100 ids", async (world) => {
        await world.gives(400, "DELETE", "/v3/documents/bulk", { ids: [] });
        await world.gives(400, "DELETE", "/v3/documents/bulk", { ids: Array(101).fill("x") });
      }),
      works("A request creates 1 to 100 memories of at most 10,000 characters each", async (world) => {
        for (const memories of [
          [],
          Array(101).fill({ content: "x" }),
          [{ content: "x".repeat(10_001) }],
          [{ content: "" }],
        ])
          await world.gives(400, "POST", "/v4/memories", { containerTag: world.tag, memories });
      }),
      works("`forget-matching` accepts up to 2,000 characters, 500 ids and a `maxForget` of 500", async (world) => {
        for (const body of [{ query: "x".repeat(2001) }, { ids: Array(501).fill("x") }, { query: "x", maxForget: 501 }])
          await world.gives(400, "POST", "/v4/memories/forget-matching", { containerTag: world.tag, ...body });
      }),
      works("Searches accept a `limit` of 1 to 100; the default is 10", async (world) => {
        await world.remember(...Array.from({ length: 12 }, (_, bee) => `Mia has bee number ${bee}`));
        expect(await world.find("Which bees has Mia?")).toHaveLength(10);
        for (const limit of [0, 101, 1.5]) await world.gives(400, "POST", "/v4/search", { q: "a", limit });
        for (const limit of [0, 101]) await world.gives(400, "POST", "/v3/search", { q: "a", limit });
      }),
      works("Lists accept a `limit` of up to 1,100; the default is 10", async (world) => {
        expect((await world.ok("POST", "/v3/documents/list", {})).pagination.limit).toBe(10);
        await world.ok("POST", "/v3/documents/list", { limit: 1100 });
        await world.gives(400, "POST", "/v3/documents/list", { limit: 1101 });
      }),
      works("`entityContext` has at most 1,500 characters", (world) =>
        world.gives(400, "POST", "/v3/documents", { content: "x", entityContext: "x".repeat(1501) }),
      ),
      works("`workspacePrompt` has at most 1,500 characters, `filterPrompt` 1 to 750", async (world) => {
        await world.gives(400, "PATCH", "/v3/settings", { workspacePrompt: "x".repeat(1501) });
        for (const filterPrompt of ["", "x".repeat(751)])
          await world.gives(400, "PATCH", "/v3/settings", { shouldLLMFilter: true, filterPrompt });
      }),
      works("A container tag has at most 100 characters, a `customId` 255, a `conversationId` 255", async (world) => {
        await world.gives(400, "POST", "/v4/search", { q: "x", containerTag: "x".repeat(101) });
        await world.gives(400, "POST", "/v3/documents", { content: "x", customId: "x".repeat(256) });
        await world.gives(400, "POST", "/v4/conversations", {
          conversationId: "x".repeat(256),
          messages: [{ role: "user", content: "x" }],
        });
      }),
      works(
        "A key's own rate limit applies to that key only",
        inTest("transports/rest-keys", "a key's rate applies to that key only"),
      ),
      works("Analytics cover at most 90 days, in pages of at most 100", async (world) => {
        await world.gives(400, "GET", "/v3/analytics/usage?limit=101");
        await world.gives(400, "GET", "/v3/analytics/usage?from=2020-01-01T00:00:00Z&to=2021-01-01T00:00:00Z");
      }),
    ],
  },
  {
    heading: "Ids, times and numbers",
    effects: [
      works("Ids of documents, memories and containers have 22 characters of the base-58 alphabet", async (world) => {
        const document = await world.add("Mia keeps bees.");
        const [entry] = await world.entries();
        for (const id of [document, entry.id, entry.spaceId]) expect(id).toMatch(ID);
      }),
      works("All times are ISO 8601 in UTC with milliseconds", async (world) => {
        const id = await world.add("Mia keeps bees.");
        const times = timesIn([
          await world.document(id),
          await world.entries(),
          await world.find("bees"),
          await world.ok("GET", "/v3/container-tags/list"),
        ]);
        expect(times.length).toBeGreaterThan(6);
        for (const time of times) expect(time).toMatch(MOMENT);
      }),
      works(
        "`similarity` is between 0 and 1, `timing` is in milliseconds, and `total` counts the results returned",
        async (world) => {
          await world.remember("Mia keeps bees", "Mia sells honey");
          const { results, timing, total } = await world.ok("POST", "/v4/search", {
            q: "bees",
            containerTag: world.tag,
            threshold: 0,
            limit: 1,
          });
          expect(results[0].similarity).toBeGreaterThan(0);
          expect(results[0].similarity).toBeLessThanOrEqual(1);
          expect([typeof timing, total, results.length]).toEqual(["number", 1, 1]);
        },
      ),
      works("A field that is always present is `null` if it is not set", async (world) => {
        const document = await world.document(await world.add("Mia keeps bees."));
        expect(document).toMatchObject({
          customId: null,
          connectionId: null,
          filepath: null,
          source: null,
          ogImage: null,
          raw: null,
          spatialPoint: null,
        });
      }),
      works(
        "A document id takes precedence over an equal `customId`",
        inTest("core/documents", "works by id or customId; an id takes precedence over an equal customId"),
      ),
    ],
  },
];
