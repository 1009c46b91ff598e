import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createMcpFactory } from "../../src/transports/mcp/server.js";
import { connectInMemory } from "../support/mcp-client.js";
import { silentLog } from "../support/open-core.js";
import { openRest, type OpenedRest } from "../support/rest.js";

/** Forgotten, superseded and expired statements do not reappear in passages of documents, in any kind of search. */
let rest: OpenedRest;

beforeEach(async () => {
  rest = await openRest({ asOwner: true });
});
afterEach(() => rest.close());

const TAG = "boris";
const LIVES = "where does Boris live";
const PLAYS = "which instrument does Boris play";
const WORKS = "where does Boris work";

async function add(content: string, more: Record<string, unknown> = {}): Promise<string> {
  const { body } = await rest.send("POST", "/v3/documents", { content, containerTag: TAG, ...more });
  await rest.settle();
  return body.id;
}

interface Hit {
  readonly id: string;
  readonly memory?: string;
  readonly chunk?: string;
  readonly isForgotten?: true;
  readonly isLatest?: false;
}

async function search(q: string, more: Record<string, unknown> = {}): Promise<readonly Hit[]> {
  const { body } = await rest.send("POST", "/v4/search", { q, containerTag: TAG, searchMode: "hybrid", ...more });
  return body.results;
}

async function memoryOf(text: string): Promise<string> {
  const found = await search(text, { searchMode: "memories" });
  const memory = found.find((one) => one.memory === text);
  if (!memory) throw new Error(`No memory says ${text}`);
  return memory.id;
}

async function forget(text: string): Promise<void> {
  const { status } = await rest.send("DELETE", "/v4/memories", { id: await memoryOf(text), containerTag: TAG });
  expect(status).toBe(200);
}

async function undoLast(): Promise<void> {
  const { body } = await rest.send("GET", `/v3/journal?containerTag=${TAG}`);
  const { status } = await rest.send("POST", `/v3/journal/${body.entries[0].batchId}/undo`);
  expect(status).toBe(200);
  await rest.settle();
}

const WAYS: Readonly<Record<string, (q: string) => Promise<unknown>>> = {
  hybrid: (q) => search(q, { threshold: 0 }),
  documents: (q) => search(q, { searchMode: "documents", threshold: 0 }),
  reranked: (q) => search(q, { rerank: true, rewriteQuery: true, threshold: 0 }),
  "chunks of memories": (q) => search(q, { include: { chunks: true }, threshold: 0 }),
  neighbours: (q) => search(q, { onlyMatchingChunks: false, threshold: 0 }),
  v3: async (q) => (await rest.send("POST", "/v3/search", { q, containerTags: [TAG], onlyMatchingChunks: false })).body,
  profile: async (q) => (await rest.send("POST", "/v4/profile", { q, containerTag: TAG, threshold: 0 })).body,
  "MCP search": async (query) => {
    const session = () => Promise.resolve({ core: rest.core, actor: rest.actor });
    const mcp = await connectInMemory(
      "v2 auto",
      createMcpFactory({ principal: () => ({ session, defaultContainer: TAG }), log: silentLog, version: "0.0.0" }),
    );
    const { texts } = await mcp.call("search", { query });
    await mcp.close();
    return texts;
  },
};

/** Checks that the results of every kind of search contain these words, or do not. */
async function expectAnswers(q: string, { has, lacks }: { has?: string; lacks?: string }): Promise<void> {
  for (const [way, ask] of Object.entries(WAYS)) {
    const answer = JSON.stringify(await ask(q));
    if (has !== undefined) expect(answer, way).toContain(has);
    if (lacks !== undefined) expect(answer, way).not.toContain(lacks);
  }
}

describe("in every kind of search", () => {
  test("a passage disappears with its forgotten statement, and returns when that is undone", async () => {
    await add("Boris lives in Ghent.");
    await expectAnswers(LIVES, { has: "Ghent" });
    await forget("Boris lives in Ghent");
    await expectAnswers(LIVES, { lacks: "Ghent" });
    await undoLast();
    await expectAnswers(LIVES, { has: "Ghent" });
  });

  test("a passage is found by what it still states, and not by what was forgotten", async () => {
    await add("Boris lives in Ghent. Boris plays the cello.", { title: "About Boris" });
    await forget("Boris lives in Ghent");
    await expectAnswers(PLAYS, { has: "cello", lacks: "Ghent" });
    await expectAnswers(LIVES, { lacks: "Ghent" });
    expect(await passages(LIVES)).toEqual([]);
    expect(await passages(PLAYS)).toEqual(["[…] Boris plays the cello."]);
    await forget("Boris plays the cello");
    await expectAnswers(PLAYS, { lacks: "cello" });
  });

  test("a superseded statement disappears, and returns when the newer one is undone", async () => {
    await add("Boris works at Siemens.");
    await add("Boris now works at Bosch.");
    await expectAnswers(WORKS, { has: "Bosch", lacks: "Siemens" });
    await undoLast();
    await expectAnswers(WORKS, { has: "Siemens", lacks: "Bosch" });
  });
});

const passages = async (q: string, more: Record<string, unknown> = {}) =>
  (await search(q, { searchMode: "documents", threshold: 0, ...more })).map(({ chunk }) => chunk);

async function change(text: string, fields: Record<string, unknown>): Promise<void> {
  const body = { id: await memoryOf(text), containerTag: TAG, newContent: text, ...fields };
  expect((await rest.send("PATCH", "/v4/memories", body)).status).toBe(200);
  await rest.settle();
}

