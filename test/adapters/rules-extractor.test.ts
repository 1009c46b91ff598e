import { describe, expect, test } from "vitest";
import { createRulesExtractor } from "../../src/adapters/facts/rules.js";
import type { FactCandidate, Turn } from "../../src/core/types.js";
import { DATED, PASSING, SAID_ON, STATEMENTS, TALK } from "../fixtures/rules-sentences.js";

const extractor = createRulesExtractor();

function extract(content: string, turns?: readonly Turn[], date = SAID_ON): Promise<FactCandidate[]> {
  return extractor.extract({ content, timeZone: "UTC", containerTag: "tests", date, turns });
}

/** What a user says to an assistant. */
function said(text: string): Promise<FactCandidate[]> {
  return extract(text, [
    { speaker: "User", text },
    { speaker: "Assistant", text: "I see." },
  ]);
}

const textsOf = (facts: readonly FactCandidate[]): string[] => facts.map((fact) => fact.text);

describe("a statement becomes a fact in the third person", () => {
  test.each(STATEMENTS)("%s", async (sentence, fact, kind) => {
    const facts = await said(sentence);
    expect(textsOf(facts)).toEqual([fact]);
    expect(`${facts[0]?.kind}${facts[0]?.isStatic ? "+" : ""}`).toBe(kind);
    expect(facts[0]?.quote).toBe(sentence);
    expect(facts[0]).not.toHaveProperty("forgetAfter");
  });
});

describe("relative dates are resolved from the date of the source", () => {
  test.each(DATED)("%s", async (sentence, fact, eventDates) => {
    const [found] = await said(sentence);
    expect(found?.text).toBe(fact);
    expect(found?.eventDates ?? []).toEqual(eventDates);
  });

  test("a turn's own date takes precedence over the conversation's", async () => {
    const turns = [
      { speaker: "User", text: "I got a promotion yesterday.", date: "2020-02-01" },
      { speaker: "Assistant", text: "Congratulations!" },
    ];
    expect(textsOf(await extract("", turns))).toEqual(["User got a promotion on 31 January 2020"]);
  });

  test("an unreadable date loses no facts", async () => {
    expect(textsOf(await extract("I live in Porto.", undefined, "some day"))).toEqual(["User lives in Porto"]);
  });
});

describe("temporary facts expire at the end of their last day", () => {
  test.each(PASSING)("%s", async (sentence, fact, lastDay) => {
    const [found] = await said(sentence);
    expect(found).toMatchObject({ text: fact, forgetAfter: `${lastDay}T23:59:59.999Z`, isStatic: false });
  });
});

describe("facts that hold until a day expire at its end, even if the day is past", () => {
  test.each([
    ["The access is valid until 7 May 2023.", "2023-05-07"],
    ["The access is valid until 28 November 2026.", "2026-11-28"],
    ["My gym pass is valid until 7 May 2023.", "2023-05-07"],
    ["My passport is valid until 7 May 2023.", "2023-05-07"],
    ["The office is closed until 7 May 2023.", "2023-05-07"],
    ["The contract runs until 7 May 2023.", "2023-05-07"],
  ])("%s", async (sentence, lastDay) => {
    const [found] = await extract(sentence);
    expect(found).toMatchObject({ forgetAfter: `${lastDay}T23:59:59.999Z`, isStatic: false });
  });

  test.each([
    "I worked at Siemens until 7 May 2023.",
    "The office was closed until 7 May 2023.",
    "The contract ran until 7 May 2023.",
    "My visa expires on 7 May 2023.",
    "The office is closed until 7 May.",
    "The invoice has been paid since 7 May 2023.",
    "The permit is valid until 7 May 2023 at the earliest.",
    "The permit is valid until 7 May 2023 or longer.",
    "The shop stays open until 7 May 2023 at least.",
    "The contract is valid until 7 May 2023 and renews automatically.",
  ])("and nothing else: %s", async (sentence) => {
    for (const fact of await extract(sentence)) expect(fact).not.toHaveProperty("forgetAfter");
  });
});

describe("small talk yields no facts", () => {
  test.each(TALK)("%s", async (sentence) => {
    expect(textsOf(await said(sentence))).toEqual([]);
  });
});

