import { cp, mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createOpenAiModel } from "../../src/adapters/llm/openai.js";
import { guidanceFor } from "../../src/core/documents/guidance.js";
import type { Call, Core } from "../../src/core/index.js";
import type { FactExtractor } from "../../src/core/ports.js";
import { extractGroupPrompt } from "../../src/ingest/prompts/extract-group.js";
import { captureLog } from "../support/captured-log.js";
import { questionOf, textsOf } from "../support/group-questions.js";
import { type ManualCore, openManualCore } from "../support/manual-core.js";
import { type ModelRequest, type Reply, type ScriptedModel, startScriptedModel } from "../support/scripted-model.js";

const SECOND = 1_000;

let provider: ScriptedModel;
let opened: ManualCore;
let core: Core;
let call: Call;
let log: ReturnType<typeof captureLog>;

beforeEach(async () => {
  provider = await startScriptedModel();
  provider.always(reading());
  log = captureLog();
  const settings = { baseUrl: "OPENAI_BASE_URL", apiKey: "OPENAI_API_KEY", model: "OPENAI_MODEL" };
  const model = createOpenAiModel({
    provider: "openai",
    baseUrl: provider.url,
    apiKey: "sk-secret",
    model: "scripted",
    fastModel: "scripted",
    settings,
    log,
    pauseMs: 1,
  });
  opened = await openManualCore({ model, log, limits: { dreamQuiet: 30, dreamLongestWait: 300 } });
  core = opened.core;
  call = opened.call();
});
afterEach(async () => {
  await opened.close();
  await provider.close();
});

const PLAIN = { kind: "fact", isStatic: false, eventDates: [], forgetAfter: null, entities: [], buckets: null };

/** Answers that every text states itself as a fact, unless a test gives another answer. */
function reading(special: (request: ModelRequest) => Reply | undefined = () => undefined) {
  return (request: ModelRequest): Reply => {
    const reply = special(request);
    if (reply !== undefined) return reply;
    if (questionOf(request) === "relate_facts") return "{}";
    const group = textsOf(request).map(({ handle, text }) => ({ ...PLAIN, document: handle, text, quote: text }));
    if (questionOf(request) === "extract_group") return JSON.stringify({ facts: group });
    const text = /--- ([0-9a-f]{16})\n([\s\S]*)\n--- \1/.exec(promptOf(request))?.[2] ?? "";
    return JSON.stringify({ facts: [{ ...PLAIN, text: text.slice(0, 100), quote: text.slice(0, 100) }], summary: "" });
  };
}

const byText = (left: readonly unknown[], right: readonly unknown[]) => String(left[0]).localeCompare(String(right[0]));
const promptOf = ({ body }: ModelRequest) => (body.messages ?? []).map(({ content }) => String(content)).join("\n");
/** Adds a document that can be found when this resolves. */
async function add(content: string, more: Record<string, unknown> = {}): Promise<string> {
  const { id } = await core.addDocument(call, { content, containerTags: ["a"], ...more });
  await opened.settle();
  return id;
}
const get = (id: string) => core.getDocument(call, { id });
const stateOf = async (id: string) => (await get(id)).document.dreamingStatus;
const kept = async (tag = "a") =>
  (await opened.store.memories.active(opened.store.organizationId, tag, { limit: 100 })).map(({ text }) => text);
const groups = () => provider.requests.filter((request) => questionOf(request) === "extract_group");
const singles = () => provider.requests.filter((request) => questionOf(request) === "extract_facts");

async function pass(seconds: number): Promise<void> {
  opened.clock.advance(seconds * SECOND);
  opened.context.wakeJobs();
  await opened.settle();
}

