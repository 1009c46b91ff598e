import { afterEach, beforeEach, describe, expect, test } from "vitest";
import * as z from "zod";
import { createWatchedModel } from "../../src/adapters/llm/watched.js";
import { createOpenAiModel } from "../../src/adapters/llm/openai.js";
import type { LanguageModel } from "../../src/core/ports.js";
import { createModelRetrial } from "../../src/ingest/model-retrial.js";
import { ManualClock } from "../support/clock.js";
import { type ManualCore, openManualCore } from "../support/manual-core.js";
import { silentLog } from "../support/open-core.js";
import { type Reply, type ScriptedModel, startScriptedModel } from "../support/scripted-model.js";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const TEXT = "I live in Lisbon. I own a red kayak.";
const LONG = `${TEXT} ${"The kayak is kept in the shed behind the house. ".repeat(6)}`;

const READ = JSON.stringify({
  facts: [
    {
      text: "User paddles a kayak.",
      kind: "fact",
      isStatic: false,
      eventDates: [],
      forgetAfter: null,
      entities: [],
      buckets: [],
      quote: "I own a red kayak",
    },
  ],
  summary: "",
  relations: [],
  derived: [],
});
const WRONG_KEY: Reply = { fault: "status", status: 401 };
const FORBIDDEN_KEY: Reply = { fault: "status", status: 403 };
const UNKNOWN_MODEL: Reply = { fault: "status", status: 404 };
const NONSENSE: Reply = "I like kayaks.";
const CUT_OFF: Reply = { fault: "cut off", text: '{"facts": [{"text": "User' };

let provider: ScriptedModel;
let opened: ManualCore;
let clock: ManualClock;
let retry: () => Promise<void>;

beforeEach(async () => {
  provider = await startScriptedModel();
  clock = new ManualClock();
  await open();
});
afterEach(async () => {
  await opened.close();
  await provider.close();
});

function modelWith(apiKey: string): LanguageModel {
  const settings = { baseUrl: "OPENAI_BASE_URL", apiKey: "OPENAI_API_KEY", model: "OPENAI_MODEL" };
  const names = { provider: "openai", model: "scripted", fastModel: "scripted", settings };
  const model = createOpenAiModel({ ...names, baseUrl: provider.url, apiKey, log: silentLog, pauseMs: 1 });
  return createWatchedModel(model, { clock });
}

async function open(apiKey = "sk-secret", dataDirectory?: string): Promise<void> {
  opened = await openManualCore({ clock, model: modelWith(apiKey), ...(dataDirectory && { dataDirectory }) });
  retry = createModelRetrial(opened.context);
}

async function add(content = TEXT): Promise<string> {
  const document = { content, containerTags: ["a"], dreaming: "instant" };
  const { id } = await opened.core.addDocument(opened.call(), document);
  await opened.settle();
  return id;
}

/** Advances the clock, and runs the retries of the service now and then. */
async function pass(ms: number, step = MINUTE): Promise<void> {
  for (let passed = 0; passed < ms; passed += step) {
    clock.advance(step);
    await retry();
    await opened.settle();
  }
}

const detailsOf = async (id: string) => opened.core.getDocument(opened.call(), { id });
const failures = async () => (await opened.core.status(opened.call())).llmFailures;
const texts = async () =>
  (await opened.store.memories.active(opened.store.organizationId, "a", { limit: 100 })).map(({ text }) => text);

