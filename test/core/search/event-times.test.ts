import { describe, expect, test } from "vitest";
import type { UnitDetail } from "../../../src/core/ports.js";
import { findEventMention } from "../../../src/core/search/event-times.js";
import { rankUnits } from "../../support/rank-units.js";
import { chunkDetail, memoryDetail } from "../../support/unit-details.js";

describe("the event that a query names as a time", () => {
  test.each([
    ["Where did Iris work before the move?", "before", ["move"]],
    ["What has Iris eaten since she started at the bakery?", "after", ["started", "bakery"]],
    ["After moving to Bergen, who was her flatmate?", "after", ["moving", "bergen"]],
    ["After the knee surgery what did she do", "after", ["knee", "surgery"]],
    ["what worried him in the weeks leading up to the exam", "before", ["exam"]],
    ["Which car did we have prior to the accident?", "before", ["accident"]],
  ])("%j", (query, side, words) => {
    const event = findEventMention(query);
    expect(event?.side).toBe(side);
    expect([...(event?.words ?? [])]).toEqual(words);
  });

  test.each([
    "Who looks after the hens?",
    "Which ship was named after the queen?",
    "What do I drink after work?",
    "What did I say before?",
    "How long was it until then?",
    "What will Iris do after the wedding?",
    "the week before",
    "before",
    "",
  ])("none in %j", (query) => {
    expect(findEventMention(query)).toBeNull();
  });
});

const NOW = new Date("2024-01-01T00:00:00Z");
const CALIBRATION = {
  points: [
    [0, 0.2],
    [1, 1],
  ],
  wordWeight: 1,
  doubt: 0,
} as const;

function rank(query: string, details: readonly UnitDetail[]) {
  return rankUnits({
    query,
    vectorHits: [],
    textHits: [],
    details,
    wordCounts: null,
    calibration: CALIBRATION,
    now: NOW,
  });
}

const order = (query: string, details: readonly UnitDetail[]): string[] =>
  rank(query, details).map(({ detail }) => detail.text);
const first = (query: string, details: readonly UnitDetail[], among: readonly string[]): string | undefined =>
  order(query, details).find((text) => among.includes(text));

/** One turn per conversation, so that none has neighbours. */
function diary(turns: Readonly<Record<string, string>>): UnitDetail[] {
  return Object.entries(turns).map(([date, text], index) =>
    chunkDetail({ seq: index + 1, text, documentId: date, position: 0, speakers: ["Iris"], date }),
  );
}

const OFFICE = "Iris: My job at the harbour office is dull.";
const AQUARIUM = "Iris: My job at the aquarium office is wet.";
const MOVED = "Iris: We moved to Bergen last week!";
const jobs = diary({ "2021-10-03": AQUARIUM, "2021-03-02": OFFICE, "2021-08-14": MOVED });
const both = [OFFICE, AQUARIUM];

describe("a time before or after an event", () => {
  test("is determined by when something was said", () => {
    expect(first("What was Iris's job before the move?", jobs, both)).toBe(OFFICE);
    expect(first("What was Iris's job since she moved?", jobs, both)).toBe(AQUARIUM);
  });

  test("changes only the order and excludes nothing", () => {
    expect(order("What was Iris's job before the move?", jobs)).toContain(AQUARIUM);
  });

  test("does not change the individual similarities", () => {
    const similarities = (details: readonly UnitDetail[]) =>
      Object.fromEntries(
        rank("What was Iris's job before the move?", details).map((each) => [each.detail.text, each.ownSimilarity]),
      );
    const undated = jobs.map((detail, index) => chunkDetail({ seq: index + 1, text: detail.text, speakers: ["Iris"] }));
    expect(similarities(jobs)).toEqual(similarities(undated));
  });

  test("is determined by a date in the text itself", () => {
    const notes = [
      memoryDetail({ seq: 1, text: "Iris had a job as a cook in June 2019" }),
      memoryDetail({ seq: 2, text: "Iris had a job as a guide in June 2022" }),
      memoryDetail({ seq: 3, text: "Iris had the accident on 4 March 2021" }),
    ];
    expect(order("Which job did Iris have before the accident?", notes)[0]).toContain("cook");
    expect(order("Which job did Iris have after the accident?", notes)[0]).toContain("guide");
  });

  test("is not affected by a question about the event", () => {
    const asked = diary({
      "2021-10-03": AQUARIUM,
      "2021-03-02": OFFICE,
      "2021-08-14": MOVED,
      "2020-01-01": "Iris: Would you like the move?",
    });
    expect(first("What was Iris's job before the move?", asked, both)).toBe(OFFICE);
  });

  test("has no effect if the event may have been at any time", () => {
    const often = { "2021-01-05": "Iris: We moved again.", "2023-08-14": "Iris: We moved again, dear." };
    const ranked = (side: string, dates: readonly [string, string]) =>
      first(
        `What was Iris's job ${side} the move?`,
        diary({ ...often, [dates[0]]: OFFICE, [dates[1]]: AQUARIUM }),
        both,
      );
    expect(ranked("before", ["2020-01-01", "2024-01-01"])).toBe(ranked("before", ["2024-01-01", "2020-01-01"]));
  });

  test("has no effect if nothing mentions the event", () => {
    const [aquarium, office] = jobs;
    if (!aquarium || !office) throw new Error("no jobs");
    const query = (side: string) => order(`What was Iris's job ${side} the earthquake?`, [aquarium, office]);
    expect(query("before")).toEqual(query("after"));
  });
});

describe("a time before or after a date", () => {
  const answers = (query: string) => first(query, jobs, both);

  test.each([
    ["Which job did Iris have before May 2021?", OFFICE],
    ["Which job did Iris have prior to 1 May 2021?", OFFICE],
    ["Which job did Iris have after May 2021?", AQUARIUM],
    ["Which job did Iris have since 14 August 2021?", AQUARIUM],
  ])("%j", (query, expected) => {
    expect(answers(query)).toBe(expected);
  });

  test("starts after the period named, or within it for `since`", () => {
    const later = diary({ "2021-03-02": OFFICE, "2022-03-02": AQUARIUM });
    expect(first("Which job did Iris have after 2021?", later, both)).toBe(AQUARIUM);
    expect(first("Which job did Iris have after March 2021?", later, both)).toBe(AQUARIUM);
    expect(first("Which job did Iris have since March 2022?", later, both)).toBe(AQUARIUM);
    expect(first("Which job did Iris have before 2022?", later, both)).toBe(OFFICE);
  });

  test("is not meant by `the week before` a date, which refers to things said on that day", () => {
    const told = diary({ "2021-03-02": OFFICE, "2021-08-14": AQUARIUM });
    expect(first("Which job did Iris have the week before 14 August 2021?", told, both)).toBe(AQUARIUM);
  });
});
