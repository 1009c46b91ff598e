import { describe, expect, test } from "vitest";
import { isSameFact } from "../../src/core/memories/near-duplicates.js";
import { readText } from "../../src/core/search/text-words.js";

describe("the same fact", () => {
  test.each([
    ["Anna lives in Lisbon.", "anna lives in lisbon"],
    ["Anna doesn’t like the tea", "Anna does not like tea."],
    ["User is allergic to a peanut", "User is allergic to peanuts"],
    ["Marco has two dogs", "Marco has 2 dogs"],
    ["The rent is 1,250 €", "the rent is 1250 €"],
    ["Zoë can't swim", "Zoe cannot swim"],
    ["User swims every night", "User swims each night."],
    ["Every morning Ben runs", "each morning Ben runs"],
    ["The bins are emptied weekly", "The bins are emptied every week"],
    ["User's favourite colours are blue and grey", "User's favorite colors are blue and gray"],
    ["", ""],
    ["😀", "😀"],
  ])("%j and %j", (one, other) => {
    expect(isSameFact(one, other)).toBe(true);
    expect(isSameFact(other, one)).toBe(true);
    expect(readText(one).signature).toBe(readText(other).signature);
  });
});

describe("not the same fact", () => {
  test.each([
    ["a number", "The code is 7731", "The code is 7713"],
    ["a decimal", "Version 1.2 is out", "Version 1.3 is out"],
    ["digits that only look alike", "It costs 1,25", "It costs 125"],
    ["a date", "Due on 2024-05-01", "Due on 2024-05-10"],
    ["a sign", "It is -5 degrees", "It is 5 degrees"],
    ["a currency", "It costs $5", "It costs €5"],
    ["a number word", "Marco has two dogs", "Marco has three dogs"],
    ["a negation", "User likes coffee", "User does not like coffee"],
    ["a short negation", "User can eat nuts", "User can't eat nuts"],
    ["a name", "Anna lives in Lisbon", "Anne lives in Lisbon"],
    ["a name that looks like a plural", "Marco called", "Marcos called"],
    ["who does what to whom", "Anna loves Ben", "Ben loves Anna"],
    ["what is preferred", "User prefers tea over coffee", "User prefers coffee over tea"],
    ["a preposition", "Anna moved to Berlin", "Anna moved from Berlin"],
    ["a tense", "Anna works at Northwind", "Anna worked at Northwind"],
    ["a language", "User writes C++", "User writes C#"],
    ["how often", "User swims every night", "User swims every other night"],
    ["a time of day", "User swims every night", "User swims every morning"],
    ["a question", "Anna lives in Lisbon", "Anna lives in Lisbon?"],
    ["an emoji", "Mood: 😀", "Mood: 😢"],
    ["detail", "Anna lives in Lisbon", "Anna lives in Lisbon with Ben"],
    ["being empty", "", "Anna"],
  ])("texts that differ in %s", (_what, one, other) => {
    expect(isSameFact(one, other)).toBe(false);
    expect(isSameFact(other, one)).toBe(false);
  });
});

test("odd texts can be compared", () => {
  const hostile = ["\ud83d", "\u0000", " \n", "?!", "a".repeat(100_000), "a ".repeat(50_000)];
  for (const [index, one] of hostile.entries())
    for (const [other, text] of hostile.entries()) expect(isSameFact(one, text)).toBe(index === other);
});
