import { afterEach, beforeEach, expect, test } from "vitest";
import { extractFactsPrompt } from "../../src/ingest/prompts/extract-facts.js";
import { openRest, type OpenedRest } from "../support/rest.js";

/** "I" in a page, a mail or someone else's document is not the user. */
let rest: OpenedRest;
beforeEach(async () => {
  rest = await openRest({ asOwner: true });
});
afterEach(() => rest.close());

async function remembered(origin: string, content: string): Promise<string> {
  const { core, actor } = rest;
  await core.addDocument({ actor }, { content, containerTags: ["m"], origin, dreaming: "instant" });
  await rest.settle();
  const { body } = await rest.send("POST", "/v4/memories/list", { containerTags: ["m"] });
  return body.memoryEntries.map(({ memory }: { memory: string }) => memory).join("\n");
}

const ABOUT_ME = "I live in Ghent and I play the cello. My favourite colour is green.";

test.each(["web", "connector"])("attributes a text from %s to its author, never to the user", async (origin) => {
  const known = await remembered(origin, ABOUT_ME);
  expect(known).toContain("The author lives in Ghent");
  expect(known).not.toMatch(/\bUser\b/);
});

test("accepts a line that names the author", async () => {
  const content = "Posted by Jane Doe on 3 May 2026\n\nI no longer use Neovim. I'm allergic to peanuts.";
  const known = await remembered("web", content);
  expect(known).toContain("Jane Doe is allergic to peanuts");
  expect(known).not.toMatch(/\bUser\b/);
});

test("does not attribute the 'we' and 'our' of others to the user", async () => {
  const content =
    "Our API has a rate limit of 300 requests a minute. We use Postgres 17. We moved our office to Lisbon.";
  const known = await remembered("web", content);
  expect(known).toContain("300 requests");
  expect(known).not.toMatch(/\bUser\b/);
});

test("attributes what the user adds to the user", async () => {
  expect(await remembered("user", ABOUT_ME)).toContain("User lives in Ghent");
});

test("tells a language model the same", () => {
  const input = {
    text: ABOUT_ME,
    fence: "x",
    date: "2026-05-04",
    title: null,
    guidance: {},
    known: [],
    part: 1,
    parts: 1,
  };
  const told = (isForeign: boolean) =>
    JSON.stringify(extractFactsPrompt.messages({ ...input, summary: "", isForeign }));
  expect(told(true)).toContain("The author");
  expect(told(false)).not.toContain("The author");
});
