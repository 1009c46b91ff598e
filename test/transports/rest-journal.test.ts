import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { restrictTo } from "../support/restricted-rest.js";
import { openRest, type OpenedRest, type RestAnswer } from "../support/rest.js";

let rest: OpenedRest;
beforeAll(async () => {
  rest = await openRest();
});
afterAll(() => rest.close());

const UNKNOWN_ID = "1111111111111111111111";

const journal = (query = "") => rest.send("GET", `/v3/journal${query}`);
const undo = (batchId: string) => rest.send("POST", `/v3/journal/${batchId}/undo`);
const remember = async (containerTag: string, ...contents: string[]): Promise<string[]> => {
  const memories = contents.map((content) => ({ content }));
  const { body } = await rest.send("POST", "/v4/memories", { containerTag, memories });
  return body.memories.map(({ id }: { id: string }) => id);
};
const search = async (containerTag: string, q: string): Promise<string[]> => {
  const { body } = await rest.send("POST", "/v4/search", { q, containerTag, searchMode: "memories", threshold: 0 });
  return body.results.map(({ memory }: { memory: string }) => memory);
};
const newestBatch = async (containerTag: string): Promise<string> =>
  (await journal(`?containerTag=${containerTag}&limit=1`)).body.entries[0].batchId;

describe("GET /v3/journal", () => {
  test("lists who changed what, why, and from what to what, newest first", async () => {
    const [id = ""] = await remember("told", "Ada lives in Rome");
    await rest.send("PATCH", "/v4/memories", { id, containerTag: "told", newContent: "Ada lives in Bonn" });
    const { status, body } = await journal("?containerTag=told");
    expect(status).toBe(200);
    expect(body.pagination).toEqual({ currentPage: 1, limit: 20, totalItems: 2, totalPages: 1 });
    const [updated, added] = body.entries;
    expect(updated).toMatchObject({
      action: "memory.updated",
      actor: "local",
      subject: "memory",
      containerTag: "told",
      before: { id, text: "Ada lives in Rome" },
      after: { text: "Ada lives in Bonn", version: 2 },
    });
    expect(added).toMatchObject({ action: "memory.added", subjectId: id, before: null });
    expect(added.batchId).not.toBe(updated.batchId);
  });

  test("is narrowed by each filter", async () => {
    const [id = ""] = await remember("narrow", "Ada keeps bees");
    const { body } = await journal("?containerTag=narrow");
    const [{ batchId, at }] = body.entries;
    const actions = async (query: string) =>
      (await journal(`?containerTag=narrow&${query}`)).body.entries.map(({ action }: { action: string }) => action);
    for (const query of [`memoryId=${id}`, `batchId=${batchId}`, "action=memory.added", "actor=local", `from=${at}`])
      expect(await actions(query), query).toEqual(["memory.added"]);
    for (const query of [`memoryId=${UNKNOWN_ID}`, `documentId=${UNKNOWN_ID}`, "actor=nobody", `to=${at}`, "page=2"])
      expect(await actions(query), query).toEqual([]);
  });

  test.each([
    ["limit=201", /limit: must be at most 200/],
    ["limit=x", /limit: must be a whole number/],
    ["page=0", /page: must be at least 1/],
    ["from=soon", /from: must be an ISO 8601/],
    ["containerTag=a%20b", /containerTag: must contain only/],
    ["action=a&action=b", /action: must be a string/],
  ])("refuses %s", async (query, message) => {
    const { status, body } = await journal(`?${query}`);
    expect([status, JSON.stringify(body)]).toEqual([400, expect.stringMatching(message)]);
  });
});

describe("POST /v3/journal/{batchId}/undo", () => {
  test("undoes what forget-matching forgot, and can itself be undone", async () => {
    await remember("undo", "Ada keeps bees", "Ada sells honey");
    const matching = { containerTag: "undo", query: "bees honey", threshold: 0 };
    const { body: forgotten } = await rest.send("POST", "/v4/memories/forget-matching", matching);
    expect(await search("undo", "bees honey")).toEqual([]);
    const undone = await undo(forgotten.forgetBatchId);
    expect(undone).toMatchObject({ status: 200, body: { undone: 2, skipped: [] } });
    expect((await search("undo", "bees honey")).toSorted()).toEqual(["Ada keeps bees", "Ada sells honey"]);
    expect(await undo(undone.body.batchId)).toMatchObject({ status: 200, body: { undone: 2 } });
    expect(await search("undo", "bees honey")).toEqual([]);
  });

  test("names what it left unchanged, and why", async () => {
    const [bees = "", honey = ""] = await remember("partly", "Ada keeps bees", "Ada sells honey");
    const batchId = await newestBatch("partly");
    await rest.send("DELETE", "/v4/memories", { id: honey, containerTag: "partly" });
    expect((await undo(batchId)).body).toMatchObject({
      undone: 1,
      skipped: [
        { memoryId: honey, reason: expect.stringMatching(/^it has been changed since \(memory\.forgotten in batch/) },
      ],
    });
    const { body } = await journal(`?memoryId=${bees}&limit=1`);
    expect(body.entries[0]).toMatchObject({ action: "memory.forgotten", cause: `undo of ${batchId}` });
  });

  test("is refused permanently when nothing of the batch can be undone", async () => {
    await remember("twice", "Ada keeps bees");
    const batchId = await newestBatch("twice");
    await undo(batchId);
    const { status, headers, body } = await undo(batchId);
    expect([status, headers.get("x-should-retry")]).toEqual([409, "false"]);
    expect(body.error).toContain(`Nothing of batch ${batchId} can be undone`);
  });

  test.each([UNKNOWN_ID, "x", "%27%3B%20drop"])("answers 404 for the unknown batch %s", async (batchId) => {
    expect((await undo(batchId)).status).toBe(404);
  });

  test("is hidden from keys for other containers, as if the batch did not exist", async () => {
    await remember("hidden", "a secret");
    const batchId = await newestBatch("hidden");
    const send = restrictTo(rest, ["mine"]);
    const refused: RestAnswer = await send("POST", `/v3/journal/${batchId}/undo`);
    expect([refused.status, refused.body.error]).toEqual([404, `Batch not found: ${batchId}`]);
    expect((await send("GET", "/v3/journal")).body.entries).toEqual([]);
    expect((await send("GET", "/v3/journal?containerTag=hidden")).status).toBe(403);
    expect(await search("hidden", "secret")).toEqual(["a secret"]);
  });
});
