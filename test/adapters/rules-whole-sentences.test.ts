import { expect, test } from "vitest";
import { createRulesExtractor } from "../../src/adapters/facts/rules.js";

const rules = createRulesExtractor();

async function read(text: string, speaker?: string): Promise<string[]> {
  const turns = speaker === undefined ? {} : { turns: [{ speaker, text, date: null }] };
  const source = { content: text, date: "2026-11-20T10:00:00Z", timeZone: "UTC", containerTag: "a", isOwn: true };
  const facts = await rules.extract({ ...source, ...turns } as Parameters<typeof rules.extract>[0]);
  return facts.map((fact) => fact.text);
}

test.each([
  [
    "The new pricing flag is called pricing.dynamic.v2 and it's off in production.",
    "The new pricing flag is called pricing.dynamic.v2 and it is off in production",
  ],
  ["I drive a Volvo and it's red.", "User drives a Volvo and it is red"],
  ["I moved to Ghent because my partner works there.", "User moved to Ghent because their partner works there"],
  [
    "We chose Postgres over MySQL because it has logical replication.",
    "User chose Postgres over MySQL because it has logical replication",
  ],
])("a clause that is not a fact alone stays with the one it belongs to: %s", async (text, fact) => {
  expect(await read(text)).toEqual([fact]);
});

test("a reason that is itself a fact becomes both", async () => {
  expect(await read("I don't eat pork because I'm Muslim.")).toEqual([
    "User does not eat pork because they are Muslim",
    "User is Muslim",
  ]);
});

test.each([
  ["Hal has a dog named Rex and a cat named Tom.", ["Hal has a dog named Rex", "Hal has a cat named Tom"]],
  [
    "I have a small dog called Rex, a cat called Tom and a brown bird called Pip.",
    ["User has a small dog called Rex", "User has a cat called Tom", "User has a brown bird called Pip"],
  ],
  ["Hal has a wife named Ida and a son named Tom.", ["Hal has a wife named Ida", "Hal has a son named Tom"]],
  ["Ben works at Acme, where he met his wife Ida.", ["Ben works at Acme", "Ben met his wife Ida at Acme"]],
  ["I work at Acme, where I met my wife Ida.", ["User works at Acme", "User met their wife Ida at Acme"]],
  ["Ana lives in Ghent, where she plays the cello.", ["Ana lives in Ghent, where she plays the cello"]],
  ["Ben works at Acme, where it was cold.", ["Ben works at Acme, where it was cold"]],
])("a clause that can be a fact alone becomes one: %s", async (text, facts) => {
  expect(await read(text)).toEqual(facts);
});

test("opinions about a fact are left out", async () => {
  expect(await read("I drive a Volvo and it's great.")).toEqual(["User drives a Volvo"]);
});

test.each([
  ["I prefer tabs… no wait, I mean 2 spaces", ["User prefers 2 spaces"]],
  ["I prefer tabs... no wait, I mean 2 spaces.", ["User prefers 2 spaces"]],
  ["I live in Bonn, sorry, I mean Cologne.", ["User lives in Cologne"]],
  ["I work for Bosch, no wait, I work for Siemens.", ["User works for Siemens"]],
  ["I love strong coffee... no wait, tea.", []],
  ["My dentist is Dr Weber, I mean Dr Fischer.", []],
])("retracted statements are not facts: %s", async (text, facts) => {
  expect(await read(text)).toEqual(facts);
});

const WISHES: readonly (readonly [said: string, fact: string])[] = [
  ["Please answer in bullet points.", "User wants the assistant to answer in bullet points"],
  ["I want you to answer in bullet points.", "User wants the assistant to answer in bullet points"],
  ["I'd like answers in bullet points", "User wants the assistant to give answers in bullet points"],
  ["Please use bullet points in your answers.", "User wants the assistant to use bullet points"],
  ["No emojis, please.", "User wants the assistant to not use emojis"],
  ["Keep your answers short.", "User wants the assistant to keep its answers short"],
];
test.each(WISHES)("wishes about how to answer are facts, in notes and in conversations: %s", async (said, fact) => {
  expect(await read(said)).toEqual([fact]);
  expect(await read(said, "User")).toEqual([fact]);
});

test("in conversations, wishes about a single answer are not", async () => {
  expect(await read("Answer in German.", "User")).toEqual([]);
  expect(await read("From now on, answer in German.", "User")).toEqual([
    "User wants the assistant to answer in German",
  ]);
  expect(await read("I'd like to hear about your answers to the survey.", "User")).toEqual([]);
});
