import { describe, expect, test } from "vitest";
import { parseConversation } from "../../src/ingest/conversation.js";
import { readDays } from "../../src/ingest/stamped-days.js";

async function turnsOf(lines: readonly string[]): Promise<string[] | undefined> {
  const conversation = await parseConversation(lines.join("\n"));
  return conversation?.turns.map(({ speaker, text, date }) => `${date ?? "undated"} ${speaker}: ${text}`);
}

const SAID = ["2025-03-12 Anna: I start at the aquarium.", "2025-03-13 Ben: I am happy for you!"];

describe("messages of an exported chat have speakers and dates", () => {
  test.each([
    ["day first", "12/03/2025, 18:04 - ", "13/03/2025, 18:05 - "],
    ["twelve-hour times, as phones write them", "3/12/25, 6:04\u202fPM - ", "3/13/25, 6:05\u202fPM - "],
    ["seconds in brackets", "[3/12/25, 6:04:11\u202fPM] ", "\u200e[3/13/25, 6:05:11\u202fPM] "],
    ["German", "[12.03.25, 18:04:11] ", "[13.03.25, 18:05:11] "],
    ["ISO", "2025-03-12 18:04 - ", "2025-03-13 18:05 - "],
    ["day first, twelve-hour times", "12/03/2025, 6:04 pm - ", "13/03/2025, 6:05 pm - "],
  ])("%s", async (_which, one, other) => {
    expect(await turnsOf([`${one}Anna: I start at the aquarium.`, `${other}Ben: I am happy for you!`])).toEqual(SAID);
  });

  test.each([
    ["+45 20 12 34 56", "+45 20 12 34 56"],
    ["\u202a+45\u00a020\u00a012\u00a034\u00a056\u202c", "+45 20 12 34 56"],
    ["~\u202fBen", "Ben"],
    ["ben", "ben"],
    ["Ben 🎉", "Ben 🎉"],
  ])("whatever a speaker is called: %s", async (label, speaker) => {
    const lines = [
      "12/03/2025, 18:04 - Anna: I start at the aquarium.",
      `13/03/2025, 18:05 - ${label}: I live in Bonn.`,
    ];
    expect((await turnsOf(lines))?.[1]).toBe(`2025-03-13 ${speaker}: I live in Bonn.`);
  });

  test("notices of the chat have no speaker", async () => {
    const lines = [
      "12/03/2025, 18:03 - Messages and calls are end-to-end encrypted.",
      "12/03/2025, 18:04 - Anna: I start at the aquarium.",
      'On Monday.\n12/03/2025, 18:05 - Anna changed the subject to "Otters: ours"',
      "13/03/2025, 18:05 - Ben: I am happy for you!",
    ];
    expect(await turnsOf(lines)).toEqual([
      "2025-03-12 Anna: I start at the aquarium.\nOn Monday.",
      '2025-03-12 System: Anna changed the subject to "Otters: ours"',
      SAID[1],
    ]);
  });

  test("a name of several small words is recognised when it appears again", async () => {
    const one = "12/03/2025, 18:04 - Ines von der Heide: I live in Bonn.";
    expect((await turnsOf([one, "12/03/2025, 18:05 - Ben: You do?", one]))?.length).toBe(3);
  });

  test("notes by day and time are not a chat", async () => {
    const notes = [
      "[12/03/2025, 18:04] Called the bank: they said no.",
      "[13/03/2025, 18:04] Dentist: I need a crown.",
    ];
    expect(await turnsOf(notes)).toBeUndefined();
  });

  test("lines of a program log are not a chat", async () => {
    const log = "[2025-03-01 10:00:00] app.INFO: you have no access\n[2025-03-01 10:00:01] app.INFO: no, not you";
    expect(await turnsOf([log, log])).toBeUndefined();
  });
});

test("the order of messages distinguishes days from months", () => {
  const days = (written: readonly string[], isTwelveHours = false) => [...readDays(written, isTwelveHours).values()];
  expect(days(["01/02/2025", "02/01/2025"])).toEqual(["2025-01-02", "2025-02-01"]);
  expect(days(["01/02/2025", "02/02/2025"], true)).toEqual(["2025-01-02", "2025-02-02"]);
  expect(days(["01/02/2025", "02/02/2025"])).toEqual(["2025-02-01", "2025-02-02"]);
  expect(days(["2025/02/01", "31.12.25", "99/99/9999"])).toEqual(["2025-02-01", "2025-12-31"]);
});
