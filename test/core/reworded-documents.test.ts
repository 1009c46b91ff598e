import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { Core } from "../../src/core/index.js";
import type { Repositories } from "../../src/core/ports.js";
import { type ManualCore, openManualCore } from "../support/manual-core.js";
import { withMethods } from "../support/with-methods.js";

let opened: ManualCore;
let core: Core;
beforeEach(async () => {
  opened = await openManualCore();
  core = opened.core;
});
afterEach(() => opened.close());

const call = () => opened.call();

async function add(content: string, more: Record<string, unknown> = {}) {
  opened.clock.advance(86_400_000);
  await core.addDocument(call(), { content, customId: "note", containerTags: ["a"], ...more });
  await opened.settle();
  return (await core.getDocument(call(), { id: "note" })).document.receipt ?? [];
}

async function known(): Promise<string[]> {
  const { entries } = await core.listMemories(call(), { containerTags: ["a"], limit: 100 });
  return entries.map(({ memory }) => memory.text).sort();
}

async function undoLast(): Promise<void> {
  const { items } = await core.listJournal(call(), { limit: 100 });
  const batchId = items.find(({ subject }) => subject === "memory")?.batchId;
  await core.undoBatch(call(), { batchId });
}

const NOTE = "# Boris\nBoris drives a Fiat.\nBoris plays the oboe in an orchestra.";

describe("a document added again with a word of a sentence changed", () => {
  test("updates the fact that only its old text stated, and can be undone", async () => {
    const [fiat] = await add(NOTE);
    const receipt = await add(NOTE.replace("Fiat", "Skoda"));
    expect(receipt).toMatchObject([{ text: "Boris drives a Skoda", outcome: "updated", replaced: fiat?.id }]);
    expect(await known()).toEqual(["Boris drives a Skoda", "Boris plays the oboe in an orchestra"]);
    await undoLast();
    expect(await known()).toEqual(["Boris drives a Fiat", "Boris plays the oboe in an orchestra"]);
  });

  test("updates its fact even if that sentence is all it says, repeatedly", async () => {
    for (const car of ["Fiat", "Skoda", "Tesla"]) await add(`Boris drives a ${car}.`);
    const { entries } = await core.listMemories(call(), { containerTags: ["a"], limit: 100 });
    expect(entries).toMatchObject([
      {
        memory: { text: "Boris drives a Tesla", version: 3 },
        history: [{ text: "Boris drives a Skoda" }, { text: "Boris drives a Fiat" }],
      },
    ]);
  });

  test("updates the fact when changed by PATCH, too, and can be undone", async () => {
    await add(NOTE);
    await core.updateDocument(call(), { id: "note", content: NOTE.replace("Fiat", "Skoda") });
    await opened.settle();
    expect(await known()).toEqual(["Boris drives a Skoda", "Boris plays the oboe in an orchestra"]);
    const { items } = await core.listJournal(call(), { limit: 100 });
    const forgotten = items.find(({ action }) => action === "memory.forgotten")?.batchId;
    await core.undoBatch(call(), { batchId: forgotten });
    expect(await known()).toContain("Boris drives a Fiat");
  });

  test("forgets what else the old sentence said, once the new one says something", async () => {
    await add("Boris drives a Fiat and works at Siemens.");
    await add("Boris drives a Fiat and lives in Ghent.");
    expect(await known()).toEqual(["Boris drives a Fiat", "Boris lives in Ghent"]);
    await undoLast();
    expect(await known()).toEqual(["Boris drives a Fiat", "Boris works at Siemens"]);
  });

  test("is remembered only in its second version if the first was not yet read", async () => {
    await opened.close();
    opened = await openManualCore({ jobs: false });
    ({ core } = opened);
    for (const car of ["Fiat", "Skoda"])
      await core.addDocument(call(), { content: `Boris drives a ${car}.`, customId: "note", containerTags: ["a"] });
    const again = await openManualCore({ dataDirectory: opened.dataDirectory });
    try {
      await again.settle();
      const { memories } = await again.core.getDocument(again.call(), { id: "note" });
      expect(memories.map(({ text }) => text)).toEqual(["Boris drives a Skoda"]);
    } finally {
      await again.close();
    }
  });
});

