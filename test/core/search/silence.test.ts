import { afterAll, beforeAll, expect, test } from "vitest";
import { openCore, type OpenedCore } from "../../support/open-core.js";
import { measureSilence, readSilenceSet } from "../../support/silence-set.js";

let core: OpenedCore;
beforeAll(async () => {
  core = await openCore();
});
afterAll(() => core.close());

const percent = (part: number, whole: number) => `${((100 * part) / whole).toFixed(1)} %`;

test("the labelled questions are unique, and each expected answer is a fact", () => {
  const memories = [...readSilenceSet("dev"), ...readSilenceSet("heldout"), ...readSilenceSet("held2")];
  expect(memories).toHaveLength(42);
  for (const { name, facts, questions } of memories) {
    expect(new Set(questions.map(({ text }) => text)).size, name).toBe(questions.length);
    const ids = new Set(facts.map(({ id }) => id));
    for (const { text, answers } of questions)
      expect(
        answers.filter((id) => !ids.has(id)),
        text,
      ).toEqual([]);
  }
});

// The bounds only prevent regressions: far more of the unanswerable questions should get no result.
test("questions about small memories are answered, or get no result, as often as before", async ({ annotate }) => {
  const figures = await measureSilence(core, readSilenceSet("dev"));
  const { unanswered, silent, answered, first, firstThree, wrong } = figures;
  await annotate(
    `built-in embedder, default threshold: ${percent(silent, unanswered)} of ${unanswered} questions without an answer ` +
      `silent; of ${answered} with one, ${percent(first, answered)} first, ${percent(firstThree, answered)} within three; ` +
      `${(wrong / answered).toFixed(2)} wrong results beside`,
  );
  expect(silent / unanswered).toBeGreaterThanOrEqual(0.53);
  expect(firstThree / answered).toBeGreaterThanOrEqual(0.86);
  expect(wrong / answered).toBeLessThanOrEqual(0.75);
}, 120_000);

test("the person a question is about is no answer by itself, however few memories there are", async () => {
  const containerTag = "two-facts";
  const memories = ["Mia plays the violin in a youth orchestra.", "Mia was born in Turku."];
  const { actor } = core;
  await core.core.createMemories({ actor }, { containerTag, memories: memories.map((content) => ({ content })) });
  const ask = async (q: string) =>
    (await core.core.search({ actor }, { q, containerTags: [containerTag], limit: 10 })).results.map(
      ({ text }) => text,
    );
  expect(await ask("what is Mia's blood type?")).toEqual([]);
  expect(await ask("how tall is Mia?")).toEqual([]);
  expect(await ask("which instrument does Mia play?")).toEqual([memories[0]]);
  expect(await ask("where was Mia born?")).toEqual([memories[1]]);
});
