import { afterEach, describe, expect, test } from "vitest";
import { createSummariser } from "../../src/core/profile/summarise.js";
import { type ManualCore, openManualCore } from "../support/manual-core.js";
import { silentLog } from "../support/open-core.js";
import {
  type ModelRequest,
  type ScriptedModel,
  scriptedLanguageModel,
  startScriptedModel,
} from "../support/scripted-model.js";

let opened: ManualCore;
let provider: ScriptedModel | undefined;
afterEach(async () => {
  await opened.close();
  await provider?.close();
  provider = undefined;
});

async function add(content: string, more: Record<string, unknown> = {}): Promise<string> {
  const document = { content, containerTags: ["a"], dreaming: "instant", ...more };
  const { id } = await opened.core.addDocument(opened.call(), document);
  await opened.settle();
  return id;
}

const set = (settings: Record<string, unknown>) =>
  opened.core.updateSettings(opened.call(), { shouldLLMFilter: true, ...settings });
const texts = async () =>
  (await opened.store.memories.active(opened.store.organizationId, "a", { limit: 100 })).map(({ text }) => text);

describe("with a model", () => {
  const promptOf = ({ body }: ModelRequest) => (body.messages ?? []).map(({ content }) => String(content)).join("\n");
  const LONG = "The bees of the roof garden came through the winter well, and Ada counted four hives in March. ".repeat(
    4,
  );

  test("the guidance reaches the prompts for facts, for document descriptions and for profile summaries", async () => {
    provider = await startScriptedModel();
    provider.always(() => '{"facts":[],"summary":"","relations":[],"derived":[],"lines":[]}');
    const model = scriptedLanguageModel(provider, silentLog);
    opened = await openManualCore({ model });
    await set({
      filterPrompt: "Keep what concerns bees.",
      includeItems: ["honey harvest"],
      excludeItems: ["salaries"],
      workspacePrompt: "We are beekeepers.",
      profileBuckets: [{ key: "bees", description: "Bees and hives." }],
    });
    await opened.core.updateContainer(opened.call(), {
      containerTag: "a",
      entityContext: "Ada keeps the roof garden.",
    });
    await add(LONG);
    const facts = Array.from({ length: 40 }, (_, at) => ({ text: `Ada looks after the bees of hive ${at}.` }));
    await add("Ada's hives.", { facts });
    const before = provider.requests.length;
    await createSummariser({ ...opened.context, model })(new AbortController().signal);
    const [reading] = provider.requests;
    const [description] = provider.descriptions;
    expect(provider.requests.length).toBeGreaterThan(before);
    const summary = provider.requests[before];
    for (const request of [reading, description, summary]) {
      const prompt = promptOf(request!);
      for (const said of [
        "Keep what concerns bees.",
        '["honey harvest"]',
        '["salaries"]',
        "We are beekeepers.",
        "Ada keeps the roof garden.",
      ])
        expect(prompt).toContain(said);
    }
  });
});

describe("without a model, plain guidance is followed:", () => {
  const TEXT = "I love pizza. I live in Lisbon. My salary is 5,000 euros a month.";

  test("a prompt that wants one subject only", async () => {
    opened = await openManualCore();
    await set({ filterPrompt: "Only remember facts about food." });
    await add(TEXT);
    expect(await texts()).toEqual(["User loves pizza"]);
  });

  test("a container's prompt that excludes a subject", async () => {
    opened = await openManualCore();
    await opened.core.updateContainer(opened.call(), { containerTag: "a", entityContext: "Never store salaries." });
    await add(TEXT);
    expect((await texts()).toSorted()).toEqual(["User lives in Lisbon", "User loves pizza"]);
  });

  test("excluded items, also from a text to be remembered as it is, and from its summary", async () => {
    opened = await openManualCore();
    const { core, call } = opened;
    const sentences = Array.from({ length: 8 }, (_, at) => `The salary of number ${at} grows with the salary of all.`);
    const text = [...sentences, "The hall of the house is painted in a friendly blue."].join(" ");
    const summary = async (id: string) => (await core.getDocument(call(), { id })).document.summary;
    expect(await summary(await add(text))).toMatch(/salary/i);
    await set({ excludeItems: ["salary"] });
    await add("Salary of Ada: 5,000 euros.", { rememberAsIs: true });
    expect(await texts()).toEqual([]);
    expect(await summary(await add(text))).toBeNull();
  });

  test("included items, where no rule finds a fact, and nothing else", async () => {
    opened = await openManualCore();
    const text = "Onward, with gate codes north 17 and south 4! Beautiful day, was it not? And which gate code?";
    await add(text);
    expect(await texts()).toEqual([]);
    await set({ includeItems: ["gate codes"] });
    await add(text);
    expect(await texts()).toEqual(["Onward, with gate codes north 17 and south 4!"]);
  });

  test("included items, whatever the only subject to be remembered is, but not excluded ones", async () => {
    opened = await openManualCore();
    await set({
      filterPrompt: "Only remember facts about food.",
      includeItems: ["gateway"],
      excludeItems: ["salaries"],
    });
    await add("The foo gateway hums loudly in the basement at night. Ada lives in Ghent. Ada likes pizza.");
    await add("The gateway also knows the salaries of the team.");
    expect((await texts()).sort()).toEqual([
      "Ada likes pizza",
      "The foo gateway hums loudly in the basement at night.",
    ]);
  });

  test("the guidance of someone else is not the owner's", async () => {
    opened = await openManualCore();
    await opened.core.addDocument(opened.call(["a"]), {
      content: TEXT,
      containerTags: ["a"],
      dreaming: "instant",
      entityContext: "Never store pizza.",
    });
    await opened.settle();
    expect(await texts()).toContain("User loves pizza");
  });
});
