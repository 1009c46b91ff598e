import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openRest, type OpenedRest } from "../support/rest.js";

let rest: OpenedRest;
const ids: string[] = [];

beforeAll(async () => {
  rest = await openRest();
  const add = async (fields: Record<string, unknown>) => {
    ids.push((await rest.send("POST", "/v3/documents", fields)).body.id as string);
    // Documents of the same millisecond are ordered by id.
    await new Promise((resolve) => setTimeout(resolve, 3));
  };
  await add({ content: "Zero.", containerTags: ["l:a"], metadata: { n: 0, sm_source: "gmail" }, filepath: "/x/0.md" });
  await add({ content: "One.", containerTags: ["l:b"], metadata: { n: 1 }, filepath: "/x/1.md" });
  await add({
    content: "Two.",
    containerTags: ["l:a", "l:b"],
    metadata: { n: 2, sm_source: "notion" },
    filepath: "/y/2.md",
  });
  await add({ content: "Three.", containerTags: ["l:c"] });
  await rest.settle();
});
afterAll(() => rest.close());

const get = (query: string) => rest.send("GET", `/v3/documents${query}`);
/** The documents that a query lists, by number. */
const numbers = async (query: string) => {
  const { status, body } = await get(query);
  expect(status).toBe(200);
  return body.memories.map(({ id }: { id: string }) => ids.indexOf(id)) as number[];
};

describe("GET /v3/documents", () => {
  const filters = encodeURIComponent('{"AND":[{"key":"n","value":"1","filterType":"numeric","numericOperator":">="}]}');
  test.each<[query: string, expected: number[]]>([
    ["", [3, 2, 1, 0]],
    ["?sort=createdAt&order=asc", [0, 1, 2, 3]],
    ["?sort=updatedAt&order=asc&containerTag=l:c", [3]],
    ["?containerTag=l:a", [2, 0]],
    ["?containerTag=l:a&containerTag=l:b", [2, 1, 0]],
    ["?containerTags=l:a,l:b", [2, 1, 0]],
    ["?containerTags=l:a&containerTags=l:b", [2, 1, 0]],
    ["?containerTags=l%3Aa%2C%20l%3Ab,", [2, 1, 0]],
    ["?containerTag=l:a&containerTags=l:c", [3, 2, 0]],
    ["?containerTags=l:a,l:b&operator=AND", [2]],
    ["?containerTags=l:a,l:b&operator=or", [2, 1, 0]],
    ["?status=done", [3, 2, 1, 0]],
    ["?status=failed", []],
    ["?source=gmail", [0]],
    ["?provider=notion", [2]],
    ["?provider=notion&source=gmail", []],
    ["?provider=notion&source=notion", [2]],
    ["?provider=github", []],
    ["?filepath=/x/", [1, 0]],
    ["?filepath=/x/1.md", [1]],
    ["?filepath=/x", []],
    [`?filters=${filters}`, [2, 1]],
    [`?filters=${filters}&containerTag=l:a`, [2]],
    ["?limit=1", [3]],
    ["?limit=1&page=2", [2]],
    ["?limit=3&page=2", [0]],
    ["?limit=3&page=3", []],
    ["?page=1000000000", []],
    ["?containerTag=l:nobody", []],
    ["?unknown=ignored", [3, 2, 1, 0]],
  ])("%s", async (query, expected) => {
    expect(await numbers(query)).toEqual(expected);
  });

  test("returns the same as the list endpoint with a body", async () => {
    const query = await get("?containerTags=l:a,l:b&includeContent=true&limit=2");
    const body = await rest.send("POST", "/v3/documents/list", {
      containerTags: ["l:a", "l:b"],
      includeContent: true,
      limit: 2,
    });
    expect(query.body).toEqual(body.body);
    expect(query.body.memories[0].content).toBe("Two.");
    expect(query.body.pagination).toEqual({ currentPage: 1, limit: 2, totalItems: 3, totalPages: 2 });
  });

  test("includes the text only on request", async () => {
    for (const query of ["?includeContent=false", "?includeContent=0", ""])
      expect((await get(query)).body.memories[0]).not.toHaveProperty("content");
    for (const query of ["?includeContent=true", "?includeContent=1", "?includeContent"])
      expect((await get(query)).body.memories[0]).toHaveProperty("content", "Three.");
  });

  test("returns no pages when nothing matches", async () => {
    expect((await get("?containerTag=l:nobody&page=7")).body).toEqual({
      memories: [],
      pagination: { currentPage: 7, limit: 10, totalItems: 0, totalPages: 0 },
    });
  });

  test.each<[query: string, words: RegExp]>([
    ["?limit=0", /limit: must be a whole number from 1 to 1100/],
    ["?limit=1101", /limit: must be a whole number from 1 to 1100/],
    ["?limit=ten", /limit: must be a whole number/],
    ["?limit=", /limit: must be a whole number/],
    ["?limit=1&limit=2", /limit: must be given once/],
    ["?page=-1", /page: must be a whole number/],
    ["?page=1.5", /page: must be a whole number/],
    ["?order=up", /order: /],
    ["?sort=title", /sort: /],
    ["?operator=xor", /operator: must be AND or OR/],
    ["?status=lost", /status: /],
    ["?includeContent=maybe", /includeContent: must be true or false/],
    ["?containerTag=a%20b", /containerTag.0: must contain only/],
    ["?containerTags=a,b%20c", /containerTags.1: must contain only/],
    ["?filters={", /filters/],
    ["?filters=[]", /filters/],
    ["?filepath=", /filepath: must not be empty/],
    [`?source=${"x".repeat(256)}`, /source: /],
  ])("%s is refused with field and rule", async (query, words) => {
    const { status, body } = await get(query);
    expect(status).toBe(400);
    expect(body.error).toMatch(words);
  });

  test("the older path works as well", async () => {
    expect((await rest.send("GET", "/v3/memories?containerTag=l:c")).body.pagination.totalItems).toBe(1);
  });
});

describe("GET /v3/documents/{id}/chunks", () => {
  test("returns the chunks in order, with the position under both its names", async () => {
    const { status, body } = await rest.send("GET", `/v3/documents/${ids[0]}/chunks`);
    expect(status).toBe(200);
    expect(body).toEqual({
      documentId: ids[0],
      chunks: [
        {
          id: expect.stringMatching(/^\w{22}$/),
          position: 0,
          index: 0,
          content: "Zero.",
          type: "text",
          metadata: null,
          createdAt: expect.stringMatching(/Z$/),
        },
      ],
      total: 1,
    });
    expect((await rest.send("GET", `/v3/memories/${ids[0]}/chunks`)).body).toEqual(body);
  });

  test("answers 404 for an unknown document", async () => {
    const { status, body } = await rest.send("GET", "/v3/documents/nobody/chunks");
    expect(status).toBe(404);
    expect(body.error).toBe("Document not found: nobody");
  });
});
