import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openRest, type OpenedRest } from "../support/rest.js";

let rest: OpenedRest;
beforeEach(async () => {
  rest = await openRest({ asOwner: true });
});
afterEach(() => rest.close());

async function remembered(content: string, document: { readonly documentDate?: string } = {}): Promise<string[]> {
  const { core, actor } = rest;
  await core.addDocument({ actor }, { content, containerTags: ["m"], dreaming: "instant", ...document });
  await rest.settle();
  const { body } = await rest.send("POST", "/v4/memories/list", { containerTags: ["m"] });
  return body.memoryEntries.map(({ memory }: { memory: string }) => memory);
}

const MOVE = "- Kim moved to Ghent yesterday.";

describe("the day on which a text says that it was written is that of its relative dates", () => {
  test.each([
    ["a heading of minutes", `# Weekly sync, 24 November 2020\n\nPresent: Ana, Kim.\n\n${MOVE}`],
    ["a first line of minutes", `Meeting notes 2020-11-24\nPresent: Ana, Kim.\n\n${MOVE}`],
    ["a line with a label", `# Search team\nDate: November 24, 2020\n\nPresent: Ana, Kim.\n\n${MOVE}`],
    ["a date line", `Ulm, 24 November 2020\n\nPresent: Ana, Kim.\n\n${MOVE}`],
  ])("in %s", async (_where, text) => {
    expect(await remembered(text)).toEqual(["Kim moved to Ghent on 23 November 2020"]);
  });

  test.each([
    ["a heading that names what the text is about", `# Incident of 24 November 2020\n\n${MOVE}`],
    ["a day that has not come yet", `# Weekly sync, 24 November 2999\n\n${MOVE}`],
    ["a section among others", `# Journal\n\n## 5 June 2020\n\nRain.\n\n## 24 November 2020\n\n${MOVE}`],
    ["a note about a time since then", `Work log since 3 May 2020\n\n${MOVE}`],
    ["a heading about a day long ago", `Notes on the treaty of 24 November 2020\n\n${MOVE}`],
    ["the date of a trip", `Trip to Rome\nDate: 24 November 2020\nHotel: Artemide\n${MOVE}`],
    ["a mail below the text", `I am flying to Rome.\n\nMeeting\nDate: 24 November 2020\n\n${MOVE}`],
    ["a sentence", `The meeting of 24 November 2020 was long.\n\n${MOVE}`],
  ])("but not in %s", async (_where, text) => {
    const facts = await remembered(text);
    expect(facts).toContainEqual(expect.stringMatching(/^Kim moved to Ghent on /));
    expect(facts).not.toContainEqual(expect.stringMatching(/2020|2999/));
  });

  test("in the time zone of the text", async () => {
    const text = `Meeting notes 2020-11-24 17:00\nPresent: Ana, Kim.\n\n${MOVE}`;
    const { core, actor } = rest;
    await core.addDocument(
      { actor },
      { content: text, containerTags: ["z"], dreaming: "instant", metadata: { timeZone: "America/Los_Angeles" } },
    );
    await rest.settle();
    const { body } = await rest.send("POST", "/v4/memories/list", { containerTags: ["z"] });
    expect(body.memoryEntries).toMatchObject([{ memory: "Kim moved to Ghent on 23 November 2020" }]);
  });

  test("but the date that was sent with it decides", async () => {
    const text = `# Weekly sync, 24 November 2020\n\nPresent: Ana, Kim.\n\n${MOVE}`;
    expect(await remembered(text, { documentDate: "2021-03-01" })).toEqual(["Kim moved to Ghent on 28 February 2021"]);
  });
});

describe("a text about another person says nothing of the user", () => {
  test("in the record of a patient, sentences leave out the patient", async () => {
    const facts = await remembered(
      "Patient: Maria Gomez, 54. Complains of knee pain. Allergic to ibuprofen. Started physiotherapy last week.",
    );
    expect(facts).toEqual([]);
  });

  test("in a letter with a signature, the signatory is meant", async () => {
    const facts = await remembered(
      "Hi Jonas,\n\nthanks for the call. I live in Ghent. Our office is closed in July.\n\nBest regards\nMiriam Keller\nKeller Metallbau GmbH",
    );
    expect(facts).toContain("Miriam Keller lives in Ghent");
    expect(facts).not.toContainEqual(expect.stringMatching(/\bUser\b/));
  });

  test.each([
    "Hi Anna,\n\nI live in Nice now.\n\nCheers,\nTom",
    "Good morning Anna,\n\nI live in Nice now.\n\nWith kind regards\nTom Becker",
    "Hey Anna,\nI live in Nice now.\nLove,\nMum",
    "Dear Anna,\n\nI live in Nice now.\n\nSee you soon,\nTom",
  ])("in a letter from one person to another: %j", async (text) => {
    expect(await remembered(text)).toContainEqual(expect.stringMatching(/^(?:Tom|Tom Becker|Mum) lives in Nice/));
  });

  test.each([
    "Eve: I live in Nice now.",
    "[10:02] Eve: I live in Nice now.",
    "**Eve:** I live in Nice now.",
    "Eve — I live in Nice now.",
  ])("in a copied message: %j", async (text) => {
    expect(await remembered(text)).toContainEqual(expect.stringMatching(/^Eve lives in Nice/));
  });

  test.each(["Note: I live in Nice now.", "Update: I live in Nice now.", "Today: I live in Nice now."])(
    "but a label that names nobody leaves the user: %j",
    async (text) => {
      expect(await remembered(text)).toContainEqual(expect.stringMatching(/^User lives in Nice/));
    },
  );

  test("a note to oneself is still about the user", async () => {
    expect(await remembered("Moved to Ghent. I am allergic to ibuprofen.")).toContain("User is allergic to ibuprofen");
  });
});