describe("a document waits for a quiet period:", () => {
  test("it is found immediately, read when no other arrives, and says meanwhile what it waits for", async () => {
    const id = await add("Ada keeps bees.");
    const { document, dreamingReason } = await get(id);
    expect(document).toMatchObject({ status: "done", dreamingStatus: "dreaming", receipt: null });
    expect(dreamingReason).toMatch(/none has arrived for 30 s, at 2024-05-06T07:13:09\.000Z at the latest/);
    const { results } = await core.search(call, { q: "bees", threshold: 0, containerTags: ["a"] });
    expect(results.map(({ text }) => text)).toEqual(["Ada keeps bees."]);
    await pass(29);
    expect(provider.requests).toEqual([]);
    await pass(1);
    expect(await stateOf(id)).toBe("done");
    expect((await get(id)).dreamingReason).toBeNull();
    expect(await kept()).toEqual(["Ada keeps bees."]);
    // Alone, it is read like any document.
    expect([singles().length, groups().length]).toEqual([1, 0]);
  });

  test("another that arrives makes both wait, and they are read in one question", async () => {
    const first = await add("Ada keeps bees.");
    await pass(20);
    const second = await add("Bo bakes bread.");
    await pass(20);
    expect([await stateOf(first), await stateOf(second)]).toEqual(["dreaming", "dreaming"]);
    expect(provider.requests).toEqual([]);
    await pass(10);
    expect([await stateOf(first), await stateOf(second)]).toEqual(["done", "done"]);
    expect([singles().length, groups().length]).toEqual([0, 1]);
    expect((await opened.store.jobs.counts()).waiting).toBe(0);
  });

  test("but no longer than the longest wait, however many arrive", async () => {
    const first = await add("Note 0 is here.");
    for (let at = 1; at < 15; at += 1) {
      await pass(20);
      await add(`Note ${at} is here.`);
    }
    await pass(19);
    expect(await stateOf(first)).toBe("dreaming");
    expect(provider.requests).toEqual([]);
    await pass(1);
    expect(await stateOf(first)).toBe("done");
    expect(groups()).toHaveLength(1);
  });

  test("a text that keeps growing is read completely within the longest wait", async () => {
    let content = "Line 0 is here.";
    const id = await add(content, { customId: "log" });
    for (let at = 1; at < 15; at += 1) {
      await pass(20);
      content += `\nLine ${at} is here.`;
      await add(content, { customId: "log" });
    }
    await pass(19);
    expect(await stateOf(id)).toBe("dreaming");
    await pass(1);
    expect(await stateOf(id)).toBe("done");
    expect(singles()).toHaveLength(1);
    for (const line of ["Line 0 is here.", "Line 14 is here."]) expect(promptOf(singles()[0]!)).toContain(line);
  });

  test("a caller waiting for it is told the reason", async () => {
    const waiting = core.addDocument(call, { content: "Bo bakes bread.", containerTags: ["a"], wait: 1 });
    await vi.waitFor(async () => expect((await opened.store.jobs.counts()).waiting).toBe(1));
    await opened.settle();
    opened.clock.advance(2 * SECOND);
    expect(await waiting).toMatchObject({ status: "done", dreamingStatus: "dreaming" });
    expect((await waiting).dreamingReason).toMatch(/once none has arrived for 30 s/);
  });
});

describe("there is no wait", () => {
  test("for a document to be remembered instantly, and the waiting ones do not wait for it", async () => {
    const waiting = await add("Ada keeps bees.");
    await pass(10);
    const instant = await add("Bo bakes bread.", { dreaming: "instant" });
    expect([await stateOf(waiting), await stateOf(instant)]).toEqual(["dreaming", "done"]);
    await pass(20);
    expect(await stateOf(waiting)).toBe("done");
  });

  test("for a document with ready-made facts, or without memories", async () => {
    const stated = await add("Notes.", { facts: [{ text: "Ada keeps bees." }] });
    const text = await add("Only to be searched.", { taskType: "superrag" });
    expect((await get(stated)).document.receipt).toMatchObject([{ outcome: "added" }]);
    expect(await stateOf(text)).toBe("done");
    await pass(400);
    expect(provider.requests).toEqual([]);
  });

  test("when rules read and nothing else was configured", async () => {
    const rules = await openManualCore();
    try {
      const own = rules.call();
      const { id } = await rules.core.addDocument(own, { content: "My name is Ada.", containerTags: ["a"] });
      await rules.settle();
      expect((await rules.core.getDocument(own, { id })).document.dreamingStatus).toBe("done");
    } finally {
      await rules.close();
    }
  });
});

