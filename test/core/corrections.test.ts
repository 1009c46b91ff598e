import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openRest, type OpenedRest } from "../support/rest.js";

/** A casually corrected statement ranks behind the correction, or is gone. */
let rest: OpenedRest;
beforeEach(async () => {
  rest = await openRest({ asOwner: true });
});
afterEach(() => rest.close());

async function say(...texts: readonly string[]): Promise<void> {
  for (const content of texts) {
    await rest.send("POST", "/v3/documents", { content, containerTag: "mia", dreaming: "instant" });
    await rest.settle();
  }
}

async function found(q: string): Promise<readonly string[]> {
  const { body } = await rest.send("POST", "/v4/search", {
    q,
    containerTag: "mia",
    searchMode: "hybrid",
    threshold: 0.3,
  });
  return body.results.map(({ memory, chunk }: { memory?: string; chunk?: string }) => memory ?? chunk ?? "");
}

describe("a later statement replaces an earlier one about the same thing:", () => {
  test.each([
    ["My phone number is 555-1234.", "My new number is 555-9876.", "what is the user's phone number?", "1234", "9876"],
    [
      "I use Neovim as my editor.",
      "I no longer use Neovim.",
      "does the user use Neovim?",
      "as their editor",
      "no longer",
    ],
    [
      "I prefer tabs.",
      "I prefer tabs... no wait, I mean 2 spaces.",
      "tabs or spaces?",
      "User prefers tabs",
      "2 spaces",
    ],
    ["We deploy to production on Thursdays.", "We no longer deploy on Thursdays.", "deploy", "production", "no longer"],
    ["The team deploys to production on Thursdays.", "We no longer deploy on Thursdays.", "deploy", "production", "no"],
    [
      "The standup is at 9:15.",
      "Correction: standup is at 9:30 now, not 9:15.",
      "when is the standup?",
      "is at 9:15",
      "9:30",
    ],
    ["Our CI is Jenkins.", "We migrated from Jenkins to GitHub Actions.", "what is our CI?", "is Jenkins", "GitHub"],
    ["Tomás leads payments.", "Tomás left; Hana leads payments now.", "who leads payments?", "Tomás leads", "Hana"],
    ["The API runs on Node 20.", "We upgraded the API to Node 22.", "which Node does the API run on?", "20", "22"],
    ["The offsite is on 12 March 2050.", "The offsite is cancelled.", "when is the offsite?", "12 March", "cancelled"],
    ["Please always answer in German.", "Please answer in English from now on.", "answer in", "German", "English"],
    [
      "Anna is my girlfriend.",
      "Anna and I broke up.",
      "is Anna the user's girlfriend?",
      "is User's girlfriend",
      "broke up",
    ],
    ["I live in a flat in Mainz.", "I moved out of the flat in Mainz.", "flat in Mainz", "lives in", "moved out"],
  ])("%s → %s", async (before, after, q, gone, first) => {
    await say(before, after);
    const results = await found(q);
    expect(results[0]).toContain(first);
    expect(results.join("\n")).not.toContain(gone);
  });
});

describe("a statement that only looks like a correction replaces nothing:", () => {
  test.each([
    ["I use Slack for family chats.", "I no longer use Slack for work.", "Slack", "family"],
    ["My shirt number is 7.", "My new number is 555-9876.", "shirt number", "7"],
    ["I prefer trains.", "I prefer tabs... no wait, I mean 2 spaces.", "trains", "trains"],
  ])("%s → %s", async (before, after, q, stays) => {
    await say(before, after);
    expect((await found(q)).join("\n")).toContain(stays);
  });
});

describe("a passage without a fact ranks behind the passage that corrects it:", () => {
  test.each([
    ["The wifi name is HomeNet.", "The wifi name is now AtticNet.", "wifi name HomeNet", "AtticNet"],
    ["The alarm code word is heron.", "The new alarm code word is otter.", "alarm code word heron", "otter"],
  ])("%s → %s", async (before, after, q, first) => {
    await say(before, after);
    const results = await found(q);
    expect(results).toHaveLength(2);
    expect(results[0]).toContain(first);
  });

  test("but before one that was said earlier, or is about something else", async () => {
    await say("The wifi name is now AtticNet.", "The wifi name is HomeNet.", "The guest wifi name is Visitors.");
    expect((await found("wifi name HomeNet"))[0]).toContain("HomeNet");
  });

  test("but a passage of the user never ranks behind one of a web page", async () => {
    await say("The wifi name is HomeNet.");
    const { core, actor } = rest;
    const page = { content: "The wifi name is now AtticNet.", containerTags: ["mia"], origin: "web" };
    await core.addDocument({ actor }, page);
    await rest.settle();
    expect((await found("wifi name HomeNet"))[0]).toContain("HomeNet");
  });
});
