import { afterEach, beforeEach, expect, test } from "vitest";
import { type ManualCore, openManualCore } from "../support/manual-core.js";

/* Nobody knows when a file without a date was written: the day on which it is sent completes no date in it. */

let opened: ManualCore;
beforeEach(async () => {
  opened = await openManualCore();
});
afterEach(() => opened.close());

async function memoriesOf(text: string, name: string, document: Record<string, unknown> = {}): Promise<string[]> {
  const bytes = Buffer.from(text).toString("base64");
  const { core } = opened;
  await core.addFile(opened.call(), { bytes, name, document: { containerTags: ["port"], ...document } });
  await opened.settle();
  const { entries } = await core.listMemories(opened.call(), { containerTags: ["port"] });
  return entries.map(({ memory }) => memory.text).sort();
}

const rtf = (text: string) => `{\\rtf1\\ansi ${text}}`;

test.each([
  ["a month", "Parking permit 4471 expires in June.", "Parking permit 4471 expires in June"],
  ["a day", "The lease ends on 3 May.", "The lease ends on 3 May"],
  ["a word", "Torvald moved to Bergen yesterday.", "Torvald moved to Bergen yesterday"],
  ["a period", "Torvald moved to Bergen last week.", "Torvald moved to Bergen last week"],
])("%s is kept as it was said", async (_what, text, expected) => {
  expect(await memoriesOf(rtf(text), "note.rtf")).toEqual([expected]);
});

test("a full date is still resolved", async () => {
  await memoriesOf(rtf("The lease ends on 3 May 2031."), "note.rtf");
  const { entries } = await opened.core.listMemories(opened.call(), { containerTags: ["port"] });
  expect(entries).toMatchObject([
    { memory: { text: "The lease ends on 3 May 2031", metadata: { temporalContext: { eventDate: ["2031-05-03"] } } } },
  ]);
});

test("when the date is known, the same words are completed", async () => {
  const [text] = await memoriesOf(rtf("Parking permit 4471 expires in June."), "note.rtf", {
    documentDate: "2019-01-15",
  });
  expect(text).toBe("Parking permit 4471 expires in June 2019");
});