describe("documents that waited together", () => {
  test("are one question of five fenced texts, sorted by the date of their content", async () => {
    const dates = ["2024-03-05", "2024-01-01", undefined, "2024-02-02", "2023-12-31T23:00:00.000Z"];
    let last = "";
    for (const [at, documentDate] of dates.entries())
      last = await add(`Note ${at} is here.`, { documentDate, ...(at === 3 && { title: "A title" }) });
    await pass(30);
    expect(provider.requests.filter((request) => questionOf(request) !== "relate_facts")).toHaveLength(1);
    const [question] = groups();
    const asked = textsOf(question!);
    expect(asked.map(({ text }) => text)).toEqual([4, 1, 3, 0, 2].map((at) => `Note ${at} is here.`));
    expect(asked.map(({ handle }) => handle)).toEqual(["d1", "d2", "d3", "d4", "d5"]);
    expect(asked[2]?.heading).toBe('The text d3 is from Friday, 2024-02-02. Its title, which is data too: "A title"');
    const fence = /--- ([0-9a-f]{16}) d1/.exec(promptOf(question!))?.[1] ?? "";
    const now = opened.clock.from(-30 * SECOND).toISOString();
    expect(question!.body.messages).toEqual(
      extractGroupPrompt.messages({
        texts: asked.map(({ handle, text }, at) => ({
          handle,
          text,
          date: [dates[4], dates[1], dates[3], dates[0], now][at]!,
          title: at === 2 ? "A title" : null,
        })),
        fence,
        guidance: await guidanceFor(opened.store, (await get(last)).document),
        known: [],
      }),
    );
    expect((await kept()).toSorted()).toEqual([0, 1, 2, 3, 4].map((at) => `Note ${at} is here.`));
    expect(await opened.store.extractions.totals(opened.store.organizationId)).toMatchObject({ inputTokens: 1 });
  });

  test("update memories in the order of their dates, whatever the order of arrival", async () => {
    const newer = await add("Ada lives in Oslo.", { documentDate: "2024-05-01" });
    await pass(1);
    const older = await add("Ada lives in Rome.", { documentDate: "2024-01-01" });
    await pass(30);
    expect(await kept()).toEqual(["Ada lives in Oslo."]);
    const [oslo] = (await get(newer)).document.receipt ?? [];
    const [rome] = (await get(older)).document.receipt ?? [];
    expect(rome).toMatchObject({ outcome: "added" });
    expect(oslo).toMatchObject({ outcome: "updated", replaced: rome?.id });
  });

  test("and without dates in the order of arrival", async () => {
    await add("Ada lives in Rome.");
    await pass(1);
    await add("Ada lives in Oslo.");
    await pass(30);
    expect(await kept()).toEqual(["Ada lives in Oslo."]);
  });

  test("do not replace facts of a later document that was processed first", async () => {
    await add("Ada lives in Rome.");
    await add("Ada has a boat.");
    await pass(10);
    await add("Ada lives in Oslo.", { dreaming: "instant" });
    await pass(20);
    expect((await kept()).toSorted()).toEqual(["Ada has a boat.", "Ada lives in Oslo."]);
  });

  test("each get the facts that their own text states", async () => {
    const ada = await add("Ada keeps bees.");
    const bo = await add("Bo bakes bread.");
    provider.script(
      JSON.stringify({
        facts: [
          { ...PLAIN, document: "d1", text: "Bo bakes.", quote: "Bo bakes bread" },
          { ...PLAIN, document: "d7", text: "Ada has bees.", quote: "keeps bees" },
          { ...PLAIN, document: "d2", text: "Bo has an oven.", quote: "Bo owns an oven" },
          { ...PLAIN, document: "d1", text: "Ada has a garden.", quote: null },
          { ...PLAIN, document: "d9", text: "Cy is here.", quote: "Cy is here" },
          { ...PLAIN, document: "d9", text: "Di is here.", quote: null },
        ],
      }),
    );
    await pass(30);
    const factsOf = async (id: string) =>
      (await get(id)).memories.map(({ text, isInference }) => [text, isInference]).toSorted(byText);
    expect(await factsOf(ada)).toEqual([
      ["Ada has a garden.", true],
      ["Ada has bees.", false],
    ]);
    expect(await factsOf(bo)).toEqual([
      ["Bo bakes.", false],
      ["Bo has an oven.", true],
    ]);
  });

  test("are never mixed with those of another container, nor with those in several containers", async () => {
    const places = [["a"], ["b"], ["a", "b"], ["a"], ["b"]];
    for (const [at, containerTags] of places.entries()) await add(`Note ${at} is here.`, { containerTags });
    await pass(30);
    const asked = groups()
      .map((request) => textsOf(request).map(({ text }) => text))
      .toSorted(byText);
    expect(asked).toEqual([
      ["Note 0 is here.", "Note 3 is here."],
      ["Note 1 is here.", "Note 4 is here."],
    ]);
    expect(singles().map(promptOf).join("\n")).toContain("Note 2 is here.");
    expect((await kept("b")).toSorted()).toEqual(["Note 1 is here.", "Note 2 is here.", "Note 4 is here."]);
  });

  test("are not read together when different guidance applies", async () => {
    const other = { actor: { ...call.actor, client: "other" } };
    await core.updateSettings(other, { shouldLLMFilter: true, filterPrompt: "Only bees." });
    await add("Ada keeps bees.");
    await add("Bo bakes bread.");
    for (const content of ["Cy cooks.", "Di dances."]) await core.addDocument(other, { content, containerTags: ["a"] });
    await opened.settle();
    await pass(30);
    expect(groups().map((request) => textsOf(request).length)).toEqual([2, 2]);
    expect(groups().map((request) => promptOf(request).includes("Only bees."))).toEqual([false, true]);
  });

  test("are split into several questions when too long for one, and a long document is read alone", async () => {
    const long = `The stock is low. ${"All is well here. ".repeat(600)}`;
    const middle = (name: string) => `${name} is here. ${"So it is. ".repeat(350)}`.trim();
    for (const [at, content] of [middle("Ada"), middle("Bo"), long, middle("Cy"), "Di is here."].entries())
      await add(content, { documentDate: `2024-01-0${at + 1}` });
    await pass(30);
    expect(groups().map((request) => textsOf(request).map(({ text }) => text.slice(0, 3)))).toEqual([
      ["Ada", "Bo "],
      ["Cy ", "Di "],
    ]);
    expect(singles().length).toBeGreaterThan(1);
    expect((await opened.store.jobs.counts()).waiting).toBe(0);
  });

  test("are skipped when replaced or deleted meanwhile", async () => {
    const gone = await add("Ada keeps bees.");
    const replaced = await add("Bo bakes bread.", { customId: "bo" });
    const stays = await add("Cy cooks.");
    await pass(10);
    await core.deleteDocument(call, { id: gone });
    await add("Bo sells bread.", { customId: "bo", dreaming: "instant" });
    await pass(20);
    expect([await stateOf(replaced), await stateOf(stays)]).toEqual(["done", "done"]);
    expect(groups()).toEqual([]);
    expect(provider.requests.map(promptOf).join("\n")).not.toContain("Ada keeps bees.");
    expect((await opened.store.jobs.counts()).waiting).toBe(0);
  });

  test("are read one by one if the model refuses them together, and by rules if it refuses one alone", async () => {
    provider.always(
      reading((request) =>
        promptOf(request).includes("My name is Mallory.") ? { fault: "refusal", text: "no" } : undefined,
      ),
    );
    const bad = await add("My name is Mallory.");
    const good = await add("Ada keeps bees.");
    await pass(30);
    expect([await stateOf(bad), await stateOf(good)]).toEqual(["done", "done"]);
    expect(await kept()).toContain("Ada keeps bees.");
    expect((await get(bad)).memories.map(({ text }) => text).join()).toContain("Mallory");
    expect(log.lines.filter(({ event }) => event === "documents are read one by one")).toHaveLength(1);
    expect(JSON.stringify(log.lines)).not.toContain("Mallory");
  });

  test("wait together while the model is unavailable, cause one request per outage, and lose nothing", async () => {
    const ids = [await add("Ada keeps bees."), await add("Bo bakes bread."), await add("Cy cooks.")];
    provider.always(() => ({ fault: "status", status: 429, headers: { "retry-after": "120" } }));
    await pass(30);
    expect(groups()).toHaveLength(1);
    for (const id of ids) {
      expect(await stateOf(id)).toBe("dreaming");
      expect((await get(id)).dreamingReason).toMatch(/429|limit/i);
    }
    provider.always(reading());
    await pass(121);
    expect((await kept()).toSorted()).toEqual(["Ada keeps bees.", "Bo bakes bread.", "Cy cooks."]);
    expect(groups()).toHaveLength(2);
    expect((await opened.store.jobs.counts()).waiting).toBe(0);
  });
});