describe("a passage", () => {
  test("disappears when its statement expires, and stays when only metadata changed", async () => {
    await add("user: I live in Rome.");
    await change("User lives in Rome", { metadata: { city: "Rome" } });
    expect(await passages("where does the user live")).toEqual(["user: I live in Rome."]);
    await change("User lives in Rome", { forgetAfter: new Date(Date.now() + 700).toISOString() });
    expect(await passages("where does the user live")).toEqual(["user: I live in Rome."]);
    await new Promise((resolve) => setTimeout(resolve, 800));
    expect(await passages("where does the user live")).toEqual([]);
  });

  test("disappears when its statement is corrected", async () => {
    await add("Boris lives in Ghent.", { title: "About Boris" });
    await change("Boris lives in Ghent", { newContent: "Boris lives in Antwerp" });
    await expectAnswers(LIVES, { lacks: "Ghent" });
  });

  test("keeps the remaining statement of a sentence that states two things", async () => {
    await add("user: I live in Rome and I play the tuba.\nassistant: How nice!");
    await forget("User lives in Rome");
    expect((await passages("which instrument does the user play"))[0]).toBe("User: […] User plays the tuba");
    expect((await passages("where does the user live")).join()).not.toMatch(/Rome|tuba/);
  });

  const PETS = "Hal keeps a dog named Rex, and the cat comes from Tom.";

  test.each(["all", "the first half"])("keeps the rest of a sentence of which %s is quoted", async (part) => {
    const fact = { text: "Hal keeps a dog named Rex", quote: part === "all" ? PETS : "Hal keeps a dog named Rex" };
    await add(`${PETS} The sun is out.`, { title: "About Hal", facts: [fact] });
    await forget("Hal keeps a dog named Rex");
    expect(await passages("who does the cat come from")).toEqual(["[…] and the cat comes from Tom. The sun is out."]);
    await expectAnswers("what is the dog called", { lacks: "Rex" });
  });

  test("omits a sentence whose statements were all forgotten", async () => {
    await add("user: I live in Rome and I play the tuba. The sun is out.");
    await forget("User lives in Rome");
    await forget("User plays the tuba");
    expect(JSON.stringify(await passages("sun"))).not.toMatch(/Rome|tuba/);
  });

  test("keeps the cat where the dog has died", async () => {
    await add("Hal has a dog named Rex and a cat named Tom.", { title: "About Hal" });
    await add("Rex died.");
    await expectAnswers("cat named Tom", { has: "cat named Tom", lacks: "dog named Rex" });
  });

  test("keeps the person met at a place that the subject left", async () => {
    await add("Ben works at Acme, where he met his wife Ida.", { title: "About Ben" });
    await add("Ben quit.");
    await expectAnswers("wife Ida", { has: "wife Ida", lacks: "works at Acme" });
  });

  test("loses the whole sentence of a partly quoted statement, and no text that merely contains its words", async () => {
    await add("Boris, as far as I know, is vegan since May. Veganism is cheap.", {
      title: "About Boris",
      facts: [{ text: "Boris is vegan", quote: "is vegan" }],
    });
    await forget("Boris is vegan");
    expect(await passages("is veganism cheap")).toEqual(["[…] Veganism is cheap."]);
  });

  test("stays findable by its subject when only the forgotten sentence names it", async () => {
    await add("Boris lives in Ghent. He plays the cello every Sunday.");
    await forget("Boris lives in Ghent");
    expect(await passages(PLAYS, { threshold: 0.5 })).toEqual(["[…] He plays the cello every Sunday."]);
  });

  test("stays when its document merely stops forming memories", async () => {
    const id = await add("Boris lives in Ghent.");
    await rest.send("PATCH", `/v3/documents/${id}`, { taskType: "superrag" });
    await rest.settle();
    expect(await passages(LIVES)).toEqual(["Boris lives in Ghent."]);
  });

  test("disappears only in the container where its statement was forgotten", async () => {
    const id = await add("Boris lives in Ghent.");
    await rest.send("PATCH", `/v3/documents/${id}`, { containerTags: [TAG, "friends"] });
    await rest.settle();
    await forget("Boris lives in Ghent");
    expect(await passages(LIVES)).toEqual([]);
    expect(await passages(LIVES, { containerTag: "friends" })).toEqual(["Boris lives in Ghent."]);
  });
});

describe("with forgotten memories included", () => {
  const everything = { include: { forgottenMemories: true }, threshold: 0.5 };
  const marked = async (q: string, more: Record<string, unknown> = {}) =>
    (await search(q, { ...everything, ...more })).map(({ memory, chunk, isForgotten, isLatest }) => [
      memory ?? chunk,
      ...(isForgotten === undefined ? [] : ["forgotten"]),
      ...(isLatest === undefined ? [] : ["replaced"]),
    ]);

  test("forgotten memories and passages are marked where they match the question", async () => {
    await add("Boris lives in Ghent. Boris plays the cello.");
    await forget("Boris lives in Ghent");
    const whole = "Boris lives in Ghent. Boris plays the cello.";
    expect(await marked(LIVES)).toEqual(
      expect.arrayContaining([
        ["Boris lives in Ghent", "forgotten"],
        [whole, "forgotten"],
      ]),
    );
    expect(await marked(PLAYS)).toEqual(expect.arrayContaining([["Boris plays the cello"], [whole]]));
  });

  test("a superseded passage is marked as replaced", async () => {
    await add("Boris works at Siemens.");
    await add("Boris now works at Bosch.");
    expect(await marked(WORKS)).toEqual([["Boris now works at Bosch"], ["Boris works at Siemens.", "replaced"]]);
  });
});
