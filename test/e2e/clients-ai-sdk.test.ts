import * as tools from "@supermemory/tools/ai-sdk";
import { afterAll, beforeAll, describe, expect } from "vitest";
import { openClientService, type ClientService } from "../support/client-service.js";
import { tryClient } from "../support/client-table.js";
import { requireFromTools } from "../support/from-tools.js";
import { waitFor } from "../support/recollect-process.js";
import { startScriptedModel, type ScriptedModel } from "../support/scripted-model.js";

/** The memory tools for the AI SDK, called by the AI SDK itself at a model's request. */

type Model = Parameters<typeof tools.withSupermemory>[0];
interface Generated {
  readonly text: string;
  readonly steps: readonly { readonly toolResults: readonly { readonly output: unknown }[] }[];
}
const { generateText, stepCountIs } = requireFromTools("ai") as {
  readonly generateText: (options: object) => Promise<Generated>;
  readonly stepCountIs: (count: number) => unknown;
};
const { createOpenAI } = requireFromTools("@ai-sdk/openai") as {
  readonly createOpenAI: (options: { baseURL: string; apiKey: string }) => { chat(model: string): Model };
};

const TAG = "user_ai";
let service: ClientService;
let llm: ScriptedModel;
let model: Model;
beforeAll(async () => {
  service = await openClientService();
  llm = await startScriptedModel();
  model = createOpenAI({ baseURL: llm.url, apiKey: "none" }).chat("scripted");
});
afterAll(async () => {
  await llm.close();
  await service.close();
});

const config = () => ({ baseUrl: service.url, containerTags: [TAG] });

/** Makes the model call one tool, and returns the tool's result. */
async function askFor(tool: string, input: object): Promise<unknown> {
  llm.script({ tool, input }, "Done.");
  const { text, steps } = await generateText({
    model,
    prompt: "Use your memory.",
    tools: tools.supermemoryTools(service.key, config()),
    stopWhen: stepCountIs(2),
  });
  expect(text).toBe("Done.");
  return steps[0]?.toolResults[0]?.output;
}

/** Calls a tool without a model. */
function execute(tool: unknown, input: object): Promise<unknown> {
  const executable = tool as { execute(input: object, options: object): Promise<unknown> };
  return executable.execute(input, { toolCallId: "call", messages: [] });
}

const trial = tryClient("aiSdkTools");

describe("tools called by a model", () => {
  trial.tries("supermemoryTools", "add, search, list, forget and delete", async () => {
    const added = await askFor("addMemory", { memory: "Ada's favourite tea is Assam." });
    expect(added).toMatchObject({ success: true, memory: { id: expect.any(String), status: "queued" } });
    const content = "Ada moved to Porto in May. She rents a flat above a bakery.";
    const document = await askFor("documentAdd", { content, title: "Moving", description: "News" });
    expect(document).toMatchObject({ success: true, document: { id: expect.any(String) } });
    await service.settle();
    const found = await askFor("searchMemories", { informationToGet: "What is Ada's favourite tea?", limit: 5 });
    expect(found).toMatchObject({ success: true, count: expect.any(Number) });
    expect(JSON.stringify(found)).toContain("Assam");
    expect(await askFor("getProfile", { query: "favourite tea" })).toMatchObject({
      success: true,
      profile: { static: expect.any(Array), dynamic: expect.any(Array) },
      searchResults: { results: expect.any(Array), total: expect.any(Number) },
    });
    expect(await askFor("documentList", { limit: 10, page: 1 })).toMatchObject({
      success: true,
      documents: [{ metadata: { title: "Moving", description: "News" } }, { metadata: null }],
      pagination: { totalItems: 2 },
    });
    const { results } = found as { results: { id: string; memory?: string }[] };
    const memoryId = results.find(({ memory }) => memory?.includes("Assam"))?.id;
    expect(await askFor("memoryForget", { memoryId, reason: "changed" })).toMatchObject({ success: true });
    const { id } = (document as { document: { id: string } }).document;
    expect(await askFor("documentDelete", { documentId: id })).toMatchObject({ success: true });
    expect(await askFor("documentDelete", { documentId: id })).toMatchObject({
      success: false,
      error: expect.stringContaining("not found"),
    });
  });
});

