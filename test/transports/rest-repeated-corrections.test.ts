import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type OpenedRest, openRest } from "../support/rest.js";

const TAG = "mia";

let rest: OpenedRest;
beforeEach(async () => {
  rest = await openRest({ asOwner: true });
});
afterEach(() => rest.close());

async function add(content: string, more: Record<string, unknown> = {}): Promise<string> {
  const { body } = await rest.send("POST", "/v3/documents", { content, containerTag: TAG, ...more });
  await rest.settle();
  return body.id;
}

async function say(turns: readonly string[], role = "user") {
  const messages = turns.map((content) => ({ role, content }));
  await rest.send("POST", "/v4/conversations", { conversationId: "talk", containerTags: [TAG], messages });
  await rest.settle();
}

interface Entry {
  readonly memory: string;
  readonly isLatest: boolean;
  readonly isForgotten: boolean;
  readonly isInference: boolean;
}

async function stated(): Promise<readonly string[]> {
  const { body } = await rest.send("POST", "/v4/memories/list", { containerTags: [TAG], limit: 100 });
  return body.memoryEntries
    .filter(({ isLatest, isForgotten, isInference }: Entry) => isLatest && !isForgotten && !isInference)
    .map(({ memory }: Entry) => memory.replace(/\.$/, ""))
    .toSorted();
}

describe("a correction made again", () => {
  test.each([
    [
      ["I own a Volvo."],
      ["I swapped my Volvo for a Skoda.", "I swapped my Skoda for a Volvo.", "I swapped my Volvo for a Skoda."],
      /owns a/,
      ["User owns a Skoda"],
    ],
    [
      ["Builds run on Jenkins."],
      [
        "We switched builds from Jenkins to Buildkite.",
        "We went back to Jenkins.",
        "We switched builds from Jenkins to Buildkite.",
      ],
      /^Builds run on/,
      ["Builds run on Buildkite"],
    ],
    [
      ["Builds run on Jenkins."],
      [
        "We switched builds from Jenkins to Buildkite.",
        "We went back to Jenkins.",
        "We switched builds from Jenkins to Buildkite.",
        "We went back to Jenkins.",
      ],
      /^Builds run on/,
      ["Builds run on Jenkins"],
    ],
    [
      ["My bank is N26."],
      ["I switched from N26 to Revolut.", "My bank is N26.", "I switched from N26 to Revolut."],
      /bank is/,
      ["User's bank is Revolut"],
    ],
    [
      ["The project is called Heron."],
      ["We renamed Heron to Kestrel.", "We renamed Kestrel to Heron.", "We renamed Heron to Kestrel."],
      /is called/,
      ["The project is called Kestrel"],
    ],
    [
      ["The port is 5173."],
      ["No, the port is 3000, not 5173.", "No, the port is 5173, not 3000.", "No, the port is 3000, not 5173."],
      /port is/,
      ["The port is 3000"],
    ],
    [
      ["Our CTO is Tim."],
      ["Lea replaced Tim as CTO.", "Tim replaced Lea as CTO.", "Lea replaced Tim as CTO.", "Tim replaced Lea as CTO."],
      /CTO/,
      ["Tim replaced Lea as CTO"],
    ],
    [
      ["I own a Canyon bike."],
      ["I sold my Canyon bike.", "I own a Canyon bike.", "I sold my Canyon bike."],
      /owns a/,
      [],
    ],
  ])("%j, then %j changes the same again", async (before, corrections, what, expected) => {
    for (const statement of [...before, ...corrections]) await add(statement);
    expect((await stated()).filter((text) => what.test(text))).toEqual(expected);
  });

  test("in a growing conversation changes the same again, and only once", async () => {
    const turns = ["I own a Volvo.", "I swapped my Volvo for a Skoda."];
    await say(turns);
    for (const [next, held] of [
      ["I swapped my Skoda for a Volvo.", "User owns a Volvo"],
      ["I swapped my Volvo for a Skoda.", "User owns a Skoda"],
      ["I like tea.", "User owns a Skoda"],
    ] as const) {
      turns.push(next);
      await say(turns);
      expect((await stated()).filter((text) => /owns a/.test(text))).toEqual([held]);
    }
  });

  test("by an assistant changes nothing", async () => {
    await add("Builds run on Jenkins.");
    await add("We switched builds from Jenkins to Buildkite.");
    await add("We went back to Jenkins.");
    await say(["We switched builds from Jenkins to Buildkite."], "assistant");
    expect((await stated()).filter((text) => text.startsWith("Builds run on"))).toEqual(["Builds run on Jenkins"]);
  });

  test.each([
    ["without a date", {}],
    ["of today", { documentDate: new Date().toISOString().slice(0, 10) }],
  ])("by reading its document %s again changes nothing", async (_dated, more) => {
    await add("I own a Volvo.");
    const id = await add("I swapped my Volvo for a Skoda.", more);
    await add("I swapped my Skoda for a Volvo.");
    const before = await stated();
    expect((await rest.send("POST", "/v3/reprocess", { ids: [id] })).status).toBe(200);
    await rest.settle();
    expect(await stated()).toEqual(before);
  });
});
