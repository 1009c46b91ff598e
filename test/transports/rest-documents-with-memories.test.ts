import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { restrictTo } from "../support/restricted-rest.js";
import { openRest, type OpenedRest } from "../support/rest.js";

let rest: OpenedRest;
beforeAll(async () => {
  rest = await openRest();
});
afterAll(() => rest.close());

const ID = expect.stringMatching(/^[1-9A-HJ-NP-Za-km-z]{22}$/) as string;
const TIME = expect.stringMatching(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/) as string;

const add = async (body: Record<string, unknown>): Promise<string> =>
  (await rest.send("POST", "/v3/documents", body, { prefer: "wait=30" })).body.id;
const list = (body?: Record<string, unknown>) => rest.send("POST", "/v3/documents/documents", body);
const byIds = (body: Record<string, unknown>) => rest.send("POST", "/v3/documents/documents/by-ids", body);
const facets = (body?: Record<string, unknown>) => rest.send("POST", "/v3/documents/documents/facets", body);
const idsOf = (answer: { body: { documents: { id: string }[] } }) => answer.body.documents.map(({ id }) => id);

describe("POST /v3/documents/documents", () => {
  test("returns every field that graphs and lists read", async () => {
    const id = await add({
      content: "Lena moved the launch to May.",
      containerTag: "graph:one",
      customId: "graph-one",
      title: "Launch",
      metadata: { team: "core", sm_source: "notes-app" },
      facts: [{ text: "The launch is in May" }],
    });
    const { status, body } = await list({ containerTags: ["graph:one"] });
    expect(status).toBe(200);
    const { organizationId } = rest.actor;
    expect(body).toEqual({
      documents: [
        {
          id,
          customId: "graph-one",
          contentHash: null,
          orgId: organizationId,
          userId: organizationId,
          connectionId: null,
          containerTags: ["graph:one"],
          title: "Launch",
          content: "Lena moved the launch to May.",
          summary: null,
          url: null,
          source: "notes-app",
          type: "text",
          status: "done",
          metadata: { team: "core", sm_source: "notes-app" },
          processingMetadata: null,
          raw: null,
          ogImage: null,
          tokenCount: 8,
          wordCount: 6,
          chunkCount: 1,
          averageChunkSize: 29,
          summaryEmbedding: null,
          summaryEmbeddingModel: null,
          createdAt: TIME,
          updatedAt: TIME,
          memoryEntries: [
            {
              id: ID,
              memory: "The launch is in May",
              spaceId: ID,
              spaceContainerTag: "graph:one",
              orgId: organizationId,
              userId: organizationId,
              version: 1,
              isLatest: true,
              parentMemoryId: null,
              rootMemoryId: null,
              memoryRelations: {},
              sourceCount: 1,
              isInference: false,
              isForgotten: false,
              isStatic: false,
              forgetAfter: null,
              forgetReason: null,
              metadata: null,
              createdAt: TIME,
              updatedAt: TIME,
              sourceAddedAt: TIME,
              sourceRelevanceScore: 100,
              sourceMetadata: null,
            },
          ],
        },
      ],
      pagination: { currentPage: 1, limit: 10, totalItems: 1, totalPages: 1 },
    });
  });

  test("includes superseded and forgotten memories, with their flags and relations", async () => {
    const containerTag = "graph:versions";
    await add({
      content: "Notes.",
      containerTag,
      facts: [{ text: "Lena lives in Rome" }, { text: "Lena keeps bees" }],
    });
    const send = (method: string, body: Record<string, unknown>) =>
      rest.send(method, "/v4/memories", { containerTag, ...body });
    const { body: second } = await send("PATCH", { content: "Lena lives in Rome", newContent: "Lena lives in Bonn" });
    await send("DELETE", { content: "Lena keeps bees", reason: "sold" });
    const { body } = await list({ containerTag });
    expect(body.documents[0].memoryEntries).toMatchObject([
      { memory: "Lena lives in Rome", isLatest: false, isForgotten: false, memoryRelations: {} },
      { memory: "Lena keeps bees", isLatest: true, isForgotten: true, forgetReason: "sold" },
      {
        memory: "Lena lives in Bonn",
        version: 2,
        isLatest: true,
        parentMemoryId: second.parentMemoryId,
        memoryRelations: { [second.parentMemoryId]: "updates" },
      },
    ]);
  });

  test("cuts a long text at 2,000 characters and counts it whole", async () => {
    const containerTag = "graph:long";
    const id = await add({ content: "bee ".repeat(1_000), containerTag, taskType: "superrag" });
    const { body } = await list({ containerTag });
    expect(body.documents[0]).toMatchObject({ id, wordCount: 1_000, tokenCount: 1_000 });
    expect(body.documents[0].content).toBe("bee ".repeat(500));
    expect(body.documents[0].chunkCount).toBeGreaterThan(1);
    expect((await byIds({ ids: [id] })).body.documents[0].content).toBe("bee ".repeat(1_000));
  });

  test("pages in both orders; accepts numbers as text; a page beyond the end is empty", async () => {
    const containerTag = "graph:pages";
    const ids: string[] = [];
    for (let index = 0; index < 3; index++) ids.push(await add({ content: `note ${index}`, containerTag, facts: [] }));
    const newest = ids.toReversed();
    expect(idsOf(await list({ containerTag, limit: "2" }))).toEqual(newest.slice(0, 2));
    expect(idsOf(await list({ containerTag, limit: 2, page: "2" }))).toEqual(newest.slice(2));
    expect(idsOf(await list({ containerTag, order: "asc", sort: "createdAt" }))).toEqual(ids);
    const beyond = await list({ containerTag, page: 9, limit: 1_100 });
    expect(beyond.body).toEqual({
      documents: [],
      pagination: { currentPage: 9, limit: 1_100, totalItems: 3, totalPages: 1 },
    });
    await rest.send("PATCH", `/v3/documents/${ids[0]}`, { title: "changed" });
    expect(idsOf(await list({ containerTag, sort: "updatedAt" }))[0]).toBe(ids[0]);
  });

  test("narrows by source and category; without a body lists everything", async () => {
    const containerTag = "graph:narrow";
    const note = await add({ content: "a note", containerTag, facts: [] });
    const sent = await add({ content: "sent", containerTag, facts: [], metadata: { sm_source: "supermemory-mcp" } });
    const ids = async (body: Record<string, unknown>) => idsOf(await list({ containerTag, ...body }));
    expect(await ids({ categories: ["mcp"] })).toEqual([sent]);
    expect(await ids({ categories: ["notes", "tweet"] })).toEqual([note]);
    expect(await ids({ categories: ["notes", "mcp"] })).toEqual([sent, note]);
    expect(await ids({ sources: ["supermemory-mcp", "elsewhere"] })).toEqual([sent]);
    expect(await ids({ sources: [], categories: [] })).toEqual([sent, note]);
    expect(idsOf(await list())).toContain(note);
  });

  test("works under its older path too", async () => {
    expect(
      (await rest.send("POST", "/v3/memories/documents", { containerTags: ["graph:one"] })).body.documents,
    ).toHaveLength(1);
  });

  test.each<[string, Record<string, unknown>]>([
    ["a page size that is too large", { limit: 1_101 }],
    ["page zero", { page: 0 }],
    ["a page that is not a number", { page: "two" }],
    ["an unknown order", { order: "up" }],
    ["an unknown category", { categories: ["books"] }],
    ["a huge source", { sources: ["x".repeat(256)] }],
    ["an invalid container", { containerTags: ["a b"] }],
    ["containers that are not a list", { containerTags: "a" }],
  ])("%s: answers 400", async (_name, body) => {
    expect((await list(body)).status).toBe(400);
  });
});

