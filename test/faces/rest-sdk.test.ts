import Supermemory from "supermemory";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openRest, type OpenedRest } from "../support/rest.js";

/** The official SDK as it is published, pointed at a running service by its base URL and nothing else. */

let rest: OpenedRest;
let client: Supermemory;
let url: string;

beforeAll(async () => {
  rest = await openRest();
  ({ url } = await rest.listen());
  const { secret } = await rest.core.createKey({ actor: rest.actor }, { name: "sdk" });
  client = new Supermemory({ apiKey: secret, baseURL: url });
});
afterAll(() => rest.close());

const CONTENT =
  "Lena moved the launch of the rocket to May. The weather station on the coast had warned of storms all through April.";

describe("documents", () => {
  test("add, then everything that leads back to it", async () => {
    const added = await client.add({
      content: CONTENT,
      containerTag: "user:1",
      customId: "note 1/a",
      metadata: { team: "core" },
    });
    expect(added).toMatchObject({ id: expect.any(String), status: "queued" });
    const document = await client.documents.get(added.id);
    expect(document).toMatchObject({ id: added.id, content: CONTENT, metadata: { team: "core" }, raw: null });
    expect((await client.documents.get("note 1/a")).id).toBe(added.id);
    await rest.settle();
    expect(await client.documents.get(added.id)).toMatchObject({ status: "done", type: "text", taskType: "memory" });
    const { memories, pagination } = await client.documents.list({ containerTags: ["user:1"], limit: "5" });
    expect(memories).toMatchObject([{ id: added.id, status: "done", containerTags: ["user:1"] }]);
    expect(pagination).toMatchObject({ currentPage: 1, totalItems: 1, totalPages: 1 });
  });

  test("add through the documents resource, with a filter over its metadata", async () => {
    const { id } = await client.documents.add({
      content: "Tea is at four.",
      containerTag: "user:2",
      metadata: { floor: 3 },
    });
    const filters = {
      AND: [{ key: "floor", value: "2", filterType: "numeric" as const, numericOperator: ">" as const }],
    };
    expect((await client.documents.list({ filters, includeContent: true })).memories).toMatchObject([
      { id, content: "Tea is at four." },
    ]);
  });

  test("listProcessing shows what is not through", async () => {
    const { id } = await client.add({ content: "In the works.", containerTag: "user:3" });
    const { documents, totalCount } = await client.documents.listProcessing();
    expect(totalCount).toBe(documents.length);
    for (const document of documents) expect(document.status).not.toBe("done");
    await rest.settle();
    expect((await client.documents.listProcessing()).documents.map((document) => document.id)).not.toContain(id);
  });

  test("delete, by id and by customId", async () => {
    const first = await client.add({ content: "Soon gone.", customId: "a:b" });
    await client.documents.delete("a:b");
    await expect(client.documents.get(first.id)).rejects.toBeInstanceOf(Supermemory.NotFoundError);
    await expect(client.documents.delete(first.id)).rejects.toBeInstanceOf(Supermemory.NotFoundError);
  });
});

describe("search and profile", () => {
  test("search finds what was added, in both spellings of the method", async () => {
    const q = "when is the launch of the rocket";
    for (const answer of [
      await client.search({ q, containerTag: "user:1", searchMode: "hybrid" }),
      await client.search.memories({ q, containerTag: "user:1", include: { documents: true, relatedMemories: true } }),
    ]) {
      expect(answer.total).toBe(answer.results.length);
      expect(answer.timing).toEqual(expect.any(Number));
      expect(answer.results.length).toBeGreaterThan(0);
      for (const result of answer.results) {
        expect(result.similarity).toBeGreaterThanOrEqual(0.5);
        expect(result.memory ?? result.chunk).toContain("launch");
      }
    }
  });

  test("include.chunks gives chunks with their score", async () => {
    const { results } = await client.search({
      q: "when is the launch of the rocket",
      containerTag: "user:1",
      include: { chunks: true },
    });
    expect(results[0]?.chunks?.[0]).toMatchObject({ content: CONTENT, position: 0, score: expect.any(Number) });
  });

  test("profile has both lists, and search results for a question", async () => {
    const { profile, searchResults } = await client.profile({ containerTag: "user:1", q: "launch of the rocket" });
    expect([...profile.static, ...profile.dynamic].length).toBeGreaterThan(0);
    expect(searchResults?.total).toBe(searchResults?.results.length);
  });
});

describe("memories", () => {
  test("forget by id and by text; what is forgotten is a conflict that is not tried again", async () => {
    const { memories } = await rest.core.createMemories(
      { actor: rest.actor },
      { containerTag: "user:4", memories: [{ content: "Nora keeps bees" }, { content: "Nora plays the tuba" }] },
    );
    const id = memories[0]?.id ?? "";
    expect(await client.memories.forget({ containerTag: "user:4", id, reason: "moved" })).toEqual({
      id,
      forgotten: true,
    });
    expect(await client.memories.forget({ containerTag: "user:4", content: "Nora plays the tuba" })).toMatchObject({
      forgotten: true,
    });
    let requests = 0;
    const counting = client.withOptions({ fetch: (input, init) => ((requests += 1), fetch(input, init)) });
    const again = counting.memories.forget({ containerTag: "user:4", id });
    await expect(again).rejects.toBeInstanceOf(Supermemory.ConflictError);
    await expect(again).rejects.toThrow("is forgotten already");
    expect(requests).toBe(1);
  });
});

describe("errors", () => {
  test("a wrong key is an authentication error with the reason", async () => {
    const stranger = new Supermemory({ apiKey: "sm_nobody_xxxxxxxxxxxxxxxxxxxx", baseURL: url });
    await expect(stranger.add({ content: "x" })).rejects.toBeInstanceOf(Supermemory.AuthenticationError);
    await expect(stranger.add({ content: "x" })).rejects.toThrow("Invalid or missing API key");
  });

  test("a bad request is one, with the field and the rule", async () => {
    await expect(client.add({ content: "" })).rejects.toBeInstanceOf(Supermemory.BadRequestError);
    await expect(client.add({ content: "" })).rejects.toThrow("content: must not be empty");
  });

  test("a path that is not served is not found, with its name", async () => {
    await expect(client.get("/v3/nothing")).rejects.toBeInstanceOf(Supermemory.NotFoundError);
    await expect(client.get("/v3/nothing")).rejects.toThrow("This server does not serve GET /v3/nothing.");
  });
});

test("the helper for local servers needs no key", async () => {
  const local = await Supermemory.local({ baseURL: url, start: false });
  expect((await local.documents.list({ containerTags: ["user:1"] })).memories).toHaveLength(1);
});
