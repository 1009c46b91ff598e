import { describe, expect, test } from "vitest";
import { prepareSpeakerFinder } from "../../src/core/memories/speakers.js";

describe("the speaker of a quote", () => {
  const turns = [
    { speaker: "User", text: "I keep  bees.\nThey’re calm." },
    { speaker: "Assistant", text: "You keep bees. I keep bees, too." },
  ];
  test.each([
    ["i keep bees.", "User"],
    ["They're calm.", "User"],
    ["You keep bees.", "Assistant"],
    ["Nobody said this.", undefined],
    [undefined, undefined],
    ["keep bees", "User"],
    ["ep bees. they're", "User"],
    ["eep bees. You", undefined],
    ["too.", "Assistant"],
  ])("%s: %s", async (quote, speaker) => {
    const speakerOf = await prepareSpeakerFinder(turns);
    expect(speakerOf(quote)).toBe(speaker);
  });

  test("attributing the quotes of a long conversation does not block other work", async () => {
    const long = Array.from({ length: 12_000 }, (_, index) => ({
      speaker: index % 2 === 0 ? "User" : "Assistant",
      text: `Mia keeps ${index} bees on the roof. `.repeat(20),
    }));
    let turnsOfOthers = 0;
    const others = setInterval(() => (turnsOfOthers += 1), 1);
    const speakerOf = await prepareSpeakerFinder(long);
    clearInterval(others);
    expect(turnsOfOthers).toBeGreaterThan(10);
    expect(long.map((_, index) => speakerOf(`mia keeps ${index} bees`))).toEqual(long.map(({ speaker }) => speaker));
  });
});
