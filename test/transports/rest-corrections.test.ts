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

async function addMemory(content: string, more: Readonly<Record<string, unknown>> = {}) {
  const { body } = await rest.send("POST", "/v4/memories", { containerTag: TAG, memories: [{ content, ...more }] });
  await rest.settle();
  return body.memories[0];
}

async function holding(): Promise<readonly string[]> {
  const { body } = await rest.send("POST", "/v4/memories/list", { containerTags: [TAG] });
  return body.memoryEntries
    .filter(({ isForgotten }: { isForgotten: boolean }) => !isForgotten)
    .map(({ memory }: { memory: string }) => memory);
}

describe("a correction in the words of the former statement", () => {
  test.each([
    ["The project is called Kestrel.", "The project is called Heron, not Kestrel.", /project is called Heron/],
    ["the Project is called Kestrel", "The project is called Heron, not Kestrel.", /project is called Heron/i],
    ["The project is called Kestrel.", "Actually, the project is called Heron.", /project is called Heron/],
    ["The shop is called Luna.", "Correction: the shop is called Sol.", /shop is called Sol/i],
    ["The port is 5173.", "The port is 3000, not 5173.", /port is 3000/],
    ["Our cat is called Miso.", "Our cat is called Mochi, not Miso.", /cat is called Mochi/],
  ])("%s %s: is said once, and loses nothing else of its document", async (former, correction, expected) => {
    await addMemory(former);
    const { status } = await add(`${correction} Ana moved to Oslo in May. My dentist is Dr Maes.`);
    expect(status).toBe("done");
    const texts = await holding();
    expect(texts.filter((text) => expected.test(text))).toHaveLength(1);
    expect(texts).toEqual(
      expect.arrayContaining([expect.stringContaining("Ana moved to Oslo"), "User's dentist is Dr Maes"]),
    );
  });

  test.each([
    ["The server is called Otter.", "The server is now called Badger.", "Badger"],
    ["The app is called Plumo.", "The app is now named Vento.", "Vento"],
    ["My bank is N26.", "My bank is now Revolut, not N26.", "Revolut"],
  ])("%s %s: is one memory", async (former, correction, value) => {
    await add(former);
    await add(correction);
    expect(await holding()).toEqual([expect.stringContaining(value)]);
  });

  test("of which the same text says the new value too, is said once", async () => {
    await add("My bank is N26.");
    expect((await add("I switched from N26 to Revolut. My bank is Revolut.")).status).toBe("done");
    expect((await holding()).filter((text) => text.includes("bank is"))).toEqual(["User's bank is Revolut"]);
  });
});

describe("a restated memory", () => {
  const isOf = (value: string) => ({ AND: [{ key: "topic", value }] });
  test.each([
    ["My bank is N26.", "I switched from N26 to Revolut.", "My bank is Revolut."],
    ["The project is called Heron.", "We renamed Heron to Kestrel.", "The project is called Kestrel."],
  ])("keeps the metadata of the former one: %s", async (former, correction, expected) => {
    await addMemory(former, { metadata: { topic: "mine" } });
    await addMemory(correction, { metadata: { topic: "news" } });
    const find = async (topic: string) => {
      const { body } = await rest.send("POST", "/v4/search", { q: former, containerTag: TAG, filters: isOf(topic) });
      return body.results.map(({ memory }: Hit) => memory);
    };
    expect(await find("mine")).toEqual([expected]);
    expect(await find("news")).toEqual([correction]);
  });

  test.each([
    ["User's bank is N27.", "User switched from N27 to Starling.", "What is my bank?", /bank is Starling/],
    ["The project is called Heron.", "We renamed Heron to Kestrel.", "What is the project called?", /called Kestrel/],
    ["Builds run on Jenkins.", "We switched builds from Jenkins to Drone.", "What do builds run on?", /run on Drone/],
  ])("is also written where the request names what is replaced: %s", async (former, correction, question, expected) => {
    const { id } = await addMemory(former);
    const facts = [{ text: correction, updates: id }];
    await rest.send("POST", "/v3/documents", { content: correction, containerTag: TAG, facts });
    await rest.settle();
    expect((await search(question, "memories"))[0]).toMatch(expected);
    expect(await holding()).not.toContain(former);
  });
});

