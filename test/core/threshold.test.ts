import { describe, expect, it } from "vitest";
import { createBuiltinEmbedder } from "../../src/adapters/embed/builtin.js";
import {
  ask,
  DEFAULT_THRESHOLD,
  measureThreshold,
  openContainer,
  percent,
  WORLDS,
  type Reader,
} from "../support/labelled-pairs.js";

const embedder = createBuiltinEmbedder();
const builtin: Reader = {
  embedder,
  calibration: { points: embedder.calibration, wordWeight: 1, doubt: 0, ofWords: true },
};

describe("the default threshold with the built-in embedder", () => {
  it("is measured with at least 120 unique questions", () => {
    const questions = WORLDS.flatMap((world) => world.questions.map(({ question }) => question));
    expect(questions.length).toBeGreaterThanOrEqual(120);
    expect(new Set(questions).size).toBe(questions.length);
  });

  for (const part of ["tune", "held"] as const)
    it(`keeps at least 90 % of the answers and drops at least 90 % of the unrelated texts (${part} part)`, async ({
      annotate,
    }) => {
      const figures = await measureThreshold(
        WORLDS.filter((world) => world.part === part),
        builtin,
      );
      await annotate(
        `threshold ${DEFAULT_THRESHOLD}, ${part}: keeps ${percent(figures.kept)} of ${figures.answers} answers; drops ` +
          `${percent(figures.dropped)} of ${figures.unrelated} unrelated texts, ` +
          `${percent(figures.nearDropped)} of those about the same person or project`,
      );
      expect(figures.kept).toBeGreaterThanOrEqual(0.9);
      expect(figures.dropped).toBeGreaterThanOrEqual(0.9);
      expect(figures.nearDropped).toBeGreaterThanOrEqual(0.75);
    }, 60_000);

  it("scores only the identical text above 0.9", async () => {
    const some = WORLDS.filter((world) => world.kind === "memory").slice(0, 4);
    const container = await openContainer(some, builtin);
    for (const { unit } of container.units) {
      const similarityOf = await ask(container, unit.text);
      expect(similarityOf(unit.unit)).toBeGreaterThan(0.9);
      for (const other of container.units)
        if (other.unit !== unit) expect(similarityOf(other.unit.unit)).toBeLessThanOrEqual(0.9);
    }
  });
});
