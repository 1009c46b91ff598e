import { describe, expect, test } from "vitest";
import { readUnit } from "../../src/core/search/evidence.js";
import { findDateMention, findPastMention, matchDate } from "../../src/core/search/query-dates.js";
import { chunkDetail, memoryDetail } from "../support/unit-details.js";

describe("the date in a query", () => {
  test.each([
    ["What did Anna share on October 13, 2023?", { month: 9, day: 13, year: 2023 }],
    ["What happened on 9 November, 2022?", { month: 10, day: 9, year: 2022 }],
    ["What was decided on the 3rd of May?", { month: 4, day: 3, year: null }],
    ["Who called in may 2021", { month: 4, day: null, year: 2021 }],
    ["What broke in March?", { month: 2, day: null, year: null }],
    ["notes from 2024-02-29", { month: 1, day: 29, year: 2024 }],
    ["Where did we go in 2019?", { month: null, day: null, year: 2019 }],
    ["Trips last September", { month: 8, day: null, year: null }],
  ])("%j", (query, expected) => {
    expect(findDateMention(query)).toMatchObject(expected);
  });

  test.each([
    "May I eat nuts?",
    "How do we march on?",
    "Which port is 2023 used for?",
    "room 45 of June's house party 99".replace("June's", "Junes"),
    "2024-99-99",
    "",
  ])("none in %j", (query) => {
    expect(findDateMention(query)).toBeNull();
  });
});

describe("a relative time in a query", () => {
  const now = new Date("2026-03-18T12:00:00Z");

  test.each([
    ["What did I cook yesterday?", { year: 2026, month: 2, day: 17 }],
    ["Where was I two weeks ago", { year: 2026, month: 2, day: 2 }],
    ["what did we decide last month", { year: 2026, month: 1, day: null }],
    ["Which books did I read last year?", { year: 2025, month: null, day: null }],
    ["Trips of last summer", { year: 2025, month: 5, day: null, months: 3 }],
  ])("%j", (query, expected) => {
    expect(findPastMention(query, now)).toMatchObject({ ...expected, isRelative: true });
  });

  test.each(["What comes next week?", "What shall I eat tonight?", "How long ago?", "at last", "999 weeks agora", ""])(
    "none in %j",
    (query) => {
      expect(findPastMention(query, now)).toBeNull();
    },
  );

  test("matches a season for three months, and less so the weeks after it", () => {
    const summer = findPastMention("last summer", now);
    const match = (date: string): number =>
      summer ? matchDate(summer, readUnit(chunkDetail({ seq: 1, text: "Ana: Hello", date }))) : -1;
    expect(["2025-06-01", "2025-07-15", "2025-08-31"].map(match)).toEqual([0.5, 0.5, 0.5]);
    expect(match("2025-09-10")).toBe(0.25);
    expect(["2025-05-31", "2025-10-01", "2024-07-01"].map(match)).toEqual([0, 0, 0]);
  });

  test("matches memories by when they were stated, unless they say when it happened", () => {
    const yesterday = findPastMention("yesterday", now);
    const match = (of: { createdAt: string; eventDates?: string[] }): number =>
      yesterday ? matchDate(yesterday, readUnit(memoryDetail({ seq: 1, text: "Ana moved.", ...of }))) : -1;
    expect(match({ createdAt: "2026-03-17T09:00:00Z" })).toBe(1);
    expect(match({ createdAt: "2026-03-17T09:00:00Z", eventDates: ["2025-01-01"] })).toBe(0);
    expect(match({ createdAt: "2026-03-01T09:00:00Z", eventDates: ["2026-03-17"] })).toBe(1);
  });
});

describe("a unit matches a date", () => {
  const october = { month: 9, day: 13, year: 2023, words: new Set<string>() };
  const match = (date: string, mention: { month: number | null; day: number | null; year: number | null } = october) =>
    matchDate({ ...mention, words: new Set() }, readUnit(chunkDetail({ seq: 1, text: "Ana: Hello", date })));

  test("best on the day, less in the days after, not before and not much later", () => {
    expect(match("2023-10-13T08:00:00Z")).toBe(1);
    expect(match("2023-10-20T08:00:00Z")).toBeGreaterThan(0);
    expect(match("2023-10-20T08:00:00Z")).toBeLessThan(1);
    expect(match("2023-10-12T08:00:00Z")).toBe(0);
    expect(match("2023-12-01T08:00:00Z")).toBe(0);
    expect(match("2022-10-13T08:00:00Z")).toBe(0);
  });

  test("of a month in any year, or of a whole year", () => {
    expect(match("2021-10-02", { month: 9, day: null, year: null })).toBeGreaterThan(0);
    expect(match("2021-08-02", { month: 9, day: null, year: null })).toBe(0);
    expect(match("2021-08-02", { month: null, day: null, year: 2021 })).toBeGreaterThan(0);
  });

  test("if its text names the date, or its event took place then", () => {
    const named = readUnit(memoryDetail({ seq: 1, text: "The audit is on 13 October 2023." }));
    const happened = readUnit(memoryDetail({ seq: 2, text: "Ana moved.", eventDates: ["2023-10-13"] }));
    const other = readUnit(memoryDetail({ seq: 3, text: "The audit is on 14 October 2023." }));
    expect([named, happened, other].map((unit) => matchDate(october, unit))).toEqual([1, 1, 0]);
  });

  test("never with an invalid date", () => {
    expect(match("not a date")).toBe(0);
    expect(matchDate(october, readUnit(memoryDetail({ seq: 1, text: "", eventDates: ["", "x"] })))).toBe(0);
  });
});
