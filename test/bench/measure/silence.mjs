import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { removeFolder, temporaryFolder } from "../children.mjs";

const FIXTURES = join(dirname(fileURLToPath(import.meta.url)), "../../fixtures/silence");
/** Memories on which nothing is tuned. */
const PARTS = ["heldout", "held2"];

/** How often questions without an answer get none, and questions with one get it, in small labelled memories. */
export async function measureSilence({ product, results }) {
  const folder = temporaryFolder();
  const service = await product.serve(folder, { RECOLLECT_RATE_LIMIT: "0" });
  try {
    for (const part of PARTS) results.remark(lineOf(part, await figuresOf(service, part)));
  } finally {
    await service.stop();
    removeFolder(folder);
  }
}

async function figuresOf(service, part) {
  const figures = { unanswered: 0, silent: 0, answered: 0, first: 0, firstThree: 0, wrong: 0 };
  const files = readdirSync(join(FIXTURES, part)).sort();
  for (const [index, file] of files.entries()) {
    const { facts, questions } = JSON.parse(readFileSync(join(FIXTURES, part, file), "utf8"));
    const containerTag = `${part}-${index}`;
    const memories = facts.map(({ text }) => ({ content: text }));
    await service.post("/v4/memories", { containerTag, memories });
    const idOf = new Map(facts.map(({ id, text }) => [text, id]));
    for (const { text, answers } of questions) {
      const { results: found } = await service.search({ q: text, containerTag, limit: 10 });
      count(
        figures,
        answers,
        found.map(({ memory }) => answers.includes(idOf.get(memory))),
      );
    }
  }
  return figures;
}

function count(figures, answers, isRight) {
  if (answers.length === 0) {
    figures.unanswered += 1;
    figures.silent += Number(isRight.length === 0);
    return;
  }
  figures.answered += 1;
  figures.first += Number(isRight[0] === true);
  figures.firstThree += Number(isRight.slice(0, 3).includes(true));
  figures.wrong += isRight.filter((right) => !right).length;
}

function lineOf(part, { unanswered, silent, answered, first, firstThree, wrong }) {
  const percent = (some, all) => `${((100 * some) / all).toFixed(1)} %`;
  return (
    `Small labelled memories that nothing was tuned on (${part}): of ${unanswered} questions without an answer ` +
    `${percent(silent, unanswered)} get none; of ${answered} with one, ${percent(first, answered)} get it first and ` +
    `${percent(firstThree, answered)} within three, with ${(wrong / answered).toFixed(2)} wrong results beside it.`
  );
}