describe("POST /v3/documents/documents/by-ids", () => {
  test("returns documents in the order requested, each once, without unknown ones", async () => {
    const containerTag = "by:order";
    const one = await add({ content: "one", containerTag, customId: "by-one", facts: [{ text: "One is one" }] });
    const two = await add({ content: "two", containerTag, customId: "by-two", facts: [] });
    const answer = await byIds({ ids: [two, "1111111111111111111111", one, two] });
    expect(idsOf(answer)).toEqual([two, one]);
    expect(answer.body.pagination).toEqual({ currentPage: 1, limit: 4, totalItems: 2, totalPages: 1 });
    expect(answer.body.documents[1].memoryEntries).toMatchObject([{ memory: "One is one" }]);
    expect(idsOf(await byIds({ ids: ["by-two", "by-one", "by-three"], by: "customId" }))).toEqual([two, one]);
    expect(idsOf(await byIds({ ids: ["by-two"] }))).toEqual([]);
    expect(idsOf(await byIds({ ids: [one, two], containerTags: ["by:elsewhere"] }))).toEqual([]);
    expect((await byIds({ ids: ["by-three"], by: "customId" })).body.pagination).toMatchObject({
      totalItems: 0,
      totalPages: 0,
    });
  });

  test.each<[string, Record<string, unknown>]>([
    ["no ids", {}],
    ["an empty list", { ids: [] }],
    ["too many", { ids: Array.from({ length: 1_101 }, String) }],
    ["an empty id", { ids: [""] }],
    ["an unknown kind of id", { ids: ["x"], by: "title" }],
  ])("%s: answers 400", async (_name, body) => {
    expect((await byIds(body)).status).toBe(400);
  });
});