describe("a document that the model did not read", () => {
  test.each([
    ["refuses the key", WRONG_KEY, /refused the key \(401\)\. Check OPENAI_API_KEY\./],
    ["forbids the key", FORBIDDEN_KEY, /refused the key \(403\)\. Check OPENAI_API_KEY\./],
    ["does not exist", UNKNOWN_MODEL, /knows no model "scripted"/],
    ["answers nonsense", NONSENSE, /gave no usable answer to "[a-z-]+": it holds no complete JSON/],
    ["is cut off", CUT_OFF, /cut off/],
  ])("because it %s is read by rules, and says so", async (_how, reply, reason) => {
    provider.always(() => reply);
    const id = await add();
    const { document, dreamingReason, modelFailures } = await detailsOf(id);
    expect(document).toMatchObject({ status: "done", dreamingStatus: "done", errorReason: null });
    expect(await texts()).toContain("User lives in Lisbon");
    expect(modelFailures).toMatchObject([{ step: "facts", reason: expect.stringMatching(reason) as string }]);
    expect(dreamingReason).toMatch(/It was read by rules, and will be read again once the model answers/);
    const { problem, ...tally } = (await failures())!;
    expect(tally).toEqual({ documents: 1, givenUp: 0, reasons: [{ reason: modelFailures[0]!.reason, documents: 1 }] });
    if (reply !== CUT_OFF) expect(problem).toMatch(reason);
  });

  test("while the model is left alone says when it will be asked again, by itself and in lists", async () => {
    provider.always(() => WRONG_KEY);
    const id = await add();
    const next = new Date(clock.now().getTime() + 5 * MINUTE).toISOString();
    const { dreamingReason, modelFailures } = await detailsOf(id);
    expect(modelFailures).toMatchObject([{ nextAt: next }]);
    expect(dreamingReason).toContain(`not before ${next}.`);
    const list = await opened.core.listDocumentsWithMemories(opened.call(), { containerTags: ["a"] });
    expect(list.documents[0]?.modelFailures).toEqual(modelFailures);
    const asked = provider.requests.length;
    await pass(4 * MINUTE);
    expect(provider.requests).toHaveLength(asked);
    await pass(2 * MINUTE);
    expect(provider.requests).toHaveLength(asked + 1);
  });

  test("is read again by itself once the model answers, and then has no failure", async () => {
    provider.always(() => WRONG_KEY);
    const ids = [await add(), await add("I own a blue kayak."), await add("I own a green kayak.")];
    provider.always(() => READ);
    await pass(7 * MINUTE);
    expect(await texts()).toContain("User paddles a kayak.");
    for (const id of ids) expect(await detailsOf(id)).toMatchObject({ modelFailures: [], dreamingReason: null });
    expect(await failures()).toEqual({ problem: null, documents: 0, givenUp: 0, reasons: [] });
  });

  test("is not counted for callers who may not see it, and its failure is removed with it", async () => {
    provider.always(() => WRONG_KEY);
    const id = await add();
    expect((await opened.core.status(opened.call(["b"]))).llmFailures).toMatchObject({ documents: 0, reasons: [] });
    await opened.core.deleteDocument(opened.call(), { id });
    expect(await opened.everything()).not.toContain("refused the key");
  });

  test("is not quoted when the service repeats its text", async () => {
    const error = { message: `cannot work with: ${TEXT}` };
    provider.always(() => ({ fault: "status", status: 422, error }));
    const [failure] = (await detailsOf(await add())).modelFailures;
    expect(failure?.reason).toMatch(/refused the request \(422\)\.$/);
  });
});

describe("a service that refuses everything", () => {
  test("is rarely asked, however much arrives, but immediately by the doctor", async () => {
    provider.always(() => WRONG_KEY);
    for (let count = 0; count < 5; count += 1) await add(`I own kayak number ${count}.`);
    expect(provider.requests).toHaveLength(1);
    await pass(12 * HOUR, 5 * MINUTE);
    expect(provider.requests.length).toBeGreaterThan(8);
    expect(provider.requests.length).toBeLessThan(20);
    expect(await failures()).toMatchObject({ documents: 5, givenUp: 0 });
    provider.always(() => READ);
    provider.script('{"word":"other"}');
    await opened.core.diagnose(opened.call());
    await pass(2 * MINUTE);
    expect(await failures()).toMatchObject({ problem: null, documents: 0 });
  });

  test("with 403 costs no document an attempt, but refusing a single text does", async () => {
    provider.always(() => FORBIDDEN_KEY);
    const id = await add();
    expect((await detailsOf(id)).modelFailures).toMatchObject([{ attempts: 0 }]);
    clock.advance(6 * MINUTE);
    const error = { message: "Your input was flagged by moderation." };
    provider.always(() => ({ fault: "status", status: 403, error }));
    const flagged = await detailsOf(await add("I own a flagged kayak."));
    expect(flagged.modelFailures).toMatchObject([{ attempts: 1, reason: expect.stringMatching(/refused the text/) }]);
    provider.always(() => READ);
    await add("I own a blue kayak.");
    expect(await texts()).toContain("User paddles a kayak.");
  });

  test("for the fast model does not affect the careful one", async () => {
    provider.always(() => WRONG_KEY);
    const id = await add();
    clock.advance(6 * MINUTE);
    const fast = { name: "ask", schema: z.object({}), messages: [], effort: "fast", maxTokens: 100 } as const;
    const refused = () => opened.context.model?.generate(fast).catch(() => {});
    await refused();
    provider.always(() => READ);
    await add("I own a blue kayak.");
    provider.script(WRONG_KEY);
    clock.advance(6 * MINUTE);
    await refused();
    await retry();
    await opened.settle();
    expect(await detailsOf(id)).toMatchObject({ modelFailures: [] });
  });

  test("is asked immediately with another key", async () => {
    provider.always(() => WRONG_KEY);
    await add();
    await opened.stop();
    provider.always(() => READ);
    await open("sk-other", opened.dataDirectory);
    await retry();
    await opened.settle();
    expect(await texts()).toContain("User paddles a kayak.");
    expect(await failures()).toMatchObject({ documents: 0 });
  });
});