describe("compound sentences", () => {
  const compounds: [sentence: string, facts: string[]][] = [
    ["I live in Berlin and work at Siemens.", ["User lives in Berlin", "User works at Siemens"]],
    ["I'm a nurse and I live in Leeds.", ["User is a nurse", "User lives in Leeds"]],
    ["I'm vegan and allergic to nuts.", ["User is vegan", "User is allergic to nuts"]],
    [
      "My sister lives in Rome and works as a nurse.",
      ["User's sister lives in Rome", "User's sister works as a nurse"],
    ],
    ["I moved to Ghent and started a bakery.", ["User moved to Ghent", "User started a bakery"]],
    ["I like tea; I live in Bonn.", ["User likes tea", "User lives in Bonn"]],
    ["I no longer use Fedora; I switched to Arch.", ["User no longer uses Fedora", "User switched to Arch"]],
    ["I like rock but my wife prefers jazz.", ["User likes rock", "User's wife prefers jazz"]],
    ["I don't own a car; I bike everywhere.", ["User does not own a car", "User bikes everywhere"]],
    ["I have celiac disease, so no gluten please.", ["User has celiac disease"]],
    ["I went to a pride parade last Friday and it was awesome.", ["User went to a pride parade on 5 May 2023"]],
    ["I'm a big fan of pottery - so calming!", ["User is a big fan of pottery"]],
    ["I'm Priya, a designer from Pune.", ["User is Priya", "User is a designer from Pune"]],
    [
      "My favorite movie used to be Heat, but now it's Ran.",
      ["User's favorite movie used to be Heat", "User's favorite movie is Ran"],
    ],
    // One statement, although it has an "and"
    ["I like tea and cake.", ["User likes tea and cake"]],
    ["I love cooking and baking bread.", ["User loves cooking and baking bread"]],
    ["I want to visit Rome and see the Colosseum.", ["User wants to visit Rome and see the Colosseum"]],
    ["My brother and sister live in Rome.", ["User's brother and sister live in Rome"]],
    // Causes, asides, and a sentence continued about an animal
    ["Since I have a bad knee, I avoid stairs.", ["User has a bad knee", "User avoids stairs"]],
    [
      "My dad, who is 70, still works as a taxi driver.",
      ["User's dad is 70", "User's dad still works as a taxi driver"],
    ],
    ["I got a puppy! His name is Scout.", ["User got a puppy", "User's puppy's name is Scout"]],
    // A statement before a question or a wish
    ["I'm vegan, what can I cook?", ["User is vegan"]],
    ["I weigh 84 kilos and would like to lose five.", ["User weighs 84 kilos"]],
    // A statement within small talk
    ["Thanks! By the way, I'm vegan. Any ideas for dinner?", ["User is vegan"]],
    ["No, actually I moved to Munich.", ["User moved to Munich"]],
  ];
  test.each(compounds)("%s", async (sentence, facts) => {
    expect(textsOf(await said(sentence))).toEqual(facts);
  });
});

describe("speakers", () => {
  test("a named speaker is the first person, and the other speaker the second", async () => {
    const facts = await extract("", [
      { speaker: "Caroline", text: "I went to a LGBTQ support group yesterday and it was so powerful." },
      { speaker: "Melanie", text: "Thanks, Caroline! I painted your portrait last week, and my kids love the beach." },
    ]);
    expect(textsOf(facts)).toEqual([
      "Caroline went to a LGBTQ support group on 7 May 2023",
      "Melanie painted Caroline's portrait in the week of 1 May 2023",
      "Melanie's kids love the beach",
    ]);
  });

  test("with three speakers, 'you' is ambiguous", async () => {
    const turns = ["Ann", "Ben", "Cem"].map((speaker) => ({ speaker, text: "I painted your portrait yesterday." }));
    expect(await extract("", turns)).toEqual([]);
  });

  test("'he' and 'she' are the person named before in the same turn", async () => {
    expect(textsOf(await said("My sister Anna lives in Rome. She works as a lawyer."))).toEqual([
      "User's sister Anna lives in Rome",
      "User's sister Anna works as a lawyer",
    ]);
    const facts = await extract("", [
      { speaker: "Ann", text: "My sister lives in Rome." },
      { speaker: "Ben", text: "She works as a lawyer." },
    ]);
    expect(textsOf(facts)).toEqual(["Ann's sister lives in Rome"]);
  });

  const byAssistant: [sentence: string, facts: string[]][] = [
    ["You live in Berlin, so the weather is mild.", ["User lives in Berlin"]],
    ["You mentioned that you are allergic to nuts.", ["User is allergic to nuts"]],
    ["Your appointment is on June 12.", ["User's appointment is on 12 June 2023"]],
    ["I've booked your table for Friday at 7pm.", ["Assistant has booked User's table for 12 May 2023 at 19:00"]],
    ["You should try the new cafe.", []],
    ["You could live in Berlin.", []],
    ["You have several options.", []],
    ["You are right about that.", []],
    ["Your code looks great.", []],
    ["Paris is the capital of France.", []],
    ["The API uses REST.", []],
    ["I'm a large language model.", []],
    ["I can speak many languages.", []],
    ["I love helping people.", []],
    ["My favorite approach is to use a map.", []],
    ["Great question!", []],
  ];
  test.each(byAssistant)("an assistant says: %s", async (text, facts) => {
    const turns = [
      { speaker: "User", text: "Well?" },
      { speaker: "Assistant", text },
    ];
    expect(textsOf(await extract("", turns))).toEqual(facts);
  });

  test("instructions and tool output yield no facts", async () => {
    const turns = [
      { speaker: "System", text: "You live in Berlin. I live in Rome. My name is Bob." },
      { speaker: "Tool", text: "My name is Bob." },
      { speaker: "User", text: "I live in Porto." },
    ];
    expect(textsOf(await extract("", turns))).toEqual(["User lives in Porto"]);
  });
});