describe("POST /v3/documents/documents/facets", () => {
  test("counts each document once, with readable labels", async () => {
    const containerTag = "facets";
    await add({ content: "a note", containerTag, facts: [] });
    await add({ content: "another note", containerTag, facts: [] });
    await add({ content: "sent", containerTag, facts: [], metadata: { sm_source: "supermemory-mcp" } });
    const { status, body } = await facets({ containerTags: [containerTag] });
    expect(status).toBe(200);
    expect(body).toEqual({
      facets: [
        { category: "notes", count: 2, label: "Notes" },
        { category: "mcp", count: 1, label: "MCP" },
      ],
      total: 3,
    });
    expect((await facets({ containerTag: "facets:nowhere" })).body).toEqual({ facets: [], total: 0 });
    expect((await facets()).body.total).toBeGreaterThanOrEqual(3);
  });
});

test("a caller with access to some containers sees nothing of the others through any of these", async () => {
  const mine = await add({ content: "my note", containerTag: "graph:mine", facts: [{ text: "mine" }] });
  const theirs = await add({
    content: "secret note",
    containerTag: "graph:theirs",
    customId: "graph-theirs",
    facts: [{ text: "secret fact" }],
  });
  const shared = await add({ content: "shared", containerTags: ["graph:mine", "graph:theirs"], facts: [] });
  await rest.send("POST", "/v4/memories", { containerTag: "graph:theirs", memories: [{ content: "secret memory" }] });
  const send = restrictTo(rest, ["graph:mine"]);
  const path = "/v3/documents/documents";
  const answers = [
    await send("POST", path, {}),
    await send("POST", path, { containerTags: ["graph:mine"], limit: 1_100 }),
    await send("POST", `${path}/by-ids`, { ids: [theirs, mine, shared] }),
    await send("POST", `${path}/by-ids`, { ids: ["graph-theirs"], by: "customId" }),
  ];
  const seen = answers.map((answer) => idsOf(answer));
  expect(seen).toEqual([[shared, mine], [shared, mine], [mine, shared], []]);
  for (const { body } of answers) {
    expect(JSON.stringify(body)).not.toContain("secret");
    expect(JSON.stringify(body)).not.toContain("graph:theirs");
  }
  expect((await send("POST", `${path}/facets`, {})).body.total).toBe(2);
  for (const [suffix, body] of [
    ["", {}],
    ["/by-ids", { ids: [theirs] }],
    ["/facets", {}],
  ] as const)
    expect((await send("POST", `${path}${suffix}`, { ...body, containerTags: ["graph:theirs"] })).status).toBe(403);
});

test("memories of other containers than the requested one are left out", async () => {
  const shared = { containerTags: ["graph:here", "graph:there"], content: "shared", facts: [{ text: "told twice" }] };
  const id = await add(shared);
  const { body } = await list({ containerTags: ["graph:here"] });
  expect(idsOf({ body })).toEqual([id]);
  const tags = body.documents[0].memoryEntries.map((entry: { spaceContainerTag: string }) => entry.spaceContainerTag);
  expect(tags).toEqual(["graph:here"]);
});
