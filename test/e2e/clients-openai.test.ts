import * as tools from "@supermemory/tools/openai";
import { afterAll, beforeAll, describe, expect } from "vitest";
import { openClientService, type ClientService } from "../support/client-service.js";
import { tryClient } from "../support/client-table.js";
import { requireFromTools } from "../support/from-tools.js";
import { waitFor } from "../support/recollect-process.js";
import { startScriptedModel, type ScriptedModel } from "../support/scripted-model.js";

/** The function-calling tools and the middleware for the OpenAI SDK. */

type OpenAi = Parameters<typeof tools.withSupermemory>[0];
const { OpenAI } = requireFromTools("openai") as {
  OpenAI: new (options: { apiKey: string; baseURL: string }) => OpenAi;
};

const TAG = "user_openai";
let service: ClientService;
let llm: ScriptedModel;
beforeAll(async () => {
  service = await openClientService();
  llm = await startScriptedModel();
});
afterAll(async () => {
  await llm.close();
  await service.close();
});

const config = (tags = [TAG]) => ({ baseUrl: service.url, containerTags: tags });

const trial = tryClient("openAiTools");

describe("tools called by a model", () => {
  trial.tries(
    ["getToolDefinitions", "memoryToolSchemas", "createToolCallExecutor", "createToolCallsExecutor"],
    "offer only tools that can be called",
    async () => {
      const names = tools
        .getToolDefinitions()
        .map((definition) => "function" in definition && definition.function.name);
      expect(names).toEqual(Object.keys(tools.memoryToolSchemas));
      const call = tools.createToolCallExecutor(service.key, config());
      const ask = async (name: string, input: object): Promise<unknown> =>
        JSON.parse(await call({ id: name, type: "function", function: { name, arguments: JSON.stringify(input) } }));
      const added = await ask("addMemory", { memory: "Grace's favourite fruit is the quince." });
      expect(added).toMatchObject({ success: true, memory: { id: expect.any(String) } });
      const document = await ask("documentAdd", { content: "Grace sails on Sundays.", title: "Sailing" });
      expect(document).toMatchObject({ success: true });
      await service.settle();
      const found = await ask("searchMemories", { informationToGet: "Which fruit does Grace like?", limit: 3 });
      expect(JSON.stringify(found)).toContain("quince");
      expect(await ask("getProfile", {})).toMatchObject({ success: true, profile: { static: expect.any(Array) } });
      expect(await ask("documentList", { limit: 1, page: 2 })).toMatchObject({
        documents: [expect.anything()],
        pagination: { currentPage: 2, totalPages: 2 },
      });
      const { results } = found as { results: { id: string; memory?: string }[] };
      const memoryId = results.find(({ memory }) => memory?.includes("quince"))?.id;
      expect(await ask("memoryForget", { memoryId })).toMatchObject({ success: true });
      const documentId = (document as { document: { id: string } }).document.id;
      const answers = await tools.createToolCallsExecutor(
        service.key,
        config(),
      )([
        { id: "a", type: "function", function: { name: "documentDelete", arguments: JSON.stringify({ documentId }) } },
        { id: "b", type: "function", function: { name: "documentList", arguments: "{}" } },
      ]);
      expect(answers).toMatchObject([{ tool_call_id: "a", role: "tool" }, { tool_call_id: "b" }]);
      expect(JSON.parse(answers[0]?.content as string)).toMatchObject({ success: true });
    },
  );
});

