import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createBuiltinEmbedder } from "../../src/adapters/embed/builtin.js";
import type { Calibration, Embedder } from "../../src/core/ports.js";
import { calibrationFrom, measureSpace } from "../../src/core/search/calibration.js";
import { rankUnits } from "../support/rank-units.js";
import { interpolate } from "../../src/core/search/similarity.js";
import { DEFAULT_THRESHOLD, measureThreshold, percent, WORLDS } from "../support/labelled-pairs.js";
import { openAiEmbedderOf, openStaticMeaning, startNarrowProvider } from "../support/meaning-embedders.js";
import { memoryDetail } from "../support/unit-details.js";

interface Opened {
  readonly embedder: Embedder;
  readonly calibration: Calibration;
}

const opened = new Map<string, Opened>();
const closing: (() => Promise<void>)[] = [];

beforeAll(async () => {
  const builtin = createBuiltinEmbedder();
  opened.set("builtin", { embedder: builtin, calibration: { points: builtin.calibration, wordWeight: 1, doubt: 0 } });
  const fixed = await openStaticMeaning(wordsOf(WORLDS));
  const provider = await startNarrowProvider();
  closing.push(
    () => fixed.close(),
    () => provider.close(),
  );
  for (const [name, embedder] of [
    ["static", fixed.embedder],
    ["openai with a narrow range", openAiEmbedderOf(provider)],
  ] as const)
    opened.set(name, { embedder, calibration: calibrationFrom(await measureSpace(embedder)) });
});
afterAll(async () => {
  for (const close of closing) await close();
});

function wordsOf(worlds: typeof WORLDS): string[] {
  const texts = worlds.flatMap(({ units, questions }) => [...units, ...questions.map(({ question }) => question)]);
  return texts.flatMap((text) => text.toLowerCase().match(/[a-z]{2,}/g) ?? []);
}

const NAMES = ["builtin", "static", "openai with a narrow range"] as const;
const MEASURED = ["static", "openai with a narrow range"] as const;

function open(name: string): Opened {
  const found = opened.get(name);
  if (!found) throw new Error(`${name} is not open`);
  return found;
}

async function cosineOf({ embedder }: Opened, asked: string, text: string): Promise<number> {
  const [question] = await embedder.embed([asked], "query");
  const [answer] = await embedder.embed([text], "document");
  return dot(question, answer);
}

function dot(one: Float32Array | undefined, other: Float32Array | undefined): number {
  return (one ?? new Float32Array()).reduce((sum, value, at) => sum + value * (other?.[at] ?? 0), 0);
}

async function similarityOf(reader: Opened, query: string, text: string): Promise<number> {
  const unit = memoryDetail({ seq: 1, text });
  const [found] = rankUnits({
    query,
    vectorHits: [{ unit: unit.unit, cosine: await cosineOf(reader, query, text) }],
    textHits: [],
    details: [unit],
    wordCounts: null,
    calibration: reader.calibration,
    now: new Date("2024-05-06"),
  });
  return found?.similarity ?? Number.NaN;
}

/** Pairs about the same subject without a common word. */
const IN_OTHER_WORDS = [
  ["Who looks after the sick lady?", "A nurse comes to the hospital ward and brings her pills."],
  ["Is there enough cash?", "The bank account has only forty euros left in it."],
  ["What did the visitors score?", "The football team won the match with two goals."],
  ["Where does the family reside?", "They moved into a flat in Hamburg last year."],
  ["How hot will it get?", "The forecast promises sunshine and thirty degrees."],
  ["Which novel is she holding?", "That book by her favourite author lies in the library."],
  ["What does he wear?", "An old coat, a hat and brown boots."],
  ["The boat went down.", "A ferry sank in the harbour after waves flooded her deck."],
] as const;

/** Pairs with one common word and nothing else in common. */
const ONE_COMMON_WORD = [
  [
    "How many pages does the new contract have?",
    "The new tulips in the garden are red, and those by the pond are white.",
  ],
  ["Where did my sister leave her passport?", "Leave the dough in a warm place and bake the loaf when it has risen."],
  ["How long does the train to the airport take?", "The dog with the long ears barked at a rabbit behind the hedge."],
  [
    "Which lawyer wrote the contract on Tuesday?",
    "On Tuesday the bees left their hive and settled in an oak by the river.",
  ],
  [
    "What does the plumber charge for an hour?",
    "For an hour they picked grapes and apples, then rain and a storm came.",
  ],
  ["Is the budget for the big election public?", "A big dog swam in the lake while the children played with a kitten."],
] as const;