describe("changing a document keeps", () => {
  test("what another document also states", async () => {
    await add(NOTE);
    await add("Boris drives a Fiat. So it is.", { customId: "other" });
    await add(NOTE.replace("Fiat", "Skoda"));
    expect(await known()).toContain("Boris drives a Fiat");
  });

  test("what a person has written, whatever happens to the document", async () => {
    const [fiat] = await add(NOTE);
    await core.updateMemory(call(), { containerTag: "a", id: fiat?.id, newContent: "Boris drives a red Fiat" });
    await add(NOTE.replace("Fiat", "Skoda"));
    expect(await known()).toContain("Boris drives a red Fiat");
  });

  test("what an unrelated new text does not mention", async () => {
    await add("Boris drives a Fiat.");
    await add("Boris plays the oboe in an orchestra.");
    expect(await known()).toEqual(["Boris drives a Fiat", "Boris plays the oboe in an orchestra"]);
  });

  test("what was only left out", async () => {
    await add(NOTE);
    await add(NOTE.replace("Boris drives a Fiat.\n", ""));
    expect(await known()).toContain("Boris drives a Fiat");
  });

  test("what was said earlier in a conversation", async () => {
    await add("User: I like tea.\nAssistant: Nice!");
    await add("User: I like dogs.\nAssistant: Nice!");
    expect(await known()).toEqual(["User likes dogs", "User likes tea"]);
  });

  test("what the user said, whatever a web page says", async () => {
    await add(NOTE);
    await add("Boris sold the Fiat.", { customId: "page", origin: "web" });
    await add(NOTE.replace("Fiat", "Skoda"), { origin: "web" });
    expect(await known()).toContain("Boris drives a Fiat");
    const waiting = await core.listInferred(call(), { containerTag: "a" });
    expect(waiting.map(({ memory }) => memory.metadata?.["flagged"])).toContainEqual([
      "would replace what the user stated",
    ]);
  });

  test("what exceeds the limit of replacements per document", async () => {
    await opened.close();
    opened = await openManualCore({ limits: { maxSuperseded: 1 } });
    ({ core } = opened);
    const cars = ["Boris drives a Fiat.", "Mia drives a Fiat.", "Tom drives a Fiat."].join("\n");
    await add(cars);
    await add(cars.replaceAll("Fiat", "Skoda"));
    expect((await known()).filter((text) => text.endsWith("Fiat"))).toHaveLength(2);
  });
});

describe("unchanged sentences beside a changed one", () => {
  const LINE = "Boris works at Siemens. Boris likes green tea. The canal is long.";
  const edits = [
    ["added again", (content: string) => add(content)],
    [
      "patched",
      async (content: string) => {
        await core.updateDocument(call(), { id: "note", content });
        await opened.settle();
      },
    ],
  ] as const;

  describe.each(edits)("when the document is %s", (_how, edit) => {
    test("do not revert what was said since", async () => {
      await add(LINE);
      await add("Boris now works at Bosch.", { customId: "news" });
      await edit(LINE.replace("long", "short"));
      expect(await known()).toEqual(["Boris likes green tea", "Boris now works at Bosch"]);
    });

    test.each([
      ["on one line", LINE],
      [
        "on wrapped lines",
        "Boris works at Siemens since he moved from Bruges to Ghent. Boris likes\ngreen tea. The canal is long.",
      ],
    ])("%s, do not restore what was forgotten", async (_where, content) => {
      await add(content);
      const { entries } = await core.listMemories(call(), { containerTags: ["a"] });
      for (const { memory } of entries) await core.forgetOne(call(), { id: memory.id, containerTag: "a" });
      await edit(content.replace("Boris works at", "Boris is with").replace("long.", "short. Mia drives a Fiat."));
      const { results } = await core.search(call(), {
        q: "Boris green tea",
        containerTags: ["a"],
        threshold: 0,
        searchMode: "hybrid",
      });
      expect(results.map(({ text }) => text).join("\n")).not.toContain("green");
      expect(await known()).toContain("Mia drives a Fiat");
    });
  });

  test("tell who is meant in the new one", async () => {
    await add("Ada keeps bees. She lives in Rome.");
    await add("Ada keeps bees. She lives in Paris.");
    expect(await known()).toEqual(["Ada keeps bees", "Ada lives in Paris"]);
  });

  test("are not added to a memory stored word for word", async () => {
    await add("Blue for Tom. Red for Mia.", { rememberAsIs: true });
    await add("Blue for Tom. Green for Mia.", { rememberAsIs: true });
    expect(await known()).toContain("Green for Mia.");
  });
});

describe("a document with many changed sentences", () => {
  /** How often statements of memories were read in the transactions of some work. */
  async function statementsRead(work: () => Promise<unknown>): Promise<number> {
    const { background } = opened.store;
    const transaction = background.transaction.bind(background);
    let count = 0;
    const counting = (repositories: Repositories): Repositories => ({
      ...repositories,
      memories: withMethods(repositories.memories, {
        statements: (...asked) => {
          count += 1;
          return repositories.memories.statements(...asked);
        },
      }),
    });
    const spy = vi
      .spyOn(background, "transaction")
      .mockImplementation((inside) => transaction((repositories) => inside(counting(repositories))));
    await work();
    spy.mockRestore();
    return count;
  }

  const people = (count: number, car: string) =>
    ["Ada", "Bo", "Cy", "Di", "Ed", "Flo", "Gus", "Hal", "Ivy", "Jo", "Kim", "Lea"]
      .slice(0, count)
      .map((name) => `${name} drives a ${car}.`)
      .join("\n");

  test("reads its earlier statements once for all of them", async () => {
    await add(people(12, "Fiat"));
    const few = await statementsRead(() => add(people(12, "Fiat").replace("Ada drives a Fiat", "Ada drives a Skoda")));
    const many = await statementsRead(() => add(people(12, "Tesla")));
    expect(few).toBeGreaterThan(0);
    expect(many).toBe(few);
    expect(await known()).toContain("Jo drives a Tesla");
  });
});