describe("tools called directly", () => {
  trial.tries(
    ["createAddMemoryFunction", "createSearchMemoriesFunction", "createGetProfileFunction", "supermemoryTools"],
    "add, search and profile",
    async () => {
      const tag = ["fn"];
      expect(
        await tools.createAddMemoryFunction(service.key, config(tag))({ memory: "Ken lives in Bergen." }),
      ).toMatchObject({ success: true });
      await service.settle();
      for (const search of [
        tools.createSearchMemoriesFunction(service.key, config(tag)),
        tools.supermemoryTools(service.key, config(tag)).searchMemories,
      ])
        expect(JSON.stringify(await search({ informationToGet: "Where does Ken live?" }))).toContain("Bergen");
      const { profile } = await tools.createGetProfileFunction(
        service.key,
        config(tag),
      )({ query: "Where does Ken live?" });
      expect([...(profile?.static ?? []), ...(profile?.dynamic ?? [])].join()).toContain("Bergen");
    },
  );

  trial.tries(
    [
      "createDocumentAddFunction",
      "createDocumentListFunction",
      "createDocumentDeleteFunction",
      "createMemoryForgetFunction",
    ],
    "documents and forgetting",
    async () => {
      const tag = ["fn2"];
      const added = await tools.createDocumentAddFunction(service.key, config(tag))({ content: "Ken sold his boat." });
      await service.settle();
      const listed = await tools.createDocumentListFunction(service.key, config(tag))({});
      expect(listed).toMatchObject({ success: true, documents: [{ id: added.document?.id, status: "done" }] });
      const forget = tools.createMemoryForgetFunction(service.key, config(tag));
      expect(await forget({ memoryContent: "Nobody said this." })).toMatchObject({
        success: false,
        error: expect.stringContaining("404"),
      });
      const remove = tools.createDocumentDeleteFunction(service.key, config(tag));
      expect(await remove({ documentId: added.document?.id ?? "" })).toMatchObject({ success: true });
    },
  );

  trial.tries(
    [
      "createAddMemoryTool",
      "createDocumentAddTool",
      "createDocumentDeleteTool",
      "createDocumentListTool",
      "createGetProfileTool",
      "createMemoryForgetTool",
      "createSearchMemoriesTool",
    ],
    "as pairs of a definition and a function",
    async () => {
      const tag = ["pairs"];
      const run = <Input, Output>(
        tool: { definition: { function: { name: string } }; execute(input: Input): Output },
        input: Input,
      ) => {
        expect(tool.definition.function.name).not.toBe("");
        return tool.execute(input);
      };
      await run(tools.createAddMemoryTool(service.key, config(tag)), { memory: "Linus collects stamps." });
      const { document } = await run(tools.createDocumentAddTool(service.key, config(tag)), {
        content: "Stamps of 1840.",
      });
      await service.settle();
      expect(
        await run(tools.createSearchMemoriesTool(service.key, config(tag)), {
          informationToGet: "Who collects stamps?",
        }),
      ).toMatchObject({ success: true });
      expect(await run(tools.createGetProfileTool(service.key, config(tag)), {})).toMatchObject({ success: true });
      expect(await run(tools.createDocumentListTool(service.key, config(tag)), {})).toMatchObject({
        pagination: { totalItems: 2 },
      });
      expect(
        await run(tools.createDocumentDeleteTool(service.key, config(tag)), { documentId: document?.id ?? "" }),
      ).toMatchObject({ success: true });
      expect(await run(tools.createMemoryForgetTool(service.key, config(tag)), { memoryId: "nobody" })).toMatchObject({
        success: false,
      });
    },
  );
});

describe("a client with memory", () => {
  trial.tries("withSupermemory", "gives the model known facts, and stores what is said", async () => {
    await service.rest.send("POST", "/v4/memories", {
      containerTag: TAG,
      memories: [{ content: "Grace has a dog called Ada.", isStatic: true }],
    });
    const client = tools.withSupermemory(new OpenAI({ apiKey: "none", baseURL: llm.url }), {
      containerTag: TAG,
      customId: "chat-1",
      apiKey: service.key,
      baseUrl: service.url,
      mode: "full",
      addMemory: "always",
    });
    llm.script("Ada.", "Still Ada.");
    const completion = await client.chat.completions.create({
      model: "scripted",
      messages: [{ role: "user", content: "What is my dog called?" }],
    });
    expect(completion.choices[0]?.message.content).toBe("Ada.");
    expect(llm.requests.at(-1)?.body.messages?.[0]).toMatchObject({
      role: "system",
      content: expect.stringContaining("dog called Ada"),
    });
    const response = await client.responses.create({
      model: "scripted",
      input: [
        {
          role: "user",
          content: [
            { type: "input_text", text: "And now?" },
            { type: "input_image", detail: "auto", image_url: "https://example.com/dog.png" },
          ],
        },
      ],
    });
    expect(response.output_text).toBe("Still Ada.");
    expect(llm.requests.at(-1)?.body.instructions).toContain("dog called Ada");
    const { body } = await waitFor(async () => {
      const answer = await service.rest.send("GET", "/v3/documents/chat-1");
      return answer.status === 200 && answer;
    }, "the conversation");
    expect(body).toMatchObject({ containerTags: [TAG], content: expect.stringContaining("What is my dog called?") });
    await service.settle();
  });
});

trial.leavesNothingOut(() => Object.keys(tools));
trial.isInTable();
