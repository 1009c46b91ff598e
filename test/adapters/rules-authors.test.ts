import { describe, expect, test } from "vitest";
import { createRulesExtractor } from "../../src/adapters/facts/rules.js";
import type { FactSource } from "../../src/core/ports.js";

const extractor = createRulesExtractor();

async function textsOf(content: string, more: Partial<FactSource> = {}): Promise<string[]> {
  const source = { content, timeZone: "UTC", containerTag: "notes", date: "2026-11-25T12:00:00Z", isOwn: true };
  return (await extractor.extract({ ...source, ...more })).map(({ text }) => text);
}

describe("meeting notes do not make anybody the user", () => {
  test.each([
    ["Meeting notes: We agreed to ship by 15 January.", ["We agreed to ship by 15 January 2027"]],
    [
      "# Weekly sync\n\n- We agreed to drop the newsletter.\n- Our staging server is stage.example.org.\n- Femke will contact the printer by Thursday.",
      [
        "We agreed to drop the newsletter",
        "Our staging server is stage.example.org",
        "Femke will contact the printer by 26 November 2026",
      ],
    ],
    [
      "Attendees: Priya, Luc.\nWe decided to move our database to Frankfurt. I will visit the vendor on Friday.",
      ["We decided to move our database to Frankfurt", "I will visit the vendor on 27 November 2026"],
    ],
    ["We agreed to hire Tom. Chen owns the rollout.", ["We agreed to hire Tom", "Chen owns the rollout"]],
  ])("%s", async (notes, facts) => {
    expect(await textsOf(notes)).toEqual(facts);
  });

  test("recognised by their title", async () => {
    const more = { title: "Retro, 24 November" };
    expect(await textsOf("We decided to use Postgres for billing.", more)).toEqual([
      "We decided to use Postgres for billing",
    ]);
  });

  test.each([
    ["I have a meeting with Omar tomorrow. I own a car.", "Meeting with Omar"],
    ["I have a meeting with Omar tomorrow.\n\nI own a car.", "Meeting with Omar"],
    ["My weekly sync is on Monday.\nI own a car.", "Weekly sync"],
  ])("but words of a sentence about oneself as a title do not make meeting notes: %s", async (text, title) => {
    const facts = await textsOf(text, { title });
    expect(facts).toContain("User owns a car");
    expect(facts).toEqual(facts.filter((fact) => fact.startsWith("User")));
  });

  test("of which only a later part is read", async () => {
    const opening = "Present: Femke, Arjun.\nWe agreed to drop the newsletter.";
    expect(await textsOf("We agreed to hire Tom.", { opening })).toEqual(["We agreed to hire Tom"]);
  });

  test("and no task or instruction becomes the user's", async () => {
    const texts = await textsOf("# Standup\n\nCall the bank on Monday.\nAlways answer in German.");
    expect(texts).toEqual([]);
  });
});

describe("first-person words mean the people named in a document:", () => {
  test("'I' the author, 'we' the team", async () => {
    const notes =
      "Author: Anna Weber\nTeam: Platform\n\nWe decided to move our database to Frankfurt. I moved to Berlin yesterday.";
    expect(await textsOf(notes)).toEqual([
      "The Platform team decided to move their database to Frankfurt",
      "Anna Weber moved to Berlin on 24 November 2026",
    ]);
  });

  test("not the author for the group", async () => {
    const mail =
      "From: Ruth Adler <ruth@example.org>\nSubject: Lease\n\nWe agreed to sign the lease. I am allergic to nuts.";
    expect(await textsOf(mail)).toEqual(["We agreed to sign the lease", "Ruth Adler is allergic to nuts"]);
  });

  test("a team named by the heading", async () => {
    const notes = "# Billing team meeting\n\nWe decided to use Postgres.";
    expect(await textsOf(notes)).toEqual(["The Billing team decided to use Postgres"]);
  });
});

describe("statements by others in a mail are not attributed to its author:", () => {
  const sent = { isOwn: false, author: "Ruth Adler <ruth@example.org>" };

  test("quoted text is attributed to no one", async () => {
    const mail =
      "I live in Malmö now.\n\nOn Wed, Tom Reed wrote:\n> I work at the bakery on Mondays.\n>\n> > I have two cats.";
    expect(await textsOf(mail, sent)).toEqual(["Ruth Adler lives in Malmö now"]);
  });

  test.each([
    ["replied to", "-----Original Message-----\nFrom: Tom Reed [mailto:tom@example.org]\nSent: Monday, 2 March 2026"],
    ["forwarded", "---------- Forwarded message ---------\nFrom: Tom Reed <tom@example.org>\nDate: Mon, 2 March 2026"],
    ["quoted by another program", "**Von:** Tom Reed <tom@example.org>  \n**Gesendet:** Montag, 2. März 2026"],
    ["the next mail of a mailbox", "# Lunch\n\n- From: Tom Reed <tom@example.org>\n- To: ruth@example.org"],
  ])("text that is %s is attributed to the sender in its own header", async (_which, head) => {
    const mail = `# Re: Lunch\n\n- From: Ruth Adler <ruth@example.org>\n- To: tom@example.org\n\nI live in Malmö now.\n\n${head}\n\nI have two cats.`;
    expect(await textsOf(mail, sent)).toEqual(["Ruth Adler lives in Malmö now", "Tom Reed has two cats"]);
    expect(await textsOf(mail, { isOwn: false })).toEqual(["Ruth Adler lives in Malmö now", "Tom Reed has two cats"]);
  });

  test("an unnamed author is not confused with the sender below", async () => {
    const mail = "I live in Malmö now.\n\nFrom: Tom Reed\nSent: Monday\n\nI have two cats.";
    const facts = ["The author lives in Malmö now", "Tom Reed has two cats"];
    expect(await textsOf(mail, { isOwn: false, author: "ruth@example.org" })).toEqual(facts);
  });
});

test.each([
  ["Adler, Ruth <ruth@example.org>", "Ruth Adler"],
  ['"Adler, Ruth Maria"', "Ruth Maria Adler"],
  ["Acme, Inc. <info@example.org>", "The author"],
])("a name with the surname first is recognised: %s", async (author, name) => {
  expect(await textsOf("I live in Rome.", { isOwn: false, author })).toEqual([`${name} lives in Rome`]);
});

test.each(["Author: User", "From: Assistant <a@example.org>", "By User Name", "Hello.\n\nFrom: User\nSent: Monday"])(
  "a text by others turns no one into the user or the assistant: %s",
  async (line) => {
    const about = { isOwn: false, author: "User <user@example.org>" };
    expect(await textsOf(`${line}\n\nI live in Rome.`, about)).toEqual(["The author lives in Rome"]);
  },
);

describe("what the user says is attributed to the user", () => {
  test.each([
    ["We decided to use Postgres.", ["User decided to use Postgres"]],
    ["I have a meeting with Tom tomorrow.", ["User has a meeting with Tom on 26 November 2026"]],
    ["I told my team: we decided to use Postgres.", expect.anything()],
  ])("%s", async (note, facts) => {
    expect(await textsOf(note)).toEqual(facts);
  });

  test("in a conversation", async () => {
    const text = "Meeting notes: we agreed to ship by 15 January.";
    const turns = [{ speaker: "User", text: "We agreed to ship by 15 January." }];
    expect(await textsOf(text, { turns })).toEqual(["User agreed to ship by 15 January 2027"]);
  });
});