describe.each(NAMES)("threshold 0.5 with %s", (name) => {
  test.for(["tune", "held"] as const)(
    "keeps answers and drops unrelated texts (%s part)",
    { timeout: 60_000 },
    async (part, { annotate }) => {
      const figures = await measureThreshold(
        WORLDS.filter((world) => world.part === part),
        open(name),
      );
      await annotate(
        `${name}, ${part}: keeps ${percent(figures.kept)} of ${figures.answers} answers, drops ` +
          `${percent(figures.dropped)} of ${figures.unrelated} unrelated texts, ${percent(figures.nearDropped)} of the near`,
      );
      expect(figures.kept).toBeGreaterThanOrEqual(0.9);
      expect(figures.dropped).toBeGreaterThanOrEqual(0.9);
      expect(figures.nearDropped).toBeGreaterThanOrEqual(0.75);
    },
  );
});

test("nearly all cosines of the narrow model are between 0.7 and 0.9, so another scale would keep everything", async () => {
  const { embedder } = open("openai with a narrow range");
  const held = WORLDS.filter(({ part }) => part === "held");
  const asked = await embedder.embed(
    held.flatMap(({ questions }) => questions.map(({ question }) => question)),
    "query",
  );
  const texts = await embedder.embed(
    held.flatMap(({ units }) => units),
    "document",
  );
  const cosines = asked.flatMap((one) => texts.map((other) => dot(one, other)));
  const inside = cosines.filter((cosine) => cosine > 0.7 && cosine < 0.9);
  expect(inside.length / cosines.length).toBeGreaterThan(0.9);
  const guessed = { embedder, calibration: { points: embedder.calibration, wordWeight: 1, doubt: 0 } };
  expect((await measureThreshold(held, guessed)).dropped).toBeLessThan(0.1);
});

describe.each(MEASURED)("similarity with %s", (name) => {
  test("paraphrases pass the threshold", async () => {
    for (const [asked, text] of IN_OTHER_WORDS)
      expect(await similarityOf(open(name), asked, text), asked).toBeGreaterThanOrEqual(DEFAULT_THRESHOLD);
  });

  test("texts with only one word in common stay below the threshold", async () => {
    for (const [asked, text] of ONE_COMMON_WORD)
      expect(await similarityOf(open(name), asked, text), asked).toBeLessThan(DEFAULT_THRESHOLD);
  });

  test("texts with nothing in common are near 0.2", async () => {
    const found: number[] = [];
    for (const [at, [asked]] of IN_OTHER_WORDS.entries())
      for (const [other, [, text]] of IN_OTHER_WORDS.entries())
        if (other !== at) found.push(await similarityOf(open(name), asked, text));
    const middle = found.sort((one, two) => one - two)[found.length >> 1];
    expect(middle).toBeGreaterThan(0.1);
    expect(middle).toBeLessThan(0.3);
  });

  test("a reworded sentence is above 0.9, and only an identical text is at 1", async () => {
    const text = "The ferry to the island leaves the harbour at nine every morning.";
    const near = await similarityOf(open(name), "Every morning the ferry to the island leaves the harbour at 9", text);
    expect(near).toBeGreaterThan(0.9);
    expect(near).toBeLessThan(1);
    expect(await similarityOf(open(name), text, text)).toBe(1);
  });
});

test("a model with a narrow range of cosines is calibrated like one with a wide range", async () => {
  const { calibration: narrow } = open("openai with a narrow range");
  const { calibration: wide } = open("static");
  expect(interpolate(0.4, narrow.points)).toBeLessThanOrEqual(0.1);
  expect(interpolate(0.4, wide.points)).toBeGreaterThan(0.3);
  expect(Math.abs(narrow.doubt - wide.doubt)).toBeLessThan(0.1);
});