describe("a failing document of the group", () => {
  const POISON = `The poison is here. ${"All is well here. ".repeat(600)}`;
  let broken: ManualCore;

  beforeEach(async () => {
    const factExtractor: FactExtractor = {
      name: "broken",
      async extract({ content }) {
        if (content.includes("poison")) throw new TypeError("This was not expected.");
        return [{ text: content, kind: "fact", isStatic: false, quote: content }];
      },
    };
    const { model } = opened.context;
    const limits = { dreamQuiet: 30, dreamLongestWait: 300 };
    broken = await openManualCore({ ...(model && { model }), factExtractor, limits, log });
  });
  afterEach(() => broken.close());

  test.each([0, 1, 2])("does not hold up the others, at place %i; it is retried and then given up", async (place) => {
    const own = broken.call();
    const contents = ["Ada keeps bees.", "Bo bakes bread."].toSpliced(place, 0, POISON);
    const ids: string[] = [];
    for (const content of contents) {
      ids.push((await broken.core.addDocument(own, { content, containerTags: ["a"] })).id);
      await broken.settle();
      broken.clock.advance(SECOND);
    }
    const states = async () =>
      Promise.all(ids.map(async (id) => (await broken.core.getDocument(own, { id })).document.dreamingStatus));
    const later = async (seconds: number) => {
      broken.clock.advance(seconds * SECOND);
      broken.context.wakeJobs();
      await broken.settle();
    };
    await later(29);
    expect(await states()).toEqual(["done", "done"].toSpliced(place, 0, "dreaming"));
    for (let attempt = 0; attempt < 10; attempt += 1) await later(3_600);
    expect(await states()).toEqual(["done", "done", "done"]);
    const { document, dreamingReason } = await broken.core.getDocument(own, { id: ids[place]! });
    expect(document).toMatchObject({ status: "done", receipt: null });
    expect(dreamingReason).toMatch(/^remember: Gave up after 8 attempts/);
    const memories = await broken.store.memories.active(broken.store.organizationId, "a", { limit: 10 });
    expect(memories.map(({ text, strength }) => [text, strength]).toSorted(byText)).toEqual([
      ["Ada keeps bees.", 1],
      ["Bo bakes bread.", 1],
    ]);
  });
});

