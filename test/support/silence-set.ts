import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import type { OpenedCore } from "./open-core.js";

const FOLDER = join(import.meta.dirname, "..", "fixtures", "silence");

const memorySchema = z.object({
  name: z.string(),
  facts: z.array(z.object({ id: z.string(), text: z.string() })).length(20),
  questions: z.array(z.object({ text: z.string(), manner: z.string(), answers: z.array(z.string()) })).length(25),
});
export type LabelledMemory = z.infer<typeof memorySchema>;

/**
 * Small memories with agent-style questions, about half of which the memory does not answer. Changes to
 * ranking are tuned only on `dev`; `heldout` and `held2` measure the finished change.
 */
export function readSilenceSet(part: "dev" | "heldout" | "held2"): LabelledMemory[] {
  const folder = join(FOLDER, part);
  return readdirSync(folder)
    .toSorted()
    .map((file) => memorySchema.parse(JSON.parse(readFileSync(join(folder, file), "utf8"))));
}

export interface SilenceFigures {
  readonly unanswered: number;
  /** Questions without an answer that returned none. */
  readonly silent: number;
  readonly answered: number;
  /** Questions whose answer is the first result, and among the first three. */
  readonly first: number;
  readonly firstThree: number;
  /** Results that do not answer, over all questions that have an answer. */
  readonly wrong: number;
}

/** Asks every question with the defaults of a search. */
export async function measureSilence(
  { core, actor }: OpenedCore,
  memories: readonly LabelledMemory[],
): Promise<SilenceFigures> {
  const figures = { unanswered: 0, silent: 0, answered: 0, first: 0, firstThree: 0, wrong: 0 };
  for (const [index, { facts, questions }] of memories.entries()) {
    const containerTag = `memory-${index}`;
    await core.createMemories({ actor }, { containerTag, memories: facts.map(({ text }) => ({ content: text })) });
    const idOf = new Map(facts.map(({ id, text }) => [text, id]));
    for (const { text, answers } of questions) {
      const { results } = await core.search({ actor }, { q: text, containerTags: [containerTag], limit: 10 });
      const isRight = results.map((result) => answers.includes(idOf.get(result.text) ?? ""));
      if (answers.length === 0) {
        figures.unanswered += 1;
        figures.silent += Number(results.length === 0);
        continue;
      }
      figures.answered += 1;
      figures.first += Number(isRight[0] === true);
      figures.firstThree += Number(isRight.slice(0, 3).includes(true));
      figures.wrong += isRight.filter((right) => !right).length;
    }
  }
  return figures;
}