describe("a return", () => {
  test.each([
    [
      ["My bank is N26.", "I switched from N26 to Revolut.", "My broker is Revolut.", "I went back to N26."],
      ["User's bank is N26", "User's broker is Revolut"],
    ],
    [
      ["I use Slack.", "We replaced Slack with Teams.", "We use Teams for school.", "We went back to Slack."],
      ["User uses Slack", "User uses Teams for school"],
    ],
    [["We use Jira.", "We replaced Jira with Linear.", "We went back to Jira yesterday."], ["User uses Jira"]],
    [["We use Jira.", "We replaced Jira with Linear.", "We went back to Jira this morning."], ["User uses Jira"]],
    [
      ["Our editor is Vim.", "We switched from Vim to Helix.", "We went back to Vim but then chose Helix again."],
      ["User's editor is Helix"],
    ],
    [["Ana's bank is N26.", "Ana switched from N26 to Revolut.", "I went back to N26."], ["Ana's bank is Revolut"]],
    [
      [
        "Builds run on Jenkins.",
        "We switched builds from Jenkins to Drone.",
        "Deploys run on Jenkins.",
        "We switched deploys from Jenkins to Drone.",
        "We went back to Jenkins.",
      ],
      ["Builds run on Drone", "Deploys run on Drone"],
    ],
  ])("%j leaves %j, and invents nothing", async (told, expected) => {
    for (const content of told) await add(content);
    const isOfChange = /switched|replaced|moved|went|chose/;
    expect((await holding()).filter((text) => !isOfChange.test(text)).toSorted()).toEqual(expected.toSorted());
  });
});

describe("a role that somebody succeeded to", () => {
  test.each([
    [["Tim is our CTO.", "Lea replaced Tim as CTO.", "Our CTO is Kim."], ["User's CTO is Kim"]],
    [["Our CTO is Tim.", "Lea replaced Tim as CTO.", "Tim is CTO again."], ["Tim is CTO again"]],
    [
      ["Kim is the team lead.", "Jo took over from Kim as team lead.", "Max is the team lead."],
      ["Max is the team lead"],
    ],
    [["Ana replaced Tim as developer.", "Kim is our developer now."], ["Kim is User's developer now"]],
    [["Ana replaced Tim as developer.", "Our developer is Kim."], ["User's developer is Kim"]],
  ])("%j has one holder", async (told, expected) => {
    for (const content of told) await add(content);
    expect(await holding()).toEqual(expected);
  });

  test.each([
    [["Tim is our CTO.", "Lea replaced Tim as CTO.", "Ana's CTO is Kim."], "Lea replaced Tim as CTO"],
    [["Tim is our CTO.", "Lea replaced Tim as CTO.", "Kim is a CTO."], "Lea replaced Tim as CTO"],
    [["Tim is our CTO.", "Lea replaced Tim as CTO.", "Kim is CTO of Bosch."], "Lea replaced Tim as CTO"],
    [["Tim is our CTO.", "Our CTO is Kim."], "Tim is User's CTO"],
    [["Ana replaced Tim as developer.", "Kim is our developer."], "Ana replaced Tim as developer"],
    [["Ana replaced Tim as developer.", "Kim is our developer too."], "Ana replaced Tim as developer"],
    [["Ana replaced Tim as developer.", "Our developer is Kim as well."], "Ana replaced Tim as developer"],
    [["Ana replaced Tim as CTO.", "Kim is another CTO of ours."], "Ana replaced Tim as CTO"],
  ])("%j: is kept where another role may be meant", async (told, expected) => {
    for (const content of told) await add(content);
    expect(await holding()).toContain(expected);
  });
});

