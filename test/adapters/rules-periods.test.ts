import { describe, expect, test } from "vitest";

import { createRulesExtractor } from "../../src/adapters/facts/rules.js";

const extractor = createRulesExtractor();

async function factsOf(content: string, date: string): Promise<string[]> {
  const source = { content, date: `${date}T09:00:00Z`, timeZone: "Europe/Oslo", containerTag: "seasons", isOwn: true };
  return (await extractor.extract(source)).map(({ text }) => text);
}

describe("a season that is said with last, this or next", () => {
  test.each([
    ["2026-11-30", "I start school next fall.", "User starts school in the fall of 2027"],
    ["2026-08-30", "I start school next fall.", "User starts school in the fall of 2026"],
    ["2026-11-30", "I visited Crete last autumn.", "User visited Crete in the autumn of 2025"],
    ["2026-12-01", "I visited Crete last autumn.", "User visited Crete in the autumn of 2026"],
    ["2026-11-30", "We went camping this summer.", "User went camping in the summer of 2026"],
    ["2026-04-02", "I am getting married next spring.", "User is getting married in the spring of 2027"],
    ["2026-02-02", "I am getting married next spring.", "User is getting married in the spring of 2026"],
    ["2026-11-30", "I learned to ski last winter.", "User learned to ski in the winter of 2025/26"],
    ["2026-11-30", "I'm going to Iceland this winter.", "User is going to Iceland in the winter of 2026/27"],
    ["2026-11-30", "I will learn to ski next winter.", "User will learn to ski in the winter of 2026/27"],
    ["2027-01-10", "I learned to ski last winter.", "User learned to ski in the winter of 2025/26"],
    ["2027-01-10", "I'm going to Iceland this winter.", "User is going to Iceland in the winter of 2026/27"],
    ["2027-01-10", "I will learn to ski next winter.", "User will learn to ski in the winter of 2027/28"],
  ])("on %s: %s", async (date, said, fact) => {
    expect(await factsOf(said, date)).toEqual([fact]);
  });
});

describe("a month that is said with last or next", () => {
  test.each([
    ["I moved to Porto last June.", "User moved to Porto in June 2026"],
    ["I started at Bosch last December.", "User started at Bosch in December 2025"],
    ["I am running a marathon next April.", "User is running a marathon in April 2027"],
    ["The warranty ends next January.", "The warranty ends in January 2027"],
    ["The contract runs until next May.", "The contract runs until May 2027"],
    ["My exam is the first week of next June.", "User's exam is the first week of June 2027"],
    ["By next July I want to speak Danish.", "User wants to speak Danish by July 2027"],
    [
      "My sister Kari is getting married in Bergen next June.",
      "User's sister Kari is getting married in Bergen in June 2027",
    ],
  ])("%s", async (said, fact) => {
    expect(await factsOf(said, "2026-11-30")).toEqual([fact]);
  });

  test.each([
    ["We are moving next December.", "User is moving next December"],
    ["I quit smoking last October.", "User quit smoking last October"],
  ])("stays as it was said where it is unclear which one is meant: %s", async (said, fact) => {
    expect(await factsOf(said, "2026-11-30")).toEqual([fact]);
  });

  test("is completed only where it stands for a date", async () => {
    expect(await factsOf("The next March meeting is in Rome.", "2026-11-30")).toEqual([]);
  });
});

describe("a range of months", () => {
  test.each([
    ["2026-11-30", "I am in Lyon from March to May.", "User is in Lyon from March 2027 to May 2027"],
    ["2026-11-30", "I was in Lyon from March to May.", "User was in Lyon from March 2026 to May 2026"],
    [
      "2026-11-30",
      "I will be in Lyon from December to February.",
      "User will be in Lyon from December 2026 to February 2027",
    ],
    ["2026-04-10", "I was in Lyon from March to May.", "User was in Lyon from March 2025 to May 2025"],
    [
      "2026-11-30",
      "Anna is going to be on parental leave from January to June.",
      "Anna is going to be on parental leave from January 2027 to June 2027",
    ],
  ])("keeps its end: on %s, %s", async (date, said, fact) => {
    expect(await factsOf(said, date)).toEqual([fact]);
  });
});

