import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openRest, type OpenedRest } from "../support/rest.js";

let rest: OpenedRest;
beforeEach(async () => {
  rest = await openRest({ asOwner: true });
});
afterEach(() => rest.close());

const TAG = "mia";

async function addMemories(contents: readonly string[]): Promise<void> {
  for (const content of contents) {
    const sent = { containerTag: TAG, memories: [{ content }] };
    expect((await rest.send("POST", "/v4/memories", sent)).status).toBe(201);
    await rest.settle();
  }
}

async function addDocuments(contents: readonly string[]): Promise<void> {
  for (const content of contents) {
    await rest.send("POST", "/v3/documents", { content, containerTag: TAG });
    await rest.settle();
  }
}

async function holding(): Promise<readonly string[]> {
  const { body } = await rest.send("POST", "/v4/memories/list", { containerTags: [TAG], limit: 100 });
  return body.memoryEntries
    .filter(({ isForgotten }: { isForgotten: boolean }) => !isForgotten)
    .map(({ memory }: { memory: string }) => memory)
    .toSorted();
}

/** The last of these, and the others of which it makes nothing else. */
const leaves = (told: readonly string[], more: readonly string[] = []) => [told, [...more, ...told.slice(-1)]] as const;

describe("memories added directly", () => {
  const BANK = ["My bank is N26.", "I switched from N26 to Revolut."];
  const JIRA = ["We use Jira.", "We switched from Jira to Linear."];
  test.each([
    leaves([...JIRA, "We went back to Jira yesterday."], ["We use Jira."]),
    leaves([...JIRA, "We went back to Jira this morning."], ["We use Jira."]),
    leaves([...JIRA, "Yesterday I went back to Jira."], ["We use Jira."]),
    leaves([...JIRA, "In 2015 we went back to Jira."], ["We switched from Jira to Linear.", "We use Linear."]),
    leaves(["My bank is N26.", "In 2015 I switched from N26 to Revolut."], ["My bank is N26."]),
    leaves(["The project is called Heron.", "Heron was renamed Friday."], ["The project is called Heron."]),
    leaves(
      [
        "My bank is N26.",
        "The project is called Heron.",
        "I switched from N26 to Revolut. We renamed Heron to Kestrel.",
      ],
      ["My bank is Revolut.", "The project is called Kestrel."],
    ),
    leaves(
      ["My bank is N26.", "I switched from N26 to Revolut. I switched from Revolut to Monzo."],
      ["My bank is N26."],
    ),
    leaves(["My bank is N26.", "I had a dream. I switched from N26 to Revolut."], ["My bank is N26."]),
    leaves([...BANK, "My bank is N26 again."]),
    leaves([...BANK, "My bank is Monzo now."]),
    leaves([...BANK, "I closed my Revolut account."]),
  ])("%j leave %j", async (told, expected) => {
    await addMemories(told);
    expect(await holding()).toEqual([...expected].toSorted());
  });
});

describe("what something is now", () => {
  const BANK = ["My bank is N26.", "I switched from N26 to Revolut."];
  const REVOLUT = ["User switched from N26 to Revolut", "User's bank is Revolut"];
  test.each([
    [[...BANK, "My bank is N26 again."], ["User's bank is N26 again"]],
    [[...BANK, "My bank is Monzo now."], ["User's bank is Monzo now"]],
    [[...BANK, "I closed my Revolut account."], ["User closed their Revolut account"]],
    [["My phone is a Pixel.", "My phone is an iPhone now."], ["User's phone is an iPhone now"]],
    [["Our API gateway is Kong.", "Our API gateway is Tyk now."], ["User's API gateway is Tyk now"]],
  ])("ends what it was: %j leave %j", async (told, expected) => {
    await addDocuments(told);
    expect(await holding()).toEqual(expected);
  });

  test.each([
    [
      [...BANK, "My bank is Monzo."],
      [...REVOLUT, "User's bank is Monzo"],
    ],
    [
      [...BANK, "My business bank is Monzo now."],
      [...REVOLUT, "User's business bank is Monzo now"],
    ],
    [
      [...BANK, "Ana's bank is Monzo now."],
      ["Ana's bank is Monzo now", ...REVOLUT],
    ],
    [
      [...BANK, "I closed my N26 account."],
      ["User closed their N26 account", ...REVOLUT],
    ],
    [
      ["My brother is Tim.", "My brother is Catholic now."],
      ["User's brother is Catholic now", "User's brother is Tim"],
    ],
    [
      ["My app is Todoist.", "My app is English now."],
      ["User's app is English now", "User's app is Todoist"],
    ],
  ])("leaves what may be so besides: %j leave %j", async (told, expected) => {
    await addDocuments(told);
    expect(await holding()).toEqual(expected.toSorted());
  });
});
