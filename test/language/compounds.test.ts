import { describe, expect, test } from "vitest";
import { joinNeighbours, splitWord } from "../../src/language/english/compounds.js";

const joined = (text: string): string[] => joinNeighbours(text).map(({ whole }) => whole);
const likely = (text: string): string[] =>
  joinNeighbours(text).flatMap(({ whole, isLikely }) => (isLikely ? [whole] : []));
const split = (word: string): string[] => splitWord(word).map(({ parts }) => parts.join(" "));

describe("joining neighbouring words", () => {
  test.each([
    ["the house at the lake side", "lakeside"],
    ["Where is my note book?", "notebook"],
    ["the sun flower seeds", "sunflower"],
    ["How often do you work out?", "workout"],
    ["an ice-cream, please", "icecream"],
    ["Who is his co-worker?", "coworker"],
    ["the road trip", "roadtrip"],
  ])("%j", (text, whole) => {
    expect(likely(text)).toContain(whole);
  });

  test("skips words in different parts of a sentence, names inside a sentence, and function words", () => {
    expect(joined("lake, side. note")).toEqual([]);
    expect(joined("when did Anna Book call")).toEqual([]);
    expect(joined("out of the what is this")).toEqual([]);
  });

  test("marks unlikely joins", () => {
    expect(joined("he looked up many times")).toContain("manytimes");
    expect(likely("he looked up many times")).toEqual([]);
  });

  test("returns few joins, however long the text is", () => {
    expect(joined("green field house boat ".repeat(200))).toHaveLength(6);
  });
});

describe("splitting one word into two", () => {
  test.each([
    ["lakeside", "lake side"],
    ["notebooks", "note books"],
    ["sunflower", "sun flower"],
    ["basketball", "basket ball"],
    ["workout", "work out"],
    ["roadtrip", "road trip"],
    ["rewatch", "re watch"],
    ["coworkers", "co workers"],
  ])("%j", (word, parts) => {
    expect(split(word)).toContain(parts);
  });

  test.each(["message", "research", "works", "support", "reaction", "book", "été", "1234567", "", "x".repeat(100)])(
    "leaves %j whole",
    (word) => {
      expect(split(word)).toEqual([]);
    },
  );
});
