import { StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { connectionOf, createClient, type McpConnection } from "../support/mcp-client.js";
import { type OpenedRest, openRest } from "../support/rest.js";

let rest: OpenedRest;
let url: string;
const open: McpConnection[] = [];
beforeAll(async () => {
  rest = await openRest();
  ({ url } = await rest.listen());
  for (const [tag, place] of [
    ["alpha", "Ulm"],
    ["beta", "Ghent"],
    ["gamma", "Oslo"],
  ] as const)
    await rest.core.createMemories(
      { actor: rest.actor },
      { containerTag: tag, memories: [{ content: `The bakery is in ${place}.`, isStatic: true }] },
    );
  await rest.settle();
});
afterAll(async () => {
  for (const connection of open) await connection.close();
  await rest.close();
});

async function connect(kind: string, grants: { containerTag: string; permission?: string }[]): Promise<McpConnection> {
  const { secret } = await rest.core.createKey({ actor: rest.actor }, { kind, grants });
  const client = createClient("v2 auto");
  const requestInit = { headers: { authorization: `Bearer ${secret}` } };
  const transport = new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit });
  await (client as { connect(to: unknown): Promise<void> }).connect(transport);
  const connection = connectionOf(client);
  open.push(connection);
  return connection;
}

const BOTH = [{ containerTag: "alpha" }, { containerTag: "beta" }];

describe("a key for two containers, over MCP without naming one", () => {
  test.each<[tool: string, args: Record<string, unknown>]>([
    ["search", { query: "Where is the bakery?" }],
    ["profile", {}],
    ["profile", { q: "Where is the bakery?" }],
    ["search_memory", { query: "Where is the bakery?" }],
    ["recall", { query: "Where is the bakery?" }],
    ["searchSupermemory", { informationToGet: "Where is the bakery?" }],
    ["get_profile", {}],
    ["list_memories", {}],
    ["memory-graph", {}],
  ])("reads both with %s %j, and nothing else", async (tool, args) => {
    const { isError, text, structured } = await (await connect("scoped", BOTH)).call(tool, args);
    const all = text + JSON.stringify(structured);
    expect([isError, all.includes("Ulm"), all.includes("Ghent"), all.includes("Oslo")]).toEqual([
      false,
      true,
      true,
      false,
    ]);
  });

  test("reads both with the profile resource and the prompts", async () => {
    const { client } = await connect("scoped", BOTH);
    const { contents } = await client.readResource({ uri: "memory://profile" });
    const context = await client.getPrompt({ name: "context" });
    const recall = await client.getPrompt({ name: "recall", arguments: { topic: "Where is the bakery?" } });
    for (const told of [contents, context, recall].map((one) => JSON.stringify(one)))
      expect([told.includes("Ulm"), told.includes("Ghent"), told.includes("Oslo")]).toEqual([true, true, false]);
  });

  test.each<[tool: string, args: Record<string, unknown>]>([
    ["add-memory", { content: "Rye." }],
    ["forget", { content: "The bakery is in Ulm." }],
    ["add_memory", { content: "Rye.", action: "save" }],
    ["addToSupermemory", { thingToRemember: "Rye." }],
    ["pending-extractions", {}],
  ])("is asked which container %s means", async (tool, args) => {
    const { isError, text } = await (await connect("scoped", BOTH)).call(tool, args);
    expect([isError, text]).toEqual([true, expect.stringContaining("which may write to alpha, beta")]);
  });

  test("learns from who_am_i where it acts", async () => {
    const spaceOf = async (grants: { containerTag: string; permission?: string }[]) =>
      (await (await connect("agent", grants)).call("who_am_i", {})).structured["activeSpace"];
    expect(await spaceOf([{ containerTag: "alpha", permission: "read" }, { containerTag: "beta" }])).toBe("beta");
    expect(await spaceOf([{ containerTag: "alpha", permission: "read" }])).toBe("alpha");
    expect(await spaceOf([{ containerTag: "alpha" }, { containerTag: "sm_project_default" }])).toBe(
      "sm_project_default",
    );
  });

  test("writes to the default container if granted, and to the only container that it may write to", async () => {
    const withDefault = await connect("scoped", [{ containerTag: "alpha" }, { containerTag: "sm_project_default" }]);
    const added = await withDefault.call("add-memory", { content: "Rye." });
    expect([added.isError, added.structured["containerTag"]]).toEqual([false, "sm_project_default"]);
    const oneToWrite = await connect("agent", [
      { containerTag: "alpha", permission: "read" },
      { containerTag: "beta", permission: "write" },
    ]);
    const kept = await oneToWrite.call("add-memory", { content: "Spelt." });
    expect([kept.isError, kept.structured["containerTag"]]).toEqual([false, "beta"]);
  });
});
