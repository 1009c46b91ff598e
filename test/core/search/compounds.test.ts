import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createBuiltinEmbedder } from "../../../src/adapters/embed/builtin.js";
import { AppError } from "../../../src/core/errors.js";
import { type ManualCore, openManualCore } from "../../support/manual-core.js";

let opened: ManualCore;
let isDown: boolean;

beforeEach(async () => {
  isDown = false;
  const builtin = createBuiltinEmbedder();
  opened = await openManualCore({
    embedder: {
      ...builtin,
      embed: (...parameters) =>
        isDown ? Promise.reject(new AppError("unavailable", "no embedder")) : builtin.embed(...parameters),
    },
  });
});
afterEach(() => opened.close());

/** What words alone find: the letters counted by a vector would find such words, too. */
async function found(question: string, contents: readonly string[]): Promise<string[]> {
  await opened.core.createMemories(opened.call(), {
    containerTag: "a",
    memories: contents.map((content) => ({ content })),
  });
  isDown = true;
  const { results } = await opened.core.search(opened.call(), { q: question, containerTags: ["a"], threshold: 0 });
  return results.map(({ text }) => text);
}

describe("a compound that is also written as two words", () => {
  test.each([
    ["What grows at the lake side?", "Reed covers the whole lakeside"],
    ["What grows at the lakeside?", "Reed covers the whole lake side"],
    ["Who has the note book?", "Two notebooks lie in the attic"],
    ["Where is the notebook?", "Two note books lie in the attic"],
    ["Is there a sun flower?", "Sunflowers stand behind the barn"],
    ["Is there a sunflower?", "Sun flowers stand behind the barn"],
    ["Where does she work out?", "A workout costs nine euros"],
    ["What does a workout cost?", "Working out costs nine euros"],
    ["Do we need a co-worker?", "Coworkers were invited"],
    ["Who would rewatch it?", "Old people re-watch such films"],
  ])("%j finds %j", async (question, content) => {
    expect(await found(question, [content, "Unrelated talk of trains"])).toEqual([content]);
  });

  test("matches only as a whole, not by separate halves", async () => {
    const contents = ["Ben drew a side of the frozen lake", "Ben drew the lake side"];
    expect(await found("Who drew the lakeside?", contents)).toEqual([contents[1], contents[0]]);
  });
});
