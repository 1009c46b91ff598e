import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openRest, type OpenedRest } from "../support/rest.js";

let rest: OpenedRest;
let launch: string;

const TEXT = "Lena moved the launch of the rocket to May. The crew wanted a calm sea for the recovery.";
const PARAGRAPHS = ["bees", "trains", "rivers", "engines"].map((subject) =>
  `A paragraph about ${subject}. `.repeat(60).trim(),
);

beforeAll(async () => {
  rest = await openRest();
  const add = async (body: Record<string, unknown>) =>
    (await rest.send("POST", "/v3/documents", { taskType: "superrag", ...body }, { prefer: "wait=30" })).body
      .id as string;
  launch = await add({
    content: TEXT,
    title: "Launch",
    containerTag: "acct:9",
    customId: "plans/launch",
    metadata: { team: "core", sm_scope: "plan" },
    filepath: "/plans/launch.md",
  });
  await add({ content: "The rocket stands in the hall.", containerTag: "acct:9" });
  await add({ content: PARAGRAPHS.join("\n\n"), containerTag: "long" });
});
afterAll(() => rest.close());

type Result = Record<string, any>;
const search = async (body: Record<string, unknown>) => {
  const answer = await rest.send("POST", "/v3/search", { q: "launch of the rocket", ...body });
  expect(answer.status).toBe(200);
  return answer.body as { results: Result[]; total: number; timing: number };
};

describe("POST /v3/search", () => {
  test("returns documents and their matching chunks", async () => {
    const { results, total, timing } = await search({ containerTag: "acct:9" });
    expect(total).toBe(2);
    expect(timing).toBeGreaterThanOrEqual(0);
    expect(results[0]).toEqual({
      documentId: launch,
      title: "Launch",
      type: "text",
      score: expect.any(Number),
      metadata: { team: "core", sm_scope: "plan" },
      createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
      updatedAt: expect.stringMatching(/^\d{4}-.*Z$/),
      chunks: [{ content: TEXT, isRelevant: true, position: 0, score: results[0]?.["score"] }],
    });
    expect(results[1]).toMatchObject({ metadata: null, chunks: [{ content: "The rocket stands in the hall." }] });
  });

  test("combines both spellings of tags; an unknown tag is empty", async () => {
    expect((await search({ containerTag: "none", containerTags: ["acct:9"] })).total).toBe(2);
    expect(await search({ containerTag: "none" })).toMatchObject({ results: [], total: 0 });
    expect((await search({})).total).toBeGreaterThan(2);
  });

  test("includes the text and the summary on request", async () => {
    const [result] = (await search({ docId: launch, includeFullDocs: true, includeSummary: true })).results;
    expect(result).toMatchObject({ content: TEXT, summary: null });
  });

  test("docId searches one document, by id or customId; an unknown one answers 404", async () => {
    for (const docId of [launch, "plans/launch"])
      expect((await search({ docId })).results.map(({ documentId }) => documentId)).toEqual([launch]);
    const unknown = await rest.send("POST", "/v3/search", { q: "x", docId: "plans/none" });
    expect(unknown.status).toBe(404);
    expect(unknown.body.message).toBe("Document not found: plans/none");
  });

  test("filters, also on keys that start with sm_, and filepath narrow the results", async () => {
    const filters = { AND: [{ key: "sm_scope", value: "plan" }] };
    for (const form of [filters, JSON.stringify(filters)])
      expect((await search({ filters: form })).results.map(({ documentId }) => documentId)).toEqual([launch]);
    expect((await search({ filepath: "/plans/" })).total).toBe(1);
    expect((await search({ filepath: "/plans" })).total).toBe(0);
  });

  test("onlyMatchingChunks false adds the neighbouring chunks, in text order", async () => {
    const q = "a paragraph about trains";
    const [result] = (await search({ q, containerTag: "long", onlyMatchingChunks: false, chunkThreshold: 0.7 }))
      .results;
    const positions = result?.["chunks"].map(({ position }: Result) => position) as number[];
    expect(positions).toEqual(positions.toSorted((one, other) => one - other));
    expect(new Set(result?.["chunks"].map(({ isRelevant }: Result) => isRelevant))).toEqual(new Set([true, false]));
    for (const { isRelevant, score } of result?.["chunks"] ?? []) expect(score > 0).toBe(isRelevant);
    const [only] = (await search({ q, containerTag: "long", chunkThreshold: 0.7 })).results;
    const relevant = only?.["chunks"].map(({ isRelevant }: Result) => isRelevant);
    expect(new Set(relevant)).toEqual(new Set([true]));
  });

  test("a star returns every document of the containers, the last changed first", async () => {
    const { results, total } = await search({ q: "*", containerTag: "acct:9", limit: 100 });
    expect(total).toBe(2);
    expect(results.map(({ score }) => score)).toEqual([1, 1]);
    const updates = results.map(({ updatedAt }) => updatedAt as string);
    expect(updates).toEqual(updates.toSorted().reverse());
  });

  test("parameters of older clients change nothing", async () => {
    const plain = await search({ containerTag: "acct:9" });
    const { results } = await search({
      containerTag: "acct:9",
      documentThreshold: 0,
      categoriesFilter: ["notes"],
      rerank: true,
      rewriteQuery: true,
      onlyMatchingChunks: true,
      unheardOf: 1,
    });
    expect(results).toEqual(plain.results);
  });

  test.each<[Record<string, unknown>, RegExp]>([
    [{ q: "" }, /^q: must not be empty/],
    [{ q: "  " }, /^q: must not be empty/],
    [{ limit: 0 }, /^limit: must be at least 1/],
    [{ limit: 101 }, /^limit: must be at most 100/],
    [{ limit: "10" }, /^limit: must be a number/],
    [{ chunkThreshold: "0.2" }, /^chunkThreshold: must be a number/],
    [{ chunkThreshold: 2 }, /^chunkThreshold: must be at most 1/],
    [{ docId: "x".repeat(256) }, /^docId: must have at most 255 characters/],
    [{ filters: { key: "a", value: "b" } }, /^filters: must be an object with AND or OR/],
    [{ includeFullDocs: "yes" }, /^includeFullDocs: must be true or false/],
    [{ categoriesFilter: "notes" }, /^categoriesFilter: /],
  ])("refuses %j, naming the field", async (change, message) => {
    const { status, body } = await rest.send("POST", "/v3/search", { q: "bees", ...change });
    expect(status).toBe(400);
    expect(body.message).toMatch(message);
  });
});