describe("a model with unusable answers", () => {
  test("is asked about a document four times, until the model changes", async () => {
    provider.always(() => NONSENSE);
    const id = await add();
    const asked = provider.requests.length;
    await pass(72 * HOUR, 30 * MINUTE);
    expect(provider.requests.length).toBe(4 * asked);
    expect(await failures()).toMatchObject({ documents: 1, givenUp: 1 });
    expect((await detailsOf(id)).dreamingReason).toMatch(/once there is another model\.$/);
    await opened.stop();
    provider.always(() => READ);
    await open("sk-other", opened.dataDirectory);
    await retry();
    await opened.settle();
    expect(await failures()).toMatchObject({ documents: 0 });
  });

  test("has few documents queued at a time", async () => {
    provider.always(() => NONSENSE);
    for (let count = 0; count < 30; count += 1) await add(`I own kayak number ${count}.`);
    provider.always(() => READ);
    await add("I own a last kayak.");
    clock.advance(2 * HOUR);
    await opened.hold();
    await retry();
    await retry();
    expect(await opened.store.jobs.countOf("reprocess")).toBe(20);
  });

  test("leaves title and summary to rules, and is asked for them again", async () => {
    provider.always(() => READ);
    provider.describe(() => NONSENSE);
    const id = await add(LONG);
    expect((await detailsOf(id)).modelFailures).toMatchObject([{ step: "description" }]);
    provider.describe(() => JSON.stringify({ title: "Kayaks of Lisbon", summary: "User owns a kayak." }));
    await pass(2 * HOUR);
    const { document, modelFailures } = await detailsOf(id);
    expect(document).toMatchObject({ title: "Kayaks of Lisbon", summary: "User owns a kayak." });
    expect(modelFailures).toEqual([]);
  });
});

describe("a text on which the service always fails while it answers others", () => {
  const failsAt = (words: string): (() => number) => {
    let asked = 0;
    provider.always(({ body }) => {
      const question = JSON.stringify(body);
      if (!question.includes(words)) return question.includes("tea") ? '{"word": "tea"}' : READ;
      asked += 1;
      return { fault: "status", status: 500 };
    });
    return () => asked;
  };

  async function work(ms: number, step: number): Promise<void> {
    for (let passed = 0; passed < ms; passed += step) {
      opened.context.wakeJobs();
      await pass(step, step);
    }
  }

  test("is read by rules, and the model is asked about it only a few times", async () => {
    const asked = failsAt("red kayak");
    const id = await add();
    await work(3 * 24 * HOUR, 5 * MINUTE);
    const { document, modelFailures } = await detailsOf(id);
    expect(document).toMatchObject({ dreamingStatus: "done" });
    expect(modelFailures).toMatchObject([
      { reason: expect.stringMatching(/failed on the text again, but answers others/) },
    ]);
    expect(await texts()).toContain("User lives in Lisbon");
    expect(asked()).toBeLessThanOrEqual(30);
  });

  test("does not keep others waiting that are read together with it", async () => {
    failsAt("red kayak");
    const document = (content: string) => ({ content, containerTags: ["a"] });
    const bodies = [TEXT, "My sister Ida lives in Ghent.", "My brother Tom lives in Oslo."].map(document);
    for (const body of bodies) await opened.core.addDocument(opened.call(), body);
    await work(HOUR, MINUTE);
    const listed = await opened.core.listDocuments(opened.call(), { containerTags: ["a"] });
    expect(listed.documents.map(({ dreamingStatus }) => dreamingStatus)).toEqual(["done", "done", "done"]);
  });
});
