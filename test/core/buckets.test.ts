import { describe, expect, test } from "vitest";
import { fillBuckets } from "../../src/core/profile/buckets.js";
import type { Memory, MemoryKind } from "../../src/core/types.js";

const memory = (text: string, kind: MemoryKind = "fact"): Memory => ({
  seq: 1,
  id: text,
  containerTag: "a",
  text,
  version: 1,
  isLatest: true,
  parentId: null,
  rootId: null,
  kind,
  isStatic: false,
  isInference: false,
  isForgotten: false,
  forgetAfter: null,
  forgetReason: null,
  sourceCount: 1,
  strength: 1,
  origin: "user",
  metadata: null,
  createdAt: "2024-05-06T07:08:09.000Z",
  updatedAt: "2024-05-06T07:08:09.000Z",
});
const belongs = (key: string, description: string, text: string, kind?: MemoryKind): boolean =>
  (fillBuckets([memory(text, kind)], [{ key, description }], 10)[key] ?? []).length > 0;

const PREFERENCES = ["preferences", "Likes, dislikes and settled choices: tools, food, style."] as const;
const HEALTH = ["health", "Conditions, allergies, medication, fitness, sleep and diet."] as const;
const TRAVEL = ["travel", ""] as const;
const STACK = ["tech_stack", "Programming languages, frameworks and databases in use"] as const;

describe("what belongs into a bucket", () => {
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

  test("anything that was told as a preference is one", () => {
    expect(belongs(...PREFERENCES, "Tea, never coffee")).toBe(false);
    expect(belongs(...PREFERENCES, "Tea, never coffee", "preference")).toBe(true);
    expect(belongs(...HEALTH, "Tea, never coffee", "preference")).toBe(false);
  });
});

describe("what does not", () => {
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

  test("one common word of a description says nothing, two do", () => {
    const bucket = ["plans", "What happens next week and next month"] as const;
    expect(belongs(...bucket, "Ines was ill for a week")).toBe(false);
    expect(belongs(...bucket, "Ines moves next week")).toBe(true);
  });
});

describe("filling", () => {
  test("keeps the order, stops at the limit, and shows every bucket", () => {
    const memories = ["Ines likes tea", "Ines likes jam", "Ines flew to Oslo", "Ines likes figs"].map((text) =>
      memory(text),
    );
    const filled = fillBuckets(
      memories,
      [
        { key: "preferences", description: "" },
        { key: "travel", description: "" },
        { key: "pets", description: "" },
      ],
      2,
    );
    const texts = Object.entries(filled).map(([key, found]) => [key, found.map(({ text }) => text)]);
    expect(texts).toEqual([
      ["preferences", ["Ines likes tea", "Ines likes jam"]],
      ["travel", ["Ines flew to Oslo"]],
      ["pets", []],
    ]);
  });

  test("a memory may belong to several buckets", () => {
    const buckets = [
      { key: "preferences", description: "" },
      { key: "travel", description: "" },
    ];
    const filled = fillBuckets([memory("Ines loves long trips")], buckets, 10);
    expect(Object.values(filled).map((found) => found.length)).toEqual([1, 1]);
  });
});
