import { readFileSync } from "node:fs";
import * as z from "zod";
import type { Calibration, Embedder, UnitDetail } from "../../src/core/ports.js";
import { rankUnits } from "./rank-units.js";
import { stem } from "../../src/language/stem.js";
import { queryWords, tokenise } from "../../src/language/words.js";
import { chunkDetail, memoryDetail } from "./unit-details.js";

/** Minimum similarity at which a text counts as related. */
export const DEFAULT_THRESHOLD = 0.5;

const worldSchema = z.object({
  part: z.enum(["tune", "held"]),
  kind: z.enum(["memory", "chunk"]),
  about: z.string(),
  units: z.array(z.string()),
  questions: z.array(
    z.object({ question: z.string(), answers: z.array(z.number()), related: z.array(z.number()).default([]) }),
  ),
});

/** Texts about one person or project, and questions with the texts that answer them. */
export type World = z.infer<typeof worldSchema>;

/** Questions with the texts that answer them, and thereby many unrelated texts. */
export const { worlds: WORLDS } = z
  .object({ worlds: z.array(worldSchema) })
  .parse(JSON.parse(readFileSync(new URL("../fixtures/threshold-pairs.json", import.meta.url), "utf8")));

/** An embedder to compare, and how its cosines are interpreted. */
export interface Reader {
  readonly embedder: Embedder;
  readonly calibration: Calibration;
}

/** Shares are 0 to 1. */
export interface Figures {
  readonly answers: number;
  readonly unrelated: number;
  /** Share of the answers at or above the threshold. */
  readonly kept: number;
  /** Share of the unrelated texts below the threshold. */
  readonly dropped: number;
  /** Share of the unrelated texts about the same person or project below the threshold. */
  readonly nearDropped: number;
}

/** Asks every question of the worlds in one container that contains all of them. */
export async function measureThreshold(some: readonly World[], reader: Reader): Promise<Figures> {
  const container = await openContainer(some, reader);
  const answers: boolean[] = [];
  const unrelated: boolean[] = [];
  const near: boolean[] = [];
  for (const world of some) {
    const questions = world.questions.map(({ question }) => question);
    const vectors = await reader.embedder.embed(questions, "query");
    for (const [at, question] of world.questions.entries()) {
      const similarityOf = compare(container, question.question, vectors[at]);
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
  }
  return {
    answers: answers.length,
    unrelated: unrelated.length,
    kept: share(answers),
    dropped: share(unrelated),
    nearDropped: share(near),
  };
}

/** Texts with their vectors. */
export interface Container extends Reader {
  readonly units: readonly { unit: UnitDetail; home: World; number: number; vector: Float32Array }[];
}

/** Embeds all texts of the worlds. */
export async function openContainer(some: readonly World[], reader: Reader): Promise<Container> {
  const units: { unit: UnitDetail; home: World; number: number; vector: Float32Array }[] = [];
  for (const home of some) {
    const vectors = await reader.embedder.embed(home.units, "document");
    for (const [index, text] of home.units.entries()) {
      const of = { seq: units.length + 1, text, position: index, documentId: home.about };
      const speakers = [text.slice(0, text.indexOf(":"))];
      const unit =
        home.kind === "memory" ? memoryDetail({ ...of, documentId: text }) : chunkDetail({ ...of, speakers });
      units.push({ unit, home, number: index + 1, vector: vectors[index] ?? new Float32Array(0) });
    }
  }
  return { ...reader, units };
}

/** The similarity of each unit of a container to a question; 0 for duplicates of another unit. */
export async function ask(container: Container, question: string): Promise<(unit: number) => number> {
  const [asked] = await container.embedder.embed([question], "query");
  return compare(container, question, asked);
}

function compare({ units, calibration }: Container, question: string, asked: Float32Array | undefined) {
  const ranked = rankUnits({
    query: question,
    vectorHits: units.map(({ unit, vector }) => ({ unit: unit.unit, cosine: dot(asked, vector) })),
    textHits: [],
    details: units.map(({ unit }) => unit),
    wordCounts: countWords(units, question),
    calibration,
    now: new Date("2024-05-06"),
  });
  const similarities = new Map(ranked.map(({ unit, similarity }) => [unit, similarity]));
  return (unit: number): number => similarities.get(unit) ?? 0;
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

/** A share in a form for people. */
export function percent(value: number): string {
  return `${(100 * value).toFixed(1)} %`;
}
