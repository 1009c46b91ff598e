import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openRest, type OpenedRest } from "../support/rest.js";

let rest: OpenedRest;
beforeEach(async () => {
  rest = await openRest({ asOwner: true });
});
afterEach(() => rest.close());

const TAG = "mia";

async function add(content: string) {
  const { body } = await rest.send("POST", "/v3/documents", { content, containerTag: TAG });
  await rest.settle();
  return (await rest.send("GET", `/v3/documents/${body.id}`)).body;
}

interface Hit {
  readonly id: string;
  readonly memory?: string;
  readonly chunk?: string;
}

async function search(q: string, searchMode: string): Promise<readonly string[]> {
  const { body } = await rest.send("POST", "/v4/search", { q, containerTag: TAG, searchMode });
  return body.results.map(({ memory, chunk }: Hit) => memory ?? chunk);
}

async function versionsOf(text: string) {
  const { body } = await rest.send("POST", "/v4/memories/list", { containerTags: [TAG] });
  return body.memoryEntries.find(({ memory }: Hit) => memory === text);
}

describe("a question after a correction", () => {
  test.each([
    [
      ["The project is called Heron."],
      "We renamed Heron to Kestrel.",
      "What is the project called?",
      /called Kestrel/,
      /called Heron/,
    ],
    [
      ["The project is called Heron."],
      "We renamed the project to Kestrel.",
      "What is the project called?",
      /called Kestrel/,
      /called Heron/,
    ],
    [
      ["My bank is N26.", "Ana's bank is ING."],
      "I switched from N26 to Revolut.",
      "What is my bank?",
      /bank is Revolut/,
      /bank is N26/,
    ],
    [["My phone is a Pixel."], "I swapped my Pixel for an iPhone.", "Which phone do I use?", /iPhone/, /is a Pixel/],
    [
      ["Our cat is called Miso."],
      "Our cat is called Mochi, not Miso.",
      "What is our cat called?",
      /called Mochi/,
      /called Miso/,
    ],
    [["The port is 5173."], "No, the port is 3000, not 5173.", "What is the port?", /port is 3000/, /port is 5173/],
    [["Tim is our CTO."], "Lea replaced Tim as CTO.", "Who is our CTO?", /Lea/, /Tim is/],
    [
      ["Ola owns billing."],
      "Ola moved to the platform team; Wren owns billing now.",
      "Who owns billing?",
      /Wren owns/,
      /Ola owns/,
    ],
    [
      ["Builds run on Jenkins.", "We switched builds from Jenkins to Buildkite."],
      "We switched back to Jenkins.",
      "What do builds run on?",
      /run on Jenkins/,
      /Buildkite/,
    ],
    [
      ["Builds run on Jenkins.", "We switched builds from Jenkins to Buildkite."],
      "We went back to Jenkins.",
      "What do builds run on?",
      /run on Jenkins/,
      /Buildkite/,
    ],
  ])("%j, then %j: %j finds what holds now first", async (before, correction, question, expected, former) => {
    for (const statement of before) await add(statement);
    await add(correction);
    for (const mode of ["memories", "hybrid"]) {
      const found = await search(question, mode);
      expect(found[0]).toMatch(expected);
      expect(found.filter((text) => former.test(text))).toEqual([]);
    }
  });
});

test("the restated memory is the next version of the former one, and is undone together with the correction", async () => {
  await add("My bank is N26.");
  const { id: former } = await versionsOf("User's bank is N26");
  const { memories } = await add("I switched from N26 to Revolut.");
  expect(memories).toMatchObject([
    { memory: "User's bank is Revolut", version: 2, parentMemoryId: former },
    { memory: "User switched from N26 to Revolut", version: 1 },
  ]);
  expect(await versionsOf("User's bank is Revolut")).toMatchObject({ history: [{ memory: "User's bank is N26" }] });
  const { body } = await rest.send("GET", `/v3/journal?containerTag=${TAG}`);
  expect((await rest.send("POST", `/v3/journal/${body.entries[0].batchId}/undo`)).status).toBe(200);
  await rest.settle();
  expect(await search("What is my bank?", "memories")).toEqual(["User's bank is N26"]);
});

test("a memory sent as such is answered with itself, and restates the former one", async () => {
  const send = (content: string) => rest.send("POST", "/v4/memories", { containerTag: TAG, memories: [{ content }] });
  await send("The project is called Heron.");
  const { body } = await send("We renamed Heron to Kestrel.");
  expect(body.memories.map(({ memory }: Hit) => memory)).toEqual(["We renamed Heron to Kestrel."]);
  await rest.settle();
  expect((await search("What is the project called?", "memories"))[0]).toBe("The project is called Kestrel.");
});
