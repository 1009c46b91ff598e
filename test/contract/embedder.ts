import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Embedder } from "../../src/core/ports.js";

export interface OpenedEmbedder {
  readonly embedder: Embedder;
  readonly close: () => Promise<void>;
}

function cosine(left: Float32Array, right: Float32Array): number {
  return left.reduce((sum, value, at) => sum + value * right[at]!, 0);
}

const HOSTILE: readonly [string, string][] = [
  ["empty", ""],
  ["white space", " \n\t\u00a0"],
  ["control characters", "\u0000\u0007\u001b[2J"],
  ["a lone surrogate", "before \ud83d after \ude00"],
  ["emoji only", "😀👩‍👩‍👧‍👦🏳️‍🌈"],
  ["Chinese", "我喜欢在早上喝咖啡"],
  ["Arabic", "أحب القهوة في الصباح"],
  ["punctuation only", "?!… --- ***"],
  ["one word of 100,000 letters", "x".repeat(100_000)],
  ["20,000 words", "word ".repeat(20_000)],
  ["thousands of combining characters", `a${"\u0301".repeat(10_000)}`],
];

/** What every Embedder must do. */
export function describeEmbedder(name: string, open: () => Promise<OpenedEmbedder>): void {
  describe(`embedder: ${name}`, () => {
    let opened: OpenedEmbedder;
    let embedder: Embedder;

    beforeAll(async () => {
      opened = await open();
      embedder = opened.embedder;
    });
    afterAll(() => opened.close());

    const embedOne = async (text: string, purpose: "document" | "query" = "document"): Promise<Float32Array> => {
      const [vector, ...others] = await embedder.embed([text], purpose);
      expect(others).toEqual([]);
      return vector!;
    };

    test("returns one vector per text, in order, all of one size and of length 1", async () => {
      const texts = ["The cat sat on the mat.", "Stock prices fell sharply today.", "The cat sat on the mat."];
      const vectors = await embedder.embed(texts, "document");
      expect(vectors).toHaveLength(3);
      for (const [at, text] of texts.entries()) {
        expect(vectors[at]).toHaveLength(vectors[0]!.length);
        expect(Math.hypot(...vectors[at]!)).toBeCloseTo(1, 4);
        expect(cosine(vectors[at]!, await embedOne(text))).toBeCloseTo(1, 4);
      }
    });

    test("returns no vectors for no texts", async () => {
      expect(await embedder.embed([], "document")).toEqual([]);
      expect(await embedder.embed([], "query")).toEqual([]);
    });

    test("accepts a full batch and more than one", async () => {
      const texts = Array.from({ length: embedder.maxBatch + 1 }, (_, at) => `note number ${at} about topic ${at * 7}`);
      const vectors = await embedder.embed(texts, "document");
      expect(vectors).toHaveLength(texts.length);
      expect(cosine(vectors.at(-1)!, await embedOne(texts.at(-1)!))).toBeCloseTo(1, 4);
    });

    test.each(HOSTILE)("%s gets a valid vector too", async (_what, text) => {
      for (const purpose of ["document", "query"] as const) {
        const vector = await embedOne(text, purpose);
        expect(vector.every(Number.isFinite)).toBe(true);
        expect(Math.hypot(...vector)).toBeCloseTo(1, 4);
      }
    });

    test("related texts are nearer than unrelated ones, for queries too", async () => {
      const query = await embedOne("When does the weekly team meeting start?", "query");
      const related = await embedOne("The weekly team meeting starts at nine.");
      const unrelated = await embedOne("Bananas contain potassium.");
      expect(cosine(query, related)).toBeGreaterThan(cosine(query, unrelated) + 0.1);
    });

    test("an aborted call rejects with the signal's reason", async () => {
      const reason = new Error("no longer needed");
      await expect(embedder.embed(["a", "b"], "document", AbortSignal.abort(reason))).rejects.toBe(reason);
    });

    test("the fingerprint is one line", () => {
      expect(embedder.fingerprint).toMatch(/^[\x20-\x7e]{3,200}$/);
      expect(embedder.name).toMatch(/^\S.*\S$/);
    });

    test("the calibration rises from 0 to 1", () => {
      const points = embedder.calibration;
      expect(points.length).toBeGreaterThan(1);
      expect(points.at(-1)).toEqual([1, 1]);
      for (const [at, [from, similarity]] of points.entries()) {
        expect(from).toBeGreaterThan(points[at - 1]?.[0] ?? -1.001);
        expect(similarity).toBeGreaterThan(points[at - 1]?.[1] ?? -0.001);
      }
    });
  });
}
