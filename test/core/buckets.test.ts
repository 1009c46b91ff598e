import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { fillBuckets } from "../../src/core/profile/buckets.js";
import type { MemoryKind } from "../../src/core/types.js";
import { buildMemory } from "../support/build-memory.js";

const PRESET_KEYS =
  "preferences interests goals work relationships health skills finances education travel values projects".split(" ");
const belongs = (key: string, description: string, text: string, kind?: MemoryKind): boolean =>
  (fillBuckets([buildMemory(text, kind)], [{ key, description }])[key] ?? []).length > 0;

const PREFERENCES = ["preferences", "Likes, dislikes and settled choices: tools, food, style."] as const;
const HEALTH = ["health", "Conditions, allergies, medication, fitness, sleep and diet."] as const;
const TRAVEL = ["travel", ""] as const;
const STACK = ["tech_stack", "Programming languages, frameworks and databases in use"] as const;

describe("a bucket contains", () => {
  test.each([
    [PREFERENCES, "Ines prefers tea over coffee"],
    [PREFERENCES, "Ines loves the sea"],
    [PREFERENCES, "Ines does not like crowded rooms"],
    [PREFERENCES, "Ines's favourite colour is green"],
    [HEALTH, "Ines is allergic to peanuts"],
    [HEALTH, "Ines takes medication every morning"],
    [TRAVEL, "Ines is planning a trip to Norway in June"],
    [TRAVEL, "Ines flew to Rome last week"],
    [STACK, "The tech of the team is ten years old"],
    [STACK, "Ines writes her programs in three languages"],
    [["pets", ""], "Ines has a dog named Bo"],
    [["family", ""], "Ines has a sister named Mona"],
  ] as const)("%s: %s", ([key, description], text) => {
    expect(belongs(key, description, text)).toBe(true);
  });

  test("anything stated as a preference, in the preferences bucket", () => {
    expect(belongs(...PREFERENCES, "Tea, never coffee")).toBe(false);
    expect(belongs(...PREFERENCES, "Tea, never coffee", "preference")).toBe(true);
    expect(belongs(...HEALTH, "Tea, never coffee", "preference")).toBe(false);
  });
});

describe("a bucket does not contain", () => {
  test.each([
    [PREFERENCES, "Ines looks like her mother"],
    [PREFERENCES, "Ines built a tool for the kitchen"],
    [HEALTH, "Ines works at Acme"],
    [HEALTH, "The deploy runs on Fridays"],
    [TRAVEL, "Ines speaks French"],
    [STACK, "Ines has a sister named Mona"],
    [["family", ""], "Ines moved the launch to May"],
    [["x", ""], "Ines keeps bees"],
  ] as const)("%s: %s", ([key, description], text) => {
    expect(belongs(key, description, text)).toBe(false);
  });

  test("one word in common with the description is not enough, two are", () => {
    const bucket = ["plans", "What happens next week and next month"] as const;
    expect(belongs(...bucket, "Ines was ill for a week")).toBe(false);
    expect(belongs(...bucket, "Ines moves next week")).toBe(true);
  });
});

describe("filling buckets", () => {
  test("keeps the order, and includes empty buckets", () => {
    const memories = ["Ines likes tea", "Ines likes jam", "Ines flew to Oslo", "Ines likes figs"].map((text) =>
      buildMemory(text),
    );
    const filled = fillBuckets(memories, [
      { key: "preferences", description: "" },
      { key: "travel", description: "" },
      { key: "pets", description: "" },
    ]);
    const texts = Object.entries(filled).map(([key, found]) => [key, found.map(({ text }) => text)]);
    expect(texts).toEqual([
      ["preferences", ["Ines likes tea", "Ines likes jam", "Ines likes figs"]],
      ["travel", ["Ines flew to Oslo"]],
      ["pets", []],
    ]);
  });

  test("judges a text again when the description of a bucket changes", () => {
    const text = "Ines repaired the gate";
    expect(belongs("chores", "What somebody repaired around the house", text)).toBe(true);
    expect(belongs("chores", "Cleaning the windows", text)).toBe(false);
    expect(belongs("chores", "What somebody repaired around the house", text)).toBe(true);
  });

  test("handles odd texts", () => {
    for (const text of ["", " ", "\ud83d", "works ".repeat(5_000), "a".repeat(20_000), "(((((", "is a ".repeat(2_000)])
      for (const key of PRESET_KEYS) expect(typeof belongs(key, "", text)).toBe("boolean");
  });

  test("may put a memory into several buckets", () => {
    const buckets = [
      { key: "preferences", description: "" },
      { key: "travel", description: "" },
    ];
    const filled = fillBuckets([buildMemory("Ines loves long trips")], buckets);
    expect(Object.values(filled).map((found) => found.length)).toEqual([1, 1]);
  });
});

const { sentences, described } = z
  .object({
    sentences: z.array(
      z.object({
        part: z.enum(["tune", "held"]),
        text: z.string(),
        buckets: z.array(z.string()),
        may: z.array(z.string()).default([]),
      }),
    ),
    described: z.array(
      z.object({
        part: z.enum(["tune", "held"]),
        key: z.string(),
        description: z.string(),
        belongs: z.array(z.string()),
        other: z.array(z.string()),
      }),
    ),
  })
  .parse(JSON.parse(readFileSync(new URL("../fixtures/bucket-sentences.json", import.meta.url), "utf8")));

describe("on labelled sentences", () => {
  test("the labels are numerous, unique and refer to existing buckets", () => {
    const texts = sentences.map(({ text }) => text);
    expect(texts.length).toBeGreaterThanOrEqual(150);
    expect(new Set(texts).size).toBe(texts.length);
    for (const { buckets, may } of sentences) expect(PRESET_KEYS).toEqual(expect.arrayContaining([...buckets, ...may]));
  });

  test.for(["tune", "held"] as const)(
    "sorting into preset buckets is precise (%s part)",
    async (part, { annotate }) => {
      const verdicts = sentences
        .filter((sentence) => sentence.part === part)
        .flatMap(({ text, buckets, may }) =>
          PRESET_KEYS.filter((key) => !may.includes(key)).map((key) => ({
            said: belongs(key, "", text),
            holds: buckets.includes(key),
          })),
        );
      const { precision, recall } = figuresOf(verdicts);
      await annotate(`buckets, presets, ${part}: precision ${precision.toFixed(3)}, recall ${recall.toFixed(3)}`);
      expect(precision).toBeGreaterThanOrEqual(0.85);
      expect(recall).toBeGreaterThanOrEqual(0.6);
    },
  );

  test.for(["tune", "held"] as const)(
    "sorting into described buckets is precise (%s part)",
    async (part, { annotate }) => {
      const verdicts = described
        .filter((bucket) => bucket.part === part)
        .flatMap(({ key, description, belongs: inside, other }) =>
          [...inside, ...other].map((text) => ({
            said: belongs(key, description, text),
            holds: inside.includes(text),
          })),
        );
      const { precision, recall } = figuresOf(verdicts);
      await annotate(`buckets, described, ${part}: precision ${precision.toFixed(3)}, recall ${recall.toFixed(3)}`);
      expect(precision).toBeGreaterThanOrEqual(0.85);
      expect(recall).toBeGreaterThanOrEqual(0.7);
    },
  );
});

function figuresOf(verdicts: readonly { said: boolean; holds: boolean }[]): { precision: number; recall: number } {
  const right = verdicts.filter(({ said, holds }) => said && holds).length;
  return {
    precision: right / verdicts.filter(({ said }) => said).length,
    recall: right / verdicts.filter(({ holds }) => holds).length,
  };
}
