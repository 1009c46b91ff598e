import { describe, expect, test } from "vitest";
import * as z from "zod";
import { createBudgetedModel } from "../../src/adapters/llm/budget.js";
import type { LanguageModel } from "../../src/core/ports.js";
import { ManualClock } from "../support/clock.js";
import { type ManualCore, openManualCore } from "../support/manual-core.js";
import { openCore } from "../support/open-core.js";
import { startScriptedModel } from "../support/scripted-model.js";

const QUESTION = {
  name: "find-city",
  messages: [],
  schema: z.object({ city: z.string() }),
  effort: "careful",
} as const;

/** With a model that costs one dollar per million tokens. */
const openWithBudget = (url: string, budget: string) =>
  openCore({
    settings: {
      RECOLLECT_LLM_BASE_URL: url,
      RECOLLECT_LLM_MODEL: "scripted",
      RECOLLECT_LLM_INPUT_PRICE: "1",
      RECOLLECT_LLM_OUTPUT_PRICE: "1",
      RECOLLECT_LLM_MONTHLY_BUDGET: budget,
    },
  });

/** Answers every question, for one dollar each. */
const dear: LanguageModel = {
  mark: "dear",
  name: "dear",
  prices: { input: 1, output: 1 },
  generate: async ({ schema }) => ({
    value: schema.parse({ city: "Oslo" }),
    model: "dear",
    inputTokens: 1,
    outputTokens: 1,
    cost: 1,
  }),
};

describe("a language model with a monthly budget", () => {
  const clock = new ManualClock("2024-05-06T07:08:09.000Z");

  async function withStore(work: (opened: ManualCore, model: LanguageModel) => Promise<void>): Promise<void> {
    const opened = await openManualCore({ clock });
    const { extractions, organizationId } = opened.store;
    const spentSince = (moment: string) => extractions.costSince(organizationId, moment);
    try {
      await work(opened, createBudgetedModel(dear, { limit: 3, spentSince, clock }));
    } finally {
      await opened.close();
    }
  }

  test("answers until this month's answers, including those noted before, have used up the budget", async () => {
    await withStore(async ({ store }, model) => {
      const use = { documentId: "", revision: 1, model: "dear", prompt: "p/1", inputTokens: 1, outputTokens: 1 };
      clock.advance(-30 * 86_400_000);
      await store.extractions.note(store.organizationId, { ...use, cost: 50 });
      clock.advance(30 * 86_400_000);
      await store.extractions.note(store.organizationId, { ...use, cost: 1 });
      await store.extractions.note(store.organizationId, use);
      expect(await model.budget?.()).toEqual({ limit: 3, spent: 1 });
      await model.generate(QUESTION);
      await model.generate(QUESTION);
      expect(await model.budget?.()).toEqual({ limit: 3, spent: 3 });
      await expect(model.generate(QUESTION)).rejects.toMatchObject({
        kind: "unavailable",
        retryAfter: 3_600,
        message: expect.stringContaining("RECOLLECT_LLM_MONTHLY_BUDGET, $3, is spent"),
      });
      clock.advance(30 * 86_400_000);
      expect((await model.generate(QUESTION)).value).toEqual({ city: "Oslo" });
      expect(await model.budget?.()).toEqual({ limit: 3, spent: 1 });
      clock.advance(-30 * 86_400_000);
    });
  });
});

test("documents wait once the budget is spent, are found by their text, and status and doctor say so", async () => {
  const provider = await startScriptedModel();
  provider.always(() => JSON.stringify({ facts: [], summary: "", title: "", relations: [], derived: [] }));
  const opened = await openWithBudget(provider.url, "0");
  try {
    const call = { actor: opened.actor };
    const { id } = await opened.core.addDocument(call, { content: "I own a boat.", dreaming: "instant" });
    const details = async () => opened.core.getDocument(call, { id });
    await expect.poll(async () => (await details()).dreamingReason).toContain("RECOLLECT_LLM_MONTHLY_BUDGET");
    expect((await details()).document).toMatchObject({ status: "done", dreamingStatus: "dreaming" });
    expect(provider.requests).toHaveLength(0);
    expect((await opened.core.status(call)).llmBudget).toEqual({ limit: 0, spent: 0 });
  } finally {
    await opened.close();
    await provider.close();
  }
});

test("unusable answers count towards the budget and the amount spent", async () => {
  const provider = await startScriptedModel();
  provider.always(() => "Nothing that fits.");
  const opened = await openWithBudget(provider.url, "0.000003");
  try {
    const call = { actor: opened.actor };
    const add = async (content: string) => {
      const { id } = await opened.core.addDocument(call, { content, dreaming: "instant" });
      return async () => (await opened.core.getDocument(call, { id })).dreamingReason;
    };
    await add("I own a boat.");
    await expect.poll(() => provider.requests.length).toBeGreaterThanOrEqual(2);
    const spent = async () => (await opened.core.status(call)).llmBudget?.spent;
    await expect.poll(spent).toBeGreaterThanOrEqual(0.000004);
    const asked = provider.requests.length;
    const reason = await add("I own a car.");
    await expect
      .poll(async () => (await reason()) ?? "", { timeout: 20_000 })
      .toContain("RECOLLECT_LLM_MONTHLY_BUDGET");
    expect(provider.requests).toHaveLength(asked);
    const { llmUse } = await opened.core.status(call);
    expect(llmUse).toMatchObject({ inputTokens: asked, outputTokens: asked });
  } finally {
    await opened.close();
    await provider.close();
  }
});

test("an unusable answer counts even if the follow-up question that should correct it fails", async () => {
  const provider = await startScriptedModel();
  provider.script("Nothing that fits.");
  provider.always(() => ({ fault: "status", status: 429 }));
  const opened = await openWithBudget(provider.url, "1");
  try {
    const call = { actor: opened.actor };
    await opened.core.addDocument(call, { content: "I own a boat.", dreaming: "instant" });
    await expect
      .poll(async () => (await opened.core.status(call)).llmUse, { timeout: 10_000 })
      .toMatchObject({ inputTokens: 1, outputTokens: 1 });
    expect((await opened.core.status(call)).llmBudget?.spent).toBe(0.000002);
  } finally {
    await opened.close();
    await provider.close();
  }
});
