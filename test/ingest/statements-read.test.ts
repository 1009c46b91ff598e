import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createOpenAiModel } from "../../src/adapters/llm/openai.js";
import { silentLog } from "../support/open-core.js";
import { type ManualCore, openManualCore } from "../support/manual-core.js";
import { type ScriptedModel, startScriptedModel } from "../support/scripted-model.js";

let provider: ScriptedModel;
let opened: ManualCore;
beforeEach(async () => {
  provider = await startScriptedModel();
  provider.always(() => JSON.stringify({ facts: [], summary: "", relations: [], derived: [], title: "" }));
  opened = await openManualCore();
});
afterEach(async () => {
  await opened.close();
  await provider.close();
});

const QUOTE = "Ceramics again, and that kiln, smelling of burnt toast, would you believe it?";
const turns = (content: string) =>
  JSON.stringify([
    { speaker: "Audrey", content },
    { speaker: "Bob", content: "Ha!" },
  ]);

async function add(content = turns(QUOTE)): Promise<string> {
  const { id } = await opened.core.addDocument(opened.call(), { content, containerTags: ["a"], customId: "talk" });
  await opened.settle();
  return id;
}

async function told(): Promise<string[]> {
  const { results } = await opened.core.search(opened.call(), {
    q: "ceramics kiln, burnt toast, violin",
    containerTags: ["a"],
    searchMode: "memories",
    threshold: 0,
  });
  return results.map(({ text }) => text);
}

describe("a statement", () => {
  test("is replaced by what an agent reads in its document", async () => {
    const id = await add();
    expect(await told()).toEqual([expect.stringMatching(/^Audrey said(?: on .+)?: Ceramics again/)]);
    const { tasks } = await opened.core.pendingExtractions(opened.call(), { containerTag: "a", limit: 1 });
    const facts = [{ text: "Audrey's ceramics kiln smells of burnt toast", quote: QUOTE }];
    const { documentId } = await opened.core.submitExtraction(opened.call(), { taskId: tasks[0]?.taskId, facts });
    expect(documentId).toBe(id);
    expect(await told()).toEqual(["Audrey's ceramics kiln smells of burnt toast"]);
  });

  test("is replaced by what a language model reads in its document", async () => {
    const id = await add();
    const model = createOpenAiModel({
      provider: "scripted",
      baseUrl: provider.url,
      apiKey: "sk-secret",
      model: "scripted",
      fastModel: "scripted",
      prices: { careful: undefined, fast: undefined },
      settings: { baseUrl: "A", apiKey: "B", model: "C" },
      log: silentLog,
      pauseMs: 1,
    });
    await opened.stop();
    opened = await openManualCore({ dataDirectory: opened.dataDirectory, model });
    expect(await told()).toHaveLength(1);
    await opened.core.reprocess(opened.call(), { ids: [id] });
    await opened.settle();
    expect(await told()).toEqual([]);
  });

  test("follows its document: edited turns replace it", async () => {
    await add();
    await add(turns("Violin again, and that bow, smelling of old resin, would you believe it?"));
    expect(await told()).toEqual([expect.stringContaining("Violin again")]);
  });

  test("adds to no list, count or page of a document, and to no receipt", async () => {
    const id = await add();
    const { memories } = await opened.core.getDocument(opened.call(), { id });
    expect(memories).toEqual([]);
    expect((await opened.core.listMemories(opened.call(), { containerTags: ["a"] })).total).toBe(0);
    const { total } = await opened.core.listMemories(opened.call(), { containerTags: ["a"], kind: "statement" });
    expect(total).toBe(2);
  });

  test("is not made for a document with ready-made facts, or without memories", async () => {
    const facts = [{ text: "Audrey owns a kiln" }];
    await opened.core.addDocument(opened.call(), { content: turns(QUOTE), containerTags: ["a"], facts });
    await opened.core.addDocument(opened.call(), { content: turns(QUOTE), containerTags: ["a"], taskType: "superrag" });
    await opened.settle();
    expect(await told()).toEqual(["Audrey owns a kiln"]);
  });

  test("is left out when the settings say that its subject must never be stored", async () => {
    await opened.core.updateSettings(opened.call(), {
      shouldLLMFilter: true,
      filterPrompt: "Never store anything about ceramics.",
    });
    await add();
    expect(await told()).toEqual([]);
  });
});