describe("a range of days", () => {
  test.each([
    ["I will be in Oslo from 3 June to 17 June.", "User will be in Oslo from 3 June 2027 to 17 June 2027"],
    ["I was in Oslo from 1 May to 15 May.", "User was in Oslo from 1 May 2026 to 15 May 2026"],
  ])("has no times that nobody said: %s", async (said, fact) => {
    expect(await factsOf(said, "2026-11-30")).toEqual([fact]);
  });

  test("is not torn apart where its times are said too", async () => {
    const facts = await factsOf("I'll be in Oslo from 3 June at 9:00 to 17 June at 18:00.", "2026-11-30");
    expect(facts).toEqual([]);
  });
});

test("a duration is no date", async () => {
  const facts = await factsOf(
    "Interview with candidate Lukas Meier: five years of Go, can start in March.",
    "2026-11-30",
  );
  expect(facts).toEqual([
    "User has an interview with candidate Lukas Meier: five years of Go, can start in March 2027",
  ]);
});

test("what a second subject does is not said of the first", async () => {
  const facts = await factsOf(
    "Our Kubernetes cluster runs in Frankfurt; staging is in Dublin and is shut down at night.",
    "2026-11-30",
  );
  expect(facts).toEqual([
    "User's Kubernetes cluster runs in Frankfurt; staging is in Dublin and is shut down at night",
  ]);
});

describe("a name that is also a verb", () => {
  test.each([
    ["Tore is a marine biologist at NTNU.", "Tore is a marine biologist at NTNU"],
    ["Tore likes sailing.", "Tore likes sailing"],
    ["Drew works at Siemens.", "Drew works at Siemens"],
  ])("is the subject of its sentence: %s", async (said, fact) => {
    expect(await factsOf(said, "2026-11-30")).toEqual([fact]);
  });

  test.each([
    ["Tore's parents live in Alta.", "Tore's parents live in Alta"],
    ["Tore and I bought a boat.", "User and Tore bought a boat"],
  ])("is no verb whose subject is left out: %s", async (said, fact) => {
    expect(await factsOf(said, "2026-11-30")).toEqual([fact]);
  });

  test("is a verb where nothing else is", async () => {
    expect(await factsOf("Tore a ligament in my knee yesterday.", "2026-11-30")).toEqual([
      "User tore a ligament in their knee on 29 November 2026",
    ]);
  });
});

describe("what the reading of periods must not break", () => {
  test.each([
    ["2027-03-05", "I went skiing this winter.", "User went skiing in the winter of 2026/27"],
    ["2026-11-30", "I have lived in Kiel since last summer.", "User has lived in Kiel since the summer of 2026"],
    ["2026-11-30", "I am on leave from 3 to 17 June.", "User is on leave from 3 June 2027 to 17 June 2027"],
    ["2026-11-30", "Sold stocks of Tesla yesterday.", "User sold stocks of Tesla on 29 November 2026"],
    ["2026-11-30", "Cancelled orders at Amazon yesterday.", "User cancelled orders at Amazon on 29 November 2026"],
  ])("on %s: %s", async (date, said, fact) => {
    expect(await factsOf(said, date)).toEqual([fact]);
  });
});

describe("a date in a second sentence after a semicolon points as its own verb says", () => {
  test.each([
    ["Ana signed the lease yesterday; rent is due on Friday.", /4 December 2026/],
    ["We met the architect; work starts on Wednesday.", /2 December 2026/],
  ])("%s", async (said, day) => {
    const facts = (await factsOf(said, "2026-11-30")).join("\n");
    expect(facts).toMatch(day);
  });
});

test.each(["Tore bought a boat in Bergen", "Tore never smokes", "Tore Hansen owns a boat"])(
  "%s: is not said of the user",
  async (fact) => {
    expect(await factsOf(`${fact}.`, "2026-11-30")).toEqual([fact]);
  },
);