test("a document to be remembered instantly is read between the others of a group in progress", async () => {
  const read: string[] = [];
  const factExtractor: FactExtractor = {
    name: "slow",
    async extract({ content }) {
      read.push(content);
      if (content === "Ada is here.") {
        await slow.core.addDocument(slow.call(), {
          content: "Eve is here.",
          containerTags: ["a"],
          dreaming: "instant",
        });
        const isReady = async () =>
          (await slow.store.jobs.waiting("remember", "a")).some(
            ({ payload }) => !JSON.stringify(payload).includes("waits"),
          );
        await expect.poll(isReady).toBe(true);
      }
      return [];
    },
  };
  const slow = await openManualCore({ factExtractor, limits: { dreamQuiet: 30, dreamLongestWait: 300 } });
  try {
    for (const name of ["Ada", "Bo", "Cy"]) {
      await slow.core.addDocument(slow.call(), { content: `${name} is here.`, containerTags: ["a"] });
      await slow.settle();
    }
    for (const seconds of [30, 1]) {
      slow.clock.advance(seconds * SECOND);
      slow.context.wakeJobs();
      await slow.settle();
    }
    expect(read).toEqual(["Ada is here.", "Eve is here.", "Bo is here.", "Cy is here."]);
    expect((await slow.store.jobs.counts()).waiting).toBe(0);
  } finally {
    await slow.close();
  }
});

test("waiting documents survive the end of the process, which does not wait for them", async () => {
  const id = await add("Ada keeps bees.");
  const { clock } = opened;
  const { model } = opened.context;
  const copy = await mkdtemp(join(tmpdir(), "recollect-dreaming-"));
  await cp(opened.dataDirectory, copy, { recursive: true });
  const next = await openManualCore({
    ...(model && { model }),
    dataDirectory: copy,
    clock,
    limits: { dreamQuiet: 30, dreamLongestWait: 300 },
  });
  try {
    await next.settle();
    const own = next.call();
    expect((await next.core.getDocument(own, { id })).document.dreamingStatus).toBe("dreaming");
    clock.advance(30 * SECOND);
    next.context.wakeJobs();
    await next.settle();
    expect((await next.core.getDocument(own, { id })).document.dreamingStatus).toBe("done");
  } finally {
    await next.close();
  }
});

test("a receipt says since when each fact can be found, also for facts known before", async () => {
  const first = await add("Ada keeps bees.", { customId: "one" });
  await pass(30);
  const since = opened.clock.now().toISOString();
  expect((await get(first)).document.receipt).toMatchObject([{ outcome: "added", searchableAt: since }]);
  const second = await add("Ada keeps bees.", { customId: "two" });
  await pass(3_600);
  expect((await get(second)).document.receipt).toMatchObject([{ outcome: "duplicate", searchableAt: since }]);
});