describe("a document that corrects something, and is changed afterwards", () => {
  const changed: readonly (readonly [string, string, string, readonly string[]])[] = [
    ["My bank is N26.", "I switched from N26 to Revolut.", "I switched from N26 to Monzo.", ["User's bank is Monzo"]],
    [
      "The project is called Heron.",
      "We renamed Heron to Kestrel.",
      "We renamed Heron to Falcon.",
      ["The project is called Falcon"],
    ],
    [
      "Builds run on Jenkins.",
      "We switched builds from Jenkins to Drone.",
      "We switched builds from Jenkins to Buildkite.",
      ["Builds run on Buildkite"],
    ],
  ];
  const cases = changed.flatMap((one) => (["POST", "PATCH"] as const).map((method) => [method, ...one] as const));

  test.each(cases)("by %s: %s %s then %s leaves %j", async (method, former, correction, instead, expected) => {
    await add(former);
    const sent = { content: correction, containerTag: TAG, customId: "news" };
    const { body } = await rest.send("POST", "/v3/documents", sent);
    await rest.settle();
    await (method === "POST"
      ? rest.send("POST", "/v3/documents", { ...sent, content: instead })
      : rest.send("PATCH", `/v3/documents/${body.id}`, { content: instead }));
    await rest.settle();
    const texts = await holding();
    expect(texts.filter((text) => !/switched|renamed|like/.test(text))).toEqual(expected);
    expect(texts.filter((text) => /Revolut|Kestrel|Drone/.test(text))).toEqual([]);
  });

  test("is undone in one step", async () => {
    await add("My bank is N26.");
    const sent = { content: "I switched from N26 to Revolut.", containerTag: TAG, customId: "news" };
    await rest.send("POST", "/v3/documents", sent);
    await rest.settle();
    await rest.send("POST", "/v3/documents", { ...sent, content: "I switched from N26 to Monzo." });
    await rest.settle();
    const { body } = await rest.send("GET", `/v3/journal?containerTag=${TAG}`);
    expect((await rest.send("POST", `/v3/journal/${body.entries[0].batchId}/undo`)).status).toBe(200);
    await rest.settle();
    expect((await holding()).toSorted()).toEqual(["User switched from N26 to Revolut", "User's bank is Revolut"]);
  });
});

describe("forgetting what a correction says", () => {
  const tellKey = async () => {
    await add("The deploy key is abcd-1111.");
    await add("We changed the deploy key from abcd-1111 to efgh-2222. My bank is N26.");
    expect((await holding()).toSorted()).toEqual([
      "The deploy key is efgh-2222",
      "User changed the deploy key from abcd-1111 to efgh-2222",
      "User's bank is N26",
    ]);
  };
  const correction = [{ id: expect.any(String), memory: "User changed the deploy key from abcd-1111 to efgh-2222" }];

  test("names the other memory that still says it, and forgets only what was named", async () => {
    await tellKey();
    const { body } = await rest.send("DELETE", "/v4/memories", {
      content: "The deploy key is efgh-2222",
      containerTag: TAG,
    });
    expect(body.saidBy).toEqual(correction);
    expect((await holding()).toSorted()).toEqual([correction[0]?.memory, "User's bank is N26"]);
    const other = await rest.send("DELETE", "/v4/memories", { id: body.saidBy[0].id, containerTag: TAG });
    expect(other.body).not.toHaveProperty("saidBy");
    expect(await holding()).toEqual(["User's bank is N26"]);
  });

  test("names it by its query too, before and after", async () => {
    await tellKey();
    const wish = { query: "The deploy key is efgh-2222", containerTag: TAG };
    for (const dryRun of [true, false]) {
      const { body } = await rest.send("POST", "/v4/memories/forget-matching", { ...wish, dryRun });
      expect(body).toMatchObject({ count: 1, saidBy: correction });
    }
  });

  test("names no memory of other words", async () => {
    await tellKey();
    const { body } = await rest.send("DELETE", "/v4/memories", { content: "User's bank is N26", containerTag: TAG });
    expect(body).not.toHaveProperty("saidBy");
  });
});
