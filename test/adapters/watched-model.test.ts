import { expect, test } from "vitest";
import { createWatchedModel } from "../../src/adapters/llm/watched.js";
import { ServiceRefusal, UnclearRefusal } from "../../src/core/errors.js";
import type { LanguageModel, ModelRequest } from "../../src/core/ports.js";
import { ManualClock } from "../support/clock.js";

const MINUTE = 60_000;
const clock = new ManualClock();
const question = (effort: "fast" | "careful") => ({ effort }) as ModelRequest<unknown>;

/** Refuses questions of one effort. */
function watched(refused: "fast" | "careful"): LanguageModel {
  const model = {
    name: "scripted",
    mark: "one",
    generate: async ({ effort }: ModelRequest<unknown>) => {
      await new Promise((resolve) => setImmediate(resolve));
      if (effort === refused) throw new ServiceRefusal("invalid", "It knows no such model.");
      return { value: {} };
    },
  } as unknown as LanguageModel;
  return createWatchedModel(model, { clock });
}

const restOf = (model: LanguageModel) =>
  ((model.standing?.("careful").restsUntil?.getTime() ?? 0) - clock.now().getTime()) / MINUTE;
const refuse = (model: LanguageModel) => model.generate(question("careful")).catch(() => {});

test("one outage counts once, however many questions are in progress, and the next counts again", async () => {
  const model = watched("careful");
  await Promise.all([refuse(model), refuse(model), refuse(model), refuse(model)]);
  expect(restOf(model)).toBe(5);
  clock.advance(5 * MINUTE);
  await Promise.all([refuse(model), refuse(model)]);
  expect(restOf(model)).toBe(10);
});

test("a refused fast model says nothing about the careful one", async () => {
  const model = watched("fast");
  await model.generate(question("careful"));
  await model.generate(question("fast")).catch(() => {});
  expect(model.standing?.("careful")).toEqual({ isAnswering: true, problem: null, restsUntil: null });
  expect(model.standing?.("fast")).toMatchObject({ isAnswering: false, problem: "It knows no such model." });
  expect(model.standing?.()).toMatchObject({ isAnswering: false, restsUntil: expect.any(Date) as Date });
});

/** Refuses texts that match a pattern, or all. */
function refusing(what: RegExp): { readonly model: LanguageModel; readonly asked: string[] } {
  const asked: string[] = [];
  const model = {
    name: "scripted",
    mark: "one",
    generate: async ({ messages }: ModelRequest<unknown>) => {
      const text = messages.map(({ content }) => content).join();
      asked.push(text);
      await new Promise((resolve) => setImmediate(resolve));
      if (what.test(text)) throw new UnclearRefusal("invalid", "It refused the key (403).");
      return { value: { word: "tea" } };
    },
  } as unknown as LanguageModel;
  return { model: createWatchedModel(model, { clock }), asked };
}

const about = (text: string): ModelRequest<unknown> =>
  ({ effort: "careful", messages: [{ role: "user", content: text }] }) as unknown as ModelRequest<unknown>;

test("a text refused without a reason does not stop others from being asked", async () => {
  const { model, asked } = refusing(/venom/);
  const refused = await Promise.all(["venom", "more venom"].map((text) => model.generate(about(text)).catch((e) => e)));
  for (const error of refused) {
    expect(error).not.toBeInstanceOf(ServiceRefusal);
    expect(error).toMatchObject({ kind: "invalid", message: expect.stringContaining("refused the text") });
  }
  expect(asked).toHaveLength(3);
  expect(model.standing?.("careful").restsUntil).toBeNull();
  expect(await model.generate(about("tea"))).toMatchObject({ value: { word: "tea" } });
});

test("a key refused without a reason is detected with a neutral text, and the model is left alone", async () => {
  const { model, asked } = refusing(/./);
  await Promise.all(["one", "two"].map((text) => model.generate(about(text)).catch(() => {})));
  expect(asked).toHaveLength(3);
  await expect(model.generate(about("three"))).rejects.toBeInstanceOf(ServiceRefusal);
  expect(asked).toHaveLength(3);
  expect(restOf(model)).toBe(5);
});
