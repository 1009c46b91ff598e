import { describe, expect, test } from "vitest";
import { judgeWishes, plainWishesOf, readPlainPrompt, withoutUnwanted } from "../../src/core/documents/plain-wishes.js";
import { idleGuidance } from "../../src/core/documents/idle-guidance.js";

describe("a prompt that names subjects is understood without a model:", () => {
  test.each([
    ["Only remember facts about food", { only: ["food"], never: [] }],
    ["Please only store information about food, travel plans and work.", { only: ["food", "travel plans", "work"] }],
    ["Remember only the user's hobbies", { only: ["hobbies"] }],
    ["Remember code only.", { only: ["code"] }],
    ["You should never store salaries", { only: [], never: ["salaries"] }],
    ["Don’t save anything about passwords or credit cards!", { never: ["passwords", "credit cards"] }],
    ["Do not remember details of their health.", { never: ["health"] }],
    ["Ignore the weather; exclude small talk", { never: ["weather", "small talk"] }],
    ["Only remember facts about German food and English lessons", { only: ["german food", "english lessons"] }],
    ["Only store food, travel, work", { only: ["food", "travel", "work"] }],
    ["Never store banking details or passwords", { never: ["banking details", "passwords"] }],
    ["Only remember facts about cooking and dog training", { only: ["cooking", "dog training"] }],
    ["Never store anything about Netflix and project Falcon", { never: ["netflix", "project falcon"] }],
    ["Only keep facts about food.\n- never keep prices", { only: ["food"], never: ["prices"] }],
  ])("%s", (prompt, wishes) => {
    expect(readPlainPrompt(prompt)).toMatchObject({ ...wishes, saysMore: false });
  });

  test.each([
    "Remember food",
    "Never ignore salaries",
    "Never store salaries unless the user asks for it",
    "Only remember what matters to a small family that runs a bakery in the middle of a very old town",
    "Notes about Mia, a customer.",
    "You are a pirate.",
    "Only remember",
    "Store only what you would not forget",
    "Only remember facts in German",
    "Only keep English",
    "Only keep the Dutch language",
    "Only remember facts from the user",
    "Only remember important facts",
    "Only store long-term preferences",
    "Only remember facts about food and useful things",
    "Never store sensitive information",
    "Never store personal data",
    "Never save temporary information",
    "Do not store duplicates",
    "Only remember facts about food, not salaries",
    "Only remember facts about food, no salaries",
    "Only keep food, ignore salaries",
    "Never store anything besides food.",
    "Never store anything outside food",
    "Never store anything beyond food",
    "Never store anything apart from food",
    "Never store anything other than food",
    "Never store anything that isn't food",
    "Never store anything that lacks food",
    "Never store non-food items",
    "Never store anything unrelated to food",
    "Never store anything devoid of food",
    "Only store food, salaries excluded.",
    "Only store food, salaries aside",
    "Only store food, salaries taboo",
    "Only store food and drop salaries",
    "Only store food, forget salaries and rents",
    "Only remember facts about food, ignoring salaries.",
    "Only remember facts about food minus salaries",
    "Do not store salaries, unlike addresses.",
    "Do not store salaries like addresses",
  ])("but not another prompt: %s", (prompt) => {
    expect(readPlainPrompt(prompt)).toEqual({ only: [], never: [], saysMore: true });
  });
});

test("a subject is recognised by its words and by words of similar meaning", () => {
  const food = judgeWishes({ only: ["food"], never: [] })!;
  expect(["User likes pizza", "User cooks dinner on Fridays"].map(food)).toEqual([true, true]);
  expect(["User lives in Lisbon", "User drives a Volvo"].map(food)).toEqual([false, false]);
  const discreet = judgeWishes({ only: [], never: ["salaries"] })!;
  expect(["Ada's salary is 70,000 euros", "User earns 5,000 euros a month"].map(discreet)).toEqual([false, false]);
  expect(["User works as a nurse", "User's career goal is to teach"].map(discreet)).toEqual([true, true]);
  expect(judgeWishes({ only: [], never: [] })).toBeNull();
  expect(withoutUnwanted("I live in Ghent. My salary is 900. I own a boat.", discreet)).toBe(
    "I live in Ghent.  I own a boat.",
  );
});

test("a prompt for allergies only keeps these, and no other facts", () => {
  const prompt = readPlainPrompt("Only store allergies.");
  expect(prompt).toEqual({ only: ["allergies"], never: [], saysMore: false });
  const wanted = judgeWishes(prompt)!;
  const kept = [
    "User is allergic to peanuts",
    "User has a cat allergy",
    "User is lactose intolerant",
    "Mia gets hay fever",
  ];
  const left = ["User likes peanuts", "User has a cat named Flo", "User lives in Ghent", "User takes ibuprofen"];
  expect([...kept, ...left].filter(wanted)).toEqual(kept);
});

test("a quality that rules cannot judge is reported, and nothing is left out because of it", () => {
  const filterPrompt = "Only remember important facts";
  expect(idleGuidance({ filterPrompt }, { hasModel: false })).toEqual([
    expect.stringContaining("filterPrompt: has no effect without a language model"),
  ]);
  expect(judgeWishes(plainWishesOf({ filterPrompt }))).toBeNull();
});

test("guidance without effect is reported with the reason", () => {
  const stated = {
    filterPrompt: "Keep decisions. Never store salaries.",
    entityContext: "Only remember facts about food",
    workspacePrompt: "We sell honey.",
    includeItems: { patterns: ["*.md"] },
    excludeItems: ["salary"],
    categories: ["work"],
  };
  const fields = (hasModel: boolean) => idleGuidance(stated, { hasModel }).map((text) => text.split(":")[0]);
  expect(fields(false)).toEqual(["categories", "filterPrompt", "workspacePrompt", "includeItems"]);
  expect(fields(true)).toEqual(["categories"]);
  expect(idleGuidance({ filterPrompt: " ", includeItems: [], excludeItems: null }, { hasModel: false })).toEqual([]);
});
