import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CLIENTS, type ClientName, type McpConnection, type ToolResult } from "../support/mcp-client.js";

/** One of the ways in which users reach the server. */
export type Reach = (client: ClientName, options?: { readonly tools?: "all" }) => Promise<McpConnection>;

const SMALL = [
  "search",
  "add-memory",
  "profile",
  "fetch",
  "forget",
  "undo",
  "pending-extractions",
  "submit-extraction",
];
const OLD = ["search_memory", "add_memory", "memory", "recall", "listDocuments", "whoAmI", "addToSupermemory"];
const FENCE = /<recalled \w+>\n[\s\S]*<\/recalled \w+>/;

let boxes = 0;

/** What both generations of the official client must find, in every mode, over every transport. */
export function describeMcp(transport: string, reach: Reach): void {
  describe.each(CLIENTS)(`the client %s over ${transport}`, (client) => {
    /** Shared by all tests, since each client over stdio is a program. */
    let mcp: McpConnection;
    beforeAll(async () => {
      mcp = await reach(client);
    });
    afterAll(() => mcp.close());
    const newBox = () => `${transport.replaceAll(/\W/g, "-")}-${client.replaceAll(" ", "-")}-${(boxes += 1)}`;

    test("gets instructions, and the same short list of tools every time", async () => {
      expect(mcp.instructions).toContain("Recall first.");
      const tools = await mcp.listTools();
      expect(tools.map(({ name }) => name)).toEqual(SMALL);
      expect(await mcp.listTools()).toEqual(tools);
    });

    test("gets the tools of all generations on request, after the current ones", async () => {
      const all = await reach(client, { tools: "all" });
      const names = (await all.listTools()).map(({ name }) => name);
      await all.close();
      expect(names.slice(0, SMALL.length)).toEqual(SMALL);
      expect(names).toEqual(expect.arrayContaining(OLD));
      expect(new Set(names).size).toBe(names.length);
    });

    test("stores, finds, reads and forgets", async () => {
      const containerTag = newBox();
      const call = (name: string, args: Record<string, unknown>) => succeed(mcp.call(name, args));
      const added = await call("add-memory", {
        content: "Vera lives in Oslo.",
        facts: [{ text: "Vera lives in Oslo." }],
        containerTag,
        wait: 30,
      });
      expect(added.structured).toMatchObject({ searchable: true, containerTag });
      const [{ id } = { id: "" }] = added.structured["added"] as { id: string }[];
      const found = await call("search", { query: "Where does Vera live?", containerTag });
      expect(found.text).toMatch(FENCE);
      expect(found.structured["results"]).toEqual(expect.arrayContaining([expect.objectContaining({ id })]));
      expect((await call("fetch", { id })).structured).toMatchObject({ kind: "memory", text: "Vera lives in Oslo." });
      expect((await call("profile", { containerTag })).text).toContain("Vera lives in Oslo.");
      const { contents } = await mcp.client.readResource({ uri: `memory://memories/${id}` });
      expect(contents).toMatchObject([{ text: expect.stringMatching(FENCE) }]);
      await call("forget", { id });
      expect((await mcp.call("fetch", { id })).isError).toBe(true);
      await expect(mcp.client.readResource({ uri: `memory://memories/${id}` })).rejects.toMatchObject({
        code: -32_602,
      });
    });

    test("may call tools of earlier generations that are not listed", async () => {
      const namespace = newBox();
      const saved = await succeed(mcp.call("memory", { content: "Vera likes fjords.", namespace }));
      expect(saved.structured).toMatchObject({ success: true, containerTag: namespace, namespace });
      expect((await succeed(mcp.call("recall", { query: "fjords", namespace }))).text).toContain("Vera likes fjords");
    });

    test("reads resources, fills prompts and completes arguments", async () => {
      const containerTag = newBox();
      await succeed(mcp.call("add_memory", { content: "Vera sails.", containerTag }));
      const { resources } = await mcp.client.listResources();
      expect(resources.map(({ uri }) => uri)).toEqual([
        "memory://profile",
        "memory://containers",
        "memory://connections",
      ]);
      const profile = await mcp.client.readResource({ uri: `memory://profile/${containerTag}` });
      expect(profile.contents).toMatchObject([{ text: expect.stringContaining("Vera sails") }]);
      const { prompts } = await mcp.client.listPrompts();
      expect(prompts.map(({ name }) => name)).toEqual(["context", "recall"]);
      const filled = await mcp.client.getPrompt({ name: "context", arguments: { containerTag } });
      expect(filled.messages).toMatchObject([{ role: "user", content: { text: expect.stringMatching(FENCE) } }]);
      const { completion } = await mcp.client.complete({
        ref: { type: "ref/prompt", name: "recall" },
        argument: { name: "containerTag", value: containerTag },
      });
      expect(completion.values).toEqual([containerTag]);
    });

    test("learns about mistakes: in tool calls by results, in the protocol by errors", async () => {
      const wrong = await mcp.call("search", { query: "" });
      expect([wrong.isError, wrong.text]).toEqual([true, expect.stringContaining("query")]);
      await expect(mcp.call("no-such-tool")).rejects.toMatchObject({ code: -32_602 });
      await expect(mcp.client.getPrompt({ name: "no-such-prompt" })).rejects.toMatchObject({ code: -32_602 });
    });

    test("may send many requests at the same time", async () => {
      const containerTag = newBox();
      const queries = Array.from({ length: 20 }, (_, number) => `What is ${number}?`);
      const answers = await Promise.all(queries.map((query) => mcp.call("search_memory", { query, containerTag })));
      expect(answers.map(({ structured }) => structured["query"])).toEqual(queries);
    });
  });
}

async function succeed(work: Promise<ToolResult>): Promise<ToolResult> {
  const result = await work;
  if (result.isError) throw new Error(result.text);
  return result;
}
