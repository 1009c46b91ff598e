import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createMcpFactory } from "../../src/transports/mcp/server.js";
import { HOSTILE_QUERIES } from "../support/hostile-queries.js";
import { connectInMemory, type McpConnection } from "../support/mcp-client.js";
import { silentLog } from "../support/open-core.js";
import { openRest, type OpenedRest } from "../support/rest.js";

const LIGHTHOUSE = "The lighthouse keeper paints the harbour.";
const BREAD = "Bread rises better in a warm kitchen.";
const OTHERS = "The lighthouse of another container.";

let rest: OpenedRest;
let mcp: McpConnection;

beforeAll(async () => {
  rest = await openRest();
  await rest.send("POST", "/v3/documents", { content: LIGHTHOUSE, containerTag: "mine" });
  await rest.send("POST", "/v3/documents", { content: BREAD, containerTag: "mine" });
  await rest.send("POST", "/v3/documents", { content: OTHERS, containerTag: "theirs" });
  await rest.settle();
  const session = () => Promise.resolve({ core: rest.core, actor: rest.actor });
  mcp = await connectInMemory(
    "v1",
    createMcpFactory({ principal: () => ({ session, defaultContainer: "mine" }), log: silentLog, version: "0.0.0" }),
  );
});
afterAll(async () => {
  await mcp.close();
  await rest.close();
});

describe("hostile queries return results or none", () => {
  test.each(HOSTILE_QUERIES)("POST /v4/search: %s", async (_name, q) => {
    const plain = await rest.send("POST", "/v4/search", { q, containerTag: "mine", threshold: 0 });
    expect(plain.status).toBe(200);
    expect(JSON.stringify(plain.body.results)).not.toContain(OTHERS);
    const careful = {
      rerank: true,
      rewriteQuery: true,
      aggregate: true,
      include: { relatedMemories: true, chunks: true },
    };
    const answer = await rest.send("POST", "/v4/search", { q, containerTag: "mine", ...careful });
    expect(answer.status).toBe(200);
  });

  test.each(HOSTILE_QUERIES)("POST /v3/search: %s", async (_name, q) => {
    const answer = await rest.send("POST", "/v3/search", { q, containerTags: ["mine"] });
    expect(answer.status).toBe(200);
    expect(JSON.stringify(answer.body.results)).not.toContain(OTHERS);
  });

  test.each(HOSTILE_QUERIES)("POST /v4/profile: %s", async (_name, q) => {
    const answer = await rest.send("POST", "/v4/profile", { q, containerTag: "mine" });
    expect(answer.status).toBe(200);
  });

  test.each(HOSTILE_QUERIES.filter(([, query]) => query.length <= 1_000_000))(
    "MCP search: %s",
    async (_name, query) => {
      const answer = await mcp.call("search", { query, threshold: 0 });
      expect(answer.isError ?? false).toBe(false);
      expect(answer.text).not.toContain(OTHERS);
    },
  );
});

describe("the searchable words of a malformed query are searched for", () => {
  test.each([
    "100 KB of prose",
    "a column filter",
    "brackets",
    "escape sequences",
    "marks of direction",
    "white space of all kinds",
    "mixed scripts",
  ])("%s", async (named) => {
    const q = HOSTILE_QUERIES.find(([name]) => name === named)?.[1];
    const { body } = await rest.send("POST", "/v4/search", { q, containerTag: "mine", threshold: 0 });
    expect(body.results[0]?.chunk ?? body.results[0]?.memory).toBe(LIGHTHOUSE);
  });
});
