import { expect } from "vitest";
import { type ContractGroup, doesNot, inTest, ofField, works } from "./effect.js";

const NO_V5 = "the fifth generation of paths is not served; the SDKs up to version 4, which use v3 and v4, are served";

export const otherDoors: readonly ContractGroup[] = [
  {
    heading: "Analytics",
    effects: [
      works(
        "`usage` counts by type, hour and key",
        inTest("transports/rest-analytics", "usage: by type, by hour, by key, and the number of documents"),
      ),
      works(
        "`errors` has the fields of the documentation and those of the web app",
        inTest("transports/rest-analytics", "errors: the fields of the documentation and of the web app"),
      ),
      works(
        "`logs` and `requests` list each call, the newest first, without what was sent",
        inTest("transports/rest-analytics", "no request content is recorded: no text, no key, no unknown path"),
      ),
      works(
        "`from`, `to`, `period`, `type`, `statusCode`, `keyId`, `status`, `id` narrow them",
        ofField("GET /v3/analytics/logs ?statusCode"),
      ),
      works(
        "`memory` has totals, searches, tokens and growth",
        inTest(
          "transports/rest-analytics",
          "memory: current totals, searches and tokens of the period, growth since the previous one",
        ),
      ),
      doesNot(
        "`chat` counts conversations with models",
        "nothing is chatted with here: its figures are zero",
        (world) => world.ok("GET", "/v3/analytics/chat"),
      ),
    ],
  },
  {
    heading: "Projects and what the web app and graphs read",
    effects: [
      works("Projects are listed, and made with a tag from their name", async (world) => {
        const made = await world.ok("POST", "/v3/projects", { name: `My ${world.tag}`, emoji: "🐝" });
        expect(made.containerTag).toMatch(/^sm_project_/);
        expect(JSON.stringify(await world.ok("GET", "/v3/projects"))).toContain(made.containerTag);
      }),
      works(
        "A project is deleted with all that is in it, or after moving it",
        inTest(
          "transports/rest-projects",
          "moves its content first if asked to, and removes it from the list immediately",
        ),
      ),
      works("`move` without a target is 400", async (world) => {
        const { id } = await world.ok("POST", "/v3/projects", { name: world.tag });
        await world.gives(400, "DELETE", `/v3/projects/${id}`, { action: "move" });
      }),
      works(
        "`/v3/documents/documents` gives documents with all their memories, superseded and forgotten ones too",
        inTest(
          "transports/rest-documents-with-memories",
          "includes superseded and forgotten memories, with their flags and relations",
        ),
      ),
      works(
        "Its texts are cut at 2,000 characters",
        inTest("transports/rest-documents-with-memories", "cuts a long text at 2,000 characters and counts it whole"),
      ),
      works(
        "`by-ids` gives those asked for, in that order",
        inTest(
          "transports/rest-documents-with-memories",
          "returns documents in the order requested, each once, without unknown ones",
        ),
      ),
      works(
        "`facets` counts by category",
        inTest("transports/rest-documents-with-memories", "counts each document once, with readable labels"),
      ),
      works("`sources` and `categories` narrow it", ofField("POST /v3/documents/documents sources")),
      doesNot(
        "Weekly digests, welcome mails, waiting lists, old MCP sign-ins",
        "these belong to the hosted product: answered as empty or done",
        inTest("transports/rest-small-endpoints", "answer truthfully for this server"),
      ),
    ],
  },
  {
    heading: "MCP",
    effects: [
      works(
        "Streamable HTTP at `/mcp`, `/mcp/` and `/`, without sessions",
        inTest("transports/mcp-http", "all paths that clients use answer"),
      ),
      works(
        "The resource's OAuth metadata is served",
        inTest(
          "transports/oauth-flow",
          "leads from the first 401 to scopes, resource and authorization server metadata",
        ),
      ),
      works(
        "A wrong key is 401 with `WWW-Authenticate`",
        inTest(
          "transports/mcp-http",
          "a wrong key is refused as the protocol requires, without saying which part is wrong",
        ),
      ),
      works(
        "Search finds, with similarity, in the container that is named",
        inTest("transports/mcp-tools", "shows each result with id, kind, similarity, date and source"),
      ),
      works("Search respects `limit` and `threshold`", inTest("transports/mcp-tools", "respects limit and threshold")),
      works(
        "Adding keeps and forgetting forgets",
        inTest("transports/mcp-tools", "stores, finds, shows, updates and forgets"),
      ),
      works(
        "Documents are given whole, page by page",
        inTest("transports/mcp-tools", "returns a long document page by page, without gaps or split characters"),
      ),
      works(
        "The profile is told, and answers a question at the same time",
        inTest("transports/mcp-tools", "answers a question at the same time"),
      ),
      works(
        "Tools under their older names serve older clients",
        inTest(
          "transports/mcp-legacy-tools",
          "a memory saved under an old tool name is found and forgotten under others",
        ),
      ),
      works(
        "Resources `supermemory://profile` and `supermemory://spaces`, prompt `context`",
        inTest(
          "transports/mcp-resources",
          "can be read without being listed, and are listed with the tools of all generations",
        ),
      ),
      works(
        "A key's containers and permission hold for tools",
        inTest(
          "transports/mcp-http",
          "apply to the tools: a key for one container writes there by default, and nowhere else",
        ),
      ),
      doesNot(
        "Widgets, and uploads by one-time links",
        "files are uploaded over REST; the graph is drawn from REST, not within a chat",
        (world) => world.gives(404, "POST", "/upload/00000000-0000-4000-8000-000000000000", {}),
      ),
    ],
  },
  {
    heading: "What the hosted product has beside it",
    effects: [
      doesNot(
        "`/v3/http…` forwards calls to model providers and adds memories (memory router)",
        "not served: the vendor took it out of its documentation",
        (world) => world.gives(404, "POST", "/v3/https://api.openai.com/v1/chat/completions", {}),
      ),
      doesNot("Webhooks and event streams", "the API promises none; progress is asked for", (world) =>
        world.gives(404, "GET", "/v3/webhooks"),
      ),
      works("A local service is found by `Supermemory.local()`: any answer to `GET /`", (world) =>
        world.gives(200, "GET", "/"),
      ),
    ],
  },
  {
    heading: "The fifth generation",
    effects: [
      doesNot("`/ns/{namespace}/…`: documents, search, profile, memories, lists", NO_V5, (world) =>
        world.gives(404, "POST", `/ns/${world.tag}/search`, { query: "x" }),
      ),
      works(
        "Whoever asks for a path of it is told what to use in its place",
        inTest("transports/path-advice", "%s %s of the fifth generation answers 404 and names the replacement"),
      ),
      doesNot("`/namespaces`, `/organization`", NO_V5, (world) => world.gives(404, "GET", "/namespaces")),
      doesNot("`/connectors`, `/ns/{namespace}/connectors`", NO_V5, (world) => world.gives(404, "GET", "/connectors")),
      works(
        "What an SDK 5.0.0-rc writes out (all defaults, `numericOperator` on each condition) is understood on v3 and v4",
        async (world) => {
          await world.remember({ content: "Mia keeps bees", metadata: { team: "a" } });
          const condition = {
            key: "team",
            value: "a",
            filterType: "metadata",
            numericOperator: "=",
            negate: false,
            ignoreCase: false,
          };
          const found = await world.find("Who keeps bees?", {
            searchMode: "memories",
            limit: 10,
            rerank: false,
            aggregate: false,
            rewriteQuery: false,
            filters: { AND: [condition] },
            include: {
              documents: false,
              summaries: false,
              relatedMemories: false,
              forgottenMemories: false,
              chunks: false,
            },
          });
          expect(found).toMatchObject([{ memory: "Mia keeps bees" }]);
        },
      ),
    ],
  },
];
