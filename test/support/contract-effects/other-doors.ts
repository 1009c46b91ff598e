import { expect } from "vitest";
import { type ContractGroup, doesNot, inTest, ofField, works } from "./effect.js";

const NO_V5 = "the fifth generation of paths is not served; SDKs up to version 4, which use v3 and v4, are served";

export const otherDoors: readonly ContractGroup[] = [
  {
    heading: "Analytics",
    effects: [
      works(
        "`usage` counts requests by type, hour and key",
        inTest("transports/rest-analytics", "usage: by type, by hour, by key, and the number of documents"),
      ),
      works(
        "`errors` has the documented fields and those of the web app",
        inTest("transports/rest-analytics", "errors: the fields of the documentation and of the web app"),
      ),
      works(
        "`logs` and `requests` list every request, newest first, without its content",
        inTest("transports/rest-analytics", "no request content is recorded: no text, no key, no unknown path"),
      ),
      works(
        "`from`, `to`, `period`, `type`, `statusCode`, `keyId`, `status` and `id` narrow the lists",
        ofField("GET /v3/analytics/logs ?statusCode"),
      ),
      works(
        "`memory` returns totals, searches, tokens and growth",
        inTest(
          "transports/rest-analytics",
          "memory: current totals, searches and tokens of the period, growth since the previous one",
        ),
      ),
      doesNot("`chat` counts conversations with models", "there is no chat here: its figures are zero", (world) =>
        world.ok("GET", "/v3/analytics/chat"),
      ),
    ],
  },
  {
    heading: "Projects, and what the web app and graphs read",
    effects: [
      works("Projects are listed, and created with a tag derived from their name", async (world) => {
        const made = await world.ok("POST", "/v3/projects", { name: `My ${world.tag}`, emoji: "🐝" });
        expect(made.containerTag).toMatch(/^sm_project_/);
        expect(JSON.stringify(await world.ok("GET", "/v3/projects"))).toContain(made.containerTag);
      }),
      works(
        "A project is deleted with its content, or after its content has been moved",
        inTest(
          "transports/rest-projects",
          "moves its content first if asked to, and removes it from the list immediately",
        ),
      ),
      works("`move` without a target returns 400", async (world) => {
        const { id } = await world.ok("POST", "/v3/projects", { name: world.tag });
        await world.gives(400, "DELETE", `/v3/projects/${id}`, { action: "move" });
      }),
      works(
        "`/v3/documents/documents` returns documents with all their memories, including superseded and forgotten ones",
        inTest(
          "transports/rest-documents-with-memories",
          "includes superseded and forgotten memories, with their flags and relations",
        ),
      ),
      works(
        "Long texts are truncated to 2,000 characters",
        inTest("transports/rest-documents-with-memories", "cuts a long text at 2,000 characters and counts it whole"),
      ),
      works(
        "`by-ids` returns the requested documents in the order requested",
        inTest(
          "transports/rest-documents-with-memories",
          "returns documents in the order requested, each once, without unknown ones",
        ),
      ),
      works(
        "`facets` counts documents by category",
        inTest("transports/rest-documents-with-memories", "counts each document once, with readable labels"),
      ),
      works(
        "`sources` and `categories` narrow `/v3/documents/documents`",
        ofField("POST /v3/documents/documents sources"),
      ),
      doesNot(
        "Weekly digests, welcome mails, waiting lists and old MCP sign-ins are available",
        "these belong to the hosted product: requests are answered as empty or done",
        inTest("transports/rest-small-endpoints", "answer truthfully for this server"),
      ),
    ],
  },
  {
    heading: "MCP",
    effects: [
      works(
        "Streamable HTTP is served at `/mcp`, `/mcp/` and `/`, without sessions",
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
        "A wrong key returns 401 with `WWW-Authenticate`",
        inTest(
          "transports/mcp-http",
          "a wrong key is refused as the protocol requires, without saying which part is wrong",
        ),
      ),
      works(
        "Search returns results with their similarity, from the named container",
        inTest("transports/mcp-tools", "shows each result with id, kind, similarity, date and source"),
      ),
      works("Search respects `limit` and `threshold`", inTest("transports/mcp-tools", "respects limit and threshold")),
      works(
        "Memories can be added and forgotten",
        inTest("transports/mcp-tools", "stores, finds, shows, updates and forgets"),
      ),
      works(
        "Documents are returned in full, page by page",
        inTest("transports/mcp-tools", "returns a long document page by page, without gaps or split characters"),
      ),
      works(
        "The profile tool returns the profile and answers a question at the same time",
        inTest("transports/mcp-tools", "answers a question at the same time"),
      ),
      works(
        "Older clients can call tools by their older names",
        inTest(
          "transports/mcp-legacy-tools",
          "a memory saved under an old tool name is found and forgotten under others",
        ),
      ),
      works(
        "The resources `supermemory://profile` and `supermemory://spaces` and the prompt `context` are available",
        inTest(
          "transports/mcp-resources",
          "can be read without being listed, and are listed with the tools of all generations",
        ),
      ),
      works(
        "A key's containers and permission apply to tools",
        inTest(
          "transports/mcp-http",
          "apply to the tools: a key for one container writes there by default, and nowhere else",
        ),
      ),
      doesNot(
        "Widgets, and uploads by one-time links, are available",
        "files are uploaded over REST; the graph is drawn from REST, not within a chat",
        (world) => world.gives(404, "POST", "/upload/00000000-0000-4000-8000-000000000000", {}),
      ),
    ],
  },
  {
    heading: "Other parts of the hosted product",
    effects: [
      doesNot(
        "`/v3/http…` forwards calls to model providers and adds memories (memory router)",
        "it is not served: the vendor removed it from its documentation",
        (world) => world.gives(404, "POST", "/v3/https://api.openai.com/v1/chat/completions", {}),
      ),
      doesNot(
        "Webhooks and event streams report progress",
        "the API promises none; clients poll for progress",
        (world) => world.gives(404, "GET", "/v3/webhooks"),
      ),
      works("`Supermemory.local()` finds a local service by any response to `GET /`", (world) =>
        world.gives(200, "GET", "/"),
      ),
    ],
  },
  {
    heading: "The fifth generation",
    effects: [
      doesNot("`/ns/{namespace}/…` serves documents, search, profile, memories and lists", NO_V5, (world) =>
        world.gives(404, "POST", `/ns/${world.tag}/search`, { query: "x" }),
      ),
      works(
        "A request for one of these paths returns 404 and names the replacement",
        inTest("transports/path-advice", "%s %s of the fifth generation answers 404 and names the replacement"),
      ),
      doesNot("`/namespaces` and `/organization` are served", NO_V5, (world) => world.gives(404, "GET", "/namespaces")),
      doesNot("`/connectors` and `/ns/{namespace}/connectors` are served", NO_V5, (world) =>
        world.gives(404, "GET", "/connectors"),
      ),
      works(
        "Requests of an SDK 5.0.0-rc (all defaults, `numericOperator` on each condition) are understood on v3 and v4",
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