describe("tools called directly", () => {
  trial.tries(["addMemoryTool", "searchMemoriesTool", "getProfileTool"], "work without a model", async () => {
    const added = await execute(tools.addMemoryTool(service.key, config()), { memory: "Ada's cat is called Byron." });
    expect(added).toMatchObject({ success: true });
    await service.settle();
    const found = await execute(tools.searchMemoriesTool(service.key, config()), {
      informationToGet: "What is the cat called?",
    });
    expect(JSON.stringify(found)).toContain("Byron");
    const profile = await execute(tools.getProfileTool(service.key, config()), { containerTag: "user_nobody" });
    expect(profile).toMatchObject({ success: true, profile: { static: [], dynamic: [] } });
  });

  trial.tries(
    ["documentAddTool", "documentListTool", "documentDeleteTool"],
    "delete by customId, in scope only",
    async () => {
      const wide = { baseUrl: service.url, containerTags: ["team_1", "team_2"] };
      const added = await execute(tools.documentAddTool(service.key, wide), { content: "Both teams meet at nine." });
      const { id } = (added as { document: { id: string } }).document;
      await service.settle();
      await service.rest.send("PATCH", `/v3/documents/${id}`, { customId: "meeting" });
      const narrow = { baseUrl: service.url, containerTags: ["team_2"] };
      expect(await execute(tools.documentListTool(service.key, narrow), {})).toMatchObject({
        success: true,
        documents: [{ id, containerTags: ["team_1", "team_2"] }],
      });
      const refused = await execute(tools.documentDeleteTool(service.key, narrow), { documentId: id });
      expect(refused).toMatchObject({ success: false, error: expect.stringContaining("container-tag") });
      const deleted = await execute(tools.documentDeleteTool(service.key, wide), { documentId: "meeting" });
      expect(deleted).toMatchObject({ success: true });
    },
  );

  trial.tries("memoryForgetTool", "forgets by exact text, and reports when nothing matches", async () => {
    const forget = tools.memoryForgetTool(service.key, { baseUrl: service.url, projectId: "tea" });
    await service.rest.send("POST", "/v4/memories", {
      containerTag: "sm_project_tea",
      memories: [{ content: "Tea is at four." }],
    });
    expect(await execute(forget, { memoryContent: "Tea is at four." })).toMatchObject({ success: true });
    expect(await execute(forget, { memoryContent: "Tea is at five." })).toMatchObject({
      success: false,
      error: expect.stringContaining("404"),
    });
  });

  trial.tries("getContainerTags", "returns the tags used in requests", () => {
    expect(tools.getContainerTags({ projectId: "tea" })).toEqual(["sm_project_tea"]);
    expect(tools.getContainerTags({})).toEqual(["sm_project_default"]);
  });
});

describe("a model with memory", () => {
  trial.tries("withSupermemory", "gives the model known facts, and stores what is said", async () => {
    const wrapped = tools.withSupermemory(model, {
      containerTag: TAG,
      customId: "talk-1",
      apiKey: service.key,
      baseUrl: service.url,
      mode: "full",
      addMemory: "always",
      skipMemoryOnError: false,
    });
    const question = { role: "user", content: "What is my cat called?" };
    llm.script("Byron, I believe.");
    expect((await generateText({ model: wrapped, messages: [question] })).text).toBe("Byron, I believe.");
    const [system] = llm.requests.at(-1)?.body.messages ?? [];
    expect(system).toMatchObject({ role: "system", content: expect.stringContaining("Byron") });

    const first = await waitFor(() => conversation("talk-1"), "the conversation");
    expect(first.content).toContain("What is my cat called?");
    expect(first.content).toContain("Byron, I believe.");
    llm.script("You are welcome.");
    const thanks = { role: "user", content: "Thank you." };
    await generateText({
      model: wrapped,
      messages: [question, { role: "assistant", content: "Byron, I believe." }, thanks],
    });
    const second = await waitFor(async () => {
      const now = await conversation("talk-1");
      return now?.content.includes("Thank you.") && now;
    }, "the second turn");
    expect(second.id).toBe(first.id);
    expect(second.content.match(/What is my cat called\?/g)).toHaveLength(1);
    await service.settle();
  });
});

async function conversation(customId: string): Promise<{ id: string; content: string } | null> {
  const { status, body } = await service.rest.send("GET", `/v3/documents/${customId}`);
  return status === 200 ? body : null;
}

trial.leavesNothingOut(() => Object.keys(tools));
trial.isInTable();
