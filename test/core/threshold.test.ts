import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { createBuiltinEmbedder } from "../../src/adapters/embed/builtin.js";
import type { Embedder, UnitDetail } from "../../src/core/ports.js";
import { rankUnits } from "../../src/core/search/rank.js";
import { stem } from "../../src/lib/stem.js";
import { queryWords, tokenise } from "../../src/lib/words.js";
import { chunkDetail, memoryDetail } from "../support/unit-details.js";

const DEFAULT_THRESHOLD = 0.5;

const worldSchema = z.object({
  part: z.enum(["tune", "held"]),
  kind: z.enum(["memory", "chunk"]),
  about: z.string(),
  units: z.array(z.string()),
  questions: z.array(
    z.object({ question: z.string(), answers: z.array(z.number()), related: z.array(z.number()).default([]) }),
  ),
});
type World = z.infer<typeof worldSchema>;

const { worlds } = z
  .object({ worlds: z.array(worldSchema) })
  .parse(JSON.parse(readFileSync(new URL("../fixtures/threshold-pairs.json", import.meta.url), "utf8")));

describe("the default threshold with the built-in embedder", () => {
  it("is measured on at least 120 questions, no two alike", () => {
    const questions = worlds.flatMap((world) => world.questions.map(({ question }) => question));
    expect(questions.length).toBeGreaterThanOrEqual(120);
    expect(new Set(questions).size).toBe(questions.length);
  });

  for (const part of ["tune", "held"] as const)
    it(`keeps at least 90 % of the answers and drops at least 90 % of the unrelated (${part} part)`, async () => {
      const figures = await measure(worlds.filter((world) => world.part === part));
      console.log(
        `threshold ${DEFAULT_THRESHOLD}, ${part}: keeps ${percent(figures.kept)} of ${figures.answers} answers; drops ` +
          `${percent(figures.dropped)} of ${figures.unrelated} unrelated texts, ` +
          `${percent(figures.nearDropped)} of those about the same person or project`,
      );
      expect(figures.kept).toBeGreaterThanOrEqual(0.9);
      expect(figures.dropped).toBeGreaterThanOrEqual(0.9);
      expect(figures.nearDropped).toBeGreaterThanOrEqual(0.75);
    });

  it("puts a text that is asked for word for word above 0.9, and nothing else", async () => {
    const some = worlds.filter((world) => world.kind === "memory").slice(0, 4);
    const container = await openContainer(some);
    for (const { unit } of container.units) {
      const similarityOf = await ask(container, unit.text);
      expect(similarityOf(unit.unit)).toBeGreaterThan(0.9);
      for (const other of container.units)
        if (other.unit !== unit) expect(similarityOf(other.unit.unit)).toBeLessThanOrEqual(0.9);
    }
  });
});

/** Asks every question of the worlds in one container that holds all of them. */
async function measure(some: readonly World[]) {
  const container = await openContainer(some);
  const answers: boolean[] = [];
  const unrelated: boolean[] = [];
  const near: boolean[] = [];
  for (const world of some)
    for (const question of world.questions) {
      const similarityOf = await ask(container, question.question);
      for (const { unit, home, number } of container.units) {
        const similarity = similarityOf(unit.unit);
        const isHome = home === world;
        if (isHome && question.answers.includes(number)) answers.push(similarity >= DEFAULT_THRESHOLD);
        else if (!isHome || !question.related.includes(number)) {
          unrelated.push(similarity < DEFAULT_THRESHOLD);
          if (isHome) near.push(similarity < DEFAULT_THRESHOLD);
        }
      }
    }
  return {
    answers: answers.length,
    unrelated: unrelated.length,
    kept: share(answers),
    dropped: share(unrelated),
    nearDropped: share(near),
  };
}

interface Container {
  readonly units: readonly { unit: UnitDetail; home: World; number: number; vector: Float32Array }[];
  readonly embedder: Embedder;
}

async function openContainer(some: readonly World[]): Promise<Container> {
  const embedder = createBuiltinEmbedder();
  const units: { unit: UnitDetail; home: World; number: number; vector: Float32Array }[] = [];
  for (const home of some) {
    const vectors = await embedder.embed(home.units, "document");
    for (const [index, text] of home.units.entries()) {
      const of = { seq: units.length + 1, text, position: index, documentId: home.about };
      const speakers = [text.slice(0, text.indexOf(":"))];
      const unit =
        home.kind === "memory" ? memoryDetail({ ...of, documentId: text }) : chunkDetail({ ...of, speakers });
      units.push({ unit, home, number: index + 1, vector: vectors[index] ?? new Float32Array(0) });
    }
  }
  return { units, embedder };
}

/** The similarity of each unit of a container to a question; 0 for those that only repeat another. */
async function ask({ units, embedder }: Container, question: string): Promise<(unit: number) => number> {
  const [asked] = await embedder.embed([question], "query");
  const ranked = rankUnits({
    query: question,
    vectorHits: units.map(({ unit, vector }) => ({ unit: unit.unit, cosine: dot(asked, vector) })),
    textHits: [],
    details: units.map(({ unit }) => unit),
    wordCounts: countWords(units, question),
    calibration: { points: embedder.calibration, wordWeight: 1, doubt: 0 },
    now: new Date("2024-05-06"),
  });
  const similarities = new Map(ranked.map(({ unit, similarity }) => [unit, similarity]));
  return (unit) => similarities.get(unit) ?? 0;
}

const stemsOf = new Map<string, ReadonlySet<string>>();

function countWords(units: Container["units"], question: string) {
  const counts = queryWords(question).map((word) => units.filter(({ unit }) => hasStem(unit.text, stem(word))).length);
  return { total: units.length, counts };
}

function hasStem(text: string, wanted: string): boolean {
  const known = stemsOf.get(text) ?? new Set(tokenise(text).map(stem));
  stemsOf.set(text, known);
  return known.has(wanted);
}

function dot(one: Float32Array | undefined, other: Float32Array | undefined): number {
  let sum = 0;
  for (const [index, value] of (one ?? new Float32Array(0)).entries()) sum += value * (other?.[index] ?? 0);
  return sum;
}

function share(list: readonly boolean[]): number {
  return list.filter(Boolean).length / list.length;
}

function percent(value: number): string {
  return `${(100 * value).toFixed(1)} %`;
}