describe("documents", () => {
  test("the first person of a note is the user", async () => {
    const note = "# About me\n\n- I live in Porto.\n- My **cat** is called Milo.\n\n> I'm vegan.";
    expect(textsOf(await extract(note))).toEqual(["User lives in Porto", "User's cat is called Milo", "User is vegan"]);
  });

  test("lines of one's own notes are tasks and appointments when they have a date", async () => {
    const note =
      "Call the bank on Friday.\nBuy milk.\nTyres: appointment at Kwik on 23 May, 8am.\nMy locker is number 7.";
    expect(textsOf(await extract(note))).toEqual([
      "User needs to call the bank on 12 May 2023",
      "User has an appointment at Kwik on 23 May 2023 at 08:00 for tyres",
      "User's locker is number 7",
    ]);
    expect(textsOf(await extract(`Hello all,\n${note}`))).toEqual(["User's locker is number 7"]);
  });

  test("'you' in a letter is the person greeted by name", async () => {
    const letter = (greeting: string): string => `${greeting},\nwe accepted your offer for the roof.`;
    expect(textsOf(await extract(letter("Dear Ms. Brandt")))).toEqual([
      "User accepted Ms. Brandt's offer for the roof",
    ]);
    expect(textsOf(await extract(letter("Dear all")))).toEqual([]);
  });

  test("manuals, code and tables yield no facts", async () => {
    const manual = [
      "# The Server",
      "Run npm install to get started. You can configure the port in the settings. The function returns a list.",
      "This guide explains how to deploy the app. We hope you enjoy it. See the documentation for more details.",
      "```\nmy name is Bob\nI live in Berlin.\n```",
      "| I live | in Berlin |",
      'const user = "I live in Berlin";',
    ].join("\n");
    expect(textsOf(await extract(manual))).toEqual([]);
  });

  test("minutes yield decisions, owners and dates", async () => {
    const minutes =
      "We decided to postpone the launch to June 15. Bob will write the plan by Friday. Chen owns the rollout.";
    expect(textsOf(await extract(minutes))).toEqual([
      "We decided to postpone the launch to 15 June 2023",
      "Bob will write the plan by 12 May 2023",
      "Chen owns the rollout",
    ]);
  });
});

describe("every candidate", () => {
  const everything = [...STATEMENTS, ...DATED, ...PASSING]
    .map(([sentence]) => sentence)
    .concat(TALK)
    .join("\n");

  test("quotes the source word for word", async () => {
    const facts = await extract(everything);
    expect(facts.length).toBeGreaterThan(80);
    for (const fact of facts) expect(everything.includes(fact.quote ?? "missing")).toBe(true);
  });

  test("is self-contained: no first or second person, no line breaks, nothing cut off", async () => {
    const facts = await extract(everything);
    expect(facts).not.toEqual([]);
    for (const fact of facts) {
      expect(fact.text).not.toMatch(/\b(?:I|me|my|mine|we|us|our|you|your)\b/);
      expect(fact.text).toMatch(/^\p{Lu}[^\n]*[\p{L}\p{N}]$/u);
    }
  });

  test("occurs once, however often it is said", async () => {
    expect(textsOf(await extract("I live in Porto. I LIVE in Porto! i live in porto."))).toHaveLength(1);
  });
});

describe("odd and hostile texts", () => {
  const MILLION = 1_000_000;
  const texts: [name: string, content: string][] = [
    ["nothing", ""],
    ["white space", " \n\t ".repeat(1000)],
    ["a million letters", "x".repeat(MILLION)],
    ["a million words on one line", "I live in ".repeat(MILLION / 10)],
    ["a million first-person pronouns", "I ".repeat(MILLION / 2)],
    ["a million commas", "I live, ".repeat(MILLION / 8)],
    ["a million conjunctions", "and I ".repeat(MILLION / 6)],
    ["sentences of five hundred characters", `${"I live in Rome and my dog and ".repeat(16)}.\n`.repeat(500)],
    ["a million full stops", ".".repeat(MILLION)],
    ["a million quotes", '"'.repeat(MILLION)],
    ["a million brackets", "(".repeat(MILLION)],
    ["brackets within sentences", `${"I (".repeat(150)}.\n`.repeat(1000)],
    ["endless dates", `${"yesterday tomorrow ".repeat(25)}.\n`.repeat(500)],
    ["control characters", "I live\u0000 in\u0001 Rome\u001b.\n".repeat(1000)],
    ["lone surrogates", "I live in \ud800Rome\udfff.\n".repeat(1000)],
    ["another language", "Ich wohne in Berlin und arbeite bei Siemens. 私は東京に住んでいます。".repeat(1000)],
  ];
  test.each(texts)("%s", async (_name, content) => {
    expect((await extract(content)).length).toBeLessThanOrEqual(500);
  });

  test("a document of ten thousand facts yields 500", async () => {
    const content = Array.from({ length: 10_000 }, (_, index) => `My locker code is ${index}.`).join("\n");
    expect(await extract(content)).toHaveLength(500);
  });

  test("an aborted signal stops it", async () => {
    const signal = AbortSignal.abort(new Error("stop"));
    const source = { content: "I live in Porto.", timeZone: "UTC", containerTag: "tests", date: SAID_ON };
    await expect(extractor.extract(source, signal)).rejects.toThrow("stop");
  });
});
