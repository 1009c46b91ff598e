import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createSqliteStore } from "../../src/adapters/store/store.js";
import type { Store } from "../../src/core/ports.js";
import { unitOf } from "../../src/core/types.js";
import { buildMemoryDraft, FIRST_VERSION } from "../support/builders.js";
import { restrictTo } from "../support/restricted-rest.js";
import { openRest, type OpenedRest } from "../support/rest.js";

let rest: OpenedRest;
/** The same store, to write memories that only inference creates. */
let store: Store;
beforeAll(async () => {
  rest = await openRest();
  store = await createSqliteStore({
    dataDirectory: join(rest.dataDirectory),
    maxMegabytes: 0,
    clock: { now: () => new Date() },
  });
});
afterAll(async () => {
  await store.close();
  await rest.close();
});

const UNKNOWN_ID = "1111111111111111111111";
const TIME = expect.stringMatching(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/) as string;

const infer = async (containerTag: string, text: string, parents: readonly string[] = []) => {
  const { organizationId } = store;
  const [container] = await store.containers.ensure(organizationId, [containerTag]);
  const draft = buildMemoryDraft({ containerTag, text, isInference: true, metadata: { team: "core" } });
  const memory = await store.memories.insert(organizationId, draft, FIRST_VERSION);
  const containerIds = [container?.id ?? 0];
  await store.units.indexText({ unit: unitOf("memory", memory.seq), containerIds, text, context: "" });
  for (const parent of parents) await store.memories.relate(organizationId, memory.id, parent, "derives");
  return memory.id;
};
const queue = (containerTag: string) => rest.send("GET", `/v3/container-tags/${containerTag}/inferred`);
const review = (containerTag: string, id: string, body: unknown) =>
  rest.send("POST", `/v3/container-tags/${containerTag}/inferred/${id}/review`, body);
const search = async (containerTag: string, q: string) => {
  const { body } = await rest.send("POST", "/v4/search", { q, containerTag, searchMode: "memories", threshold: 0 });
  return body.results.map((result: { id: string }) => result.id);
};

describe("GET /v3/container-tags/{containerTag}/inferred", () => {
  test("lists inferred memories that await review, the best grounded first", async () => {
    const weak = await infer("queue", "Lena may like tea");
    const strong = await infer("queue", "Lena may like bees", [weak]);
    const { status, body } = await queue("queue");
    expect(status).toBe(200);
    const common = { createdAt: TIME, updatedAt: TIME, metadata: { team: "core" } };
    expect(body).toEqual({
      memories: [
        { ...common, id: strong, memory: "Lena may like bees", parentCount: 1 },
        { ...common, id: weak, memory: "Lena may like tea", parentCount: 0 },
      ],
      total: 2,
    });
  });

  test("is empty for an unknown container", async () => {
    expect(await queue("queue:nowhere")).toMatchObject({ status: 200, body: { memories: [], total: 0 } });
  });

  test("refuses an invalid container tag", async () => {
    expect((await queue("a%20b")).status).toBe(400);
  });
});

describe("POST /v3/container-tags/{containerTag}/inferred/{memoryId}/review", () => {
  test.each([
    ["approve", { isInference: false, isForgotten: false, reviewStatus: "approved" }, true],
    ["decline", { isInference: true, isForgotten: true, reviewStatus: "declined" }, false],
  ])("%s, and undo puts it back in the queue", async (action, expected, isFound) => {
    const tag = `review:${action}`;
    const id = await infer(tag, "Lena may keep bees");
    expect(await review(tag, id, { action })).toMatchObject({ status: 200, body: { id, ...expected } });
    expect((await queue(tag)).body.total).toBe(0);
    expect(await search(tag, "Lena may keep bees")).toEqual(isFound ? [id] : []);
    const undone = await review(tag, id, { action: "undo" });
    expect(undone.body).toEqual({ id, isInference: true, isForgotten: false, reviewStatus: null });
    expect((await queue(tag)).body.memories).toMatchObject([{ id, metadata: { team: "core" } }]);
    expect(await search(tag, "Lena may keep bees")).toEqual([id]);
  });

  test("records the outcome in the metadata", async () => {
    const id = await infer("review:metadata", "Lena may keep goats");
    await review("review:metadata", id, { action: "approve" });
    const { body } = await rest.send("POST", "/v4/memories/list", { containerTag: "review:metadata" });
    expect(body.memoryEntries).toMatchObject([
      { id, isInference: false, metadata: { team: "core", reviewStatus: "approved" } },
    ]);
  });

  test("answers a permanent conflict for a memory that cannot be reviewed", async () => {
    const tag = "review:conflict";
    const id = await infer(tag, "Lena may keep goats");
    const { body } = await rest.send("POST", "/v4/memories", { containerTag: tag, memories: [{ content: "stated" }] });
    const refusals = [
      await review(tag, id, { action: "undo" }),
      await review(tag, body.memories[0].id, { action: "approve" }),
    ];
    for (const { status, headers } of refusals)
      expect({ status, retry: headers.get("x-should-retry") }).toEqual({ status: 409, retry: "false" });
  });

  test("answers 404 for an unknown memory or container", async () => {
    const id = await infer("review:mine", "Lena may keep goats");
    expect((await review("review:mine", UNKNOWN_ID, { action: "approve" })).status).toBe(404);
    expect((await review("review:mine", "nonsense", { action: "approve" })).status).toBe(404);
    expect((await review("review:nowhere", id, { action: "approve" })).status).toBe(404);
  });

  test.each([[{ action: "reject" }], [{}], [{ action: null }], [[]], [undefined]])("%j: answers 400", async (body) => {
    expect((await review("review:mine", UNKNOWN_ID, body)).status).toBe(400);
  });
});

test("a caller with access to some containers neither sees nor reviews those of others", async () => {
  const secret = await infer("inferred:theirs", "secret guess");
  await infer("inferred:mine", "my guess", []);
  const send = restrictTo(rest, ["inferred:mine"]);
  const path = (tag: string) => `/v3/container-tags/${tag}/inferred`;
  expect((await send("GET", path("inferred:theirs"))).status).toBe(403);
  expect(JSON.stringify((await send("GET", path("inferred:mine"))).body)).not.toContain("secret");
  for (const [tag, status] of [
    ["inferred:theirs", 403],
    ["inferred:mine", 404],
  ] as const)
    expect((await send("POST", `${path(tag)}/${secret}/review`, { action: "approve" })).status).toBe(status);
  expect((await queue("inferred:theirs")).body.memories).toMatchObject([{ id: secret }]);
});
