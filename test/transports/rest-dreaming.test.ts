import { afterAll, beforeAll, expect, test } from "vitest";
import { openRest, type OpenedRest } from "../support/rest.js";

let rest: OpenedRest;
beforeAll(async () => {
  rest = await openRest({ settings: { RECOLLECT_DREAM_QUIET: "3600", RECOLLECT_DREAM_LONGEST_WAIT: "7200" } });
});
afterAll(() => rest.close());

const add = (body: Record<string, unknown>, headers?: Record<string, string>) =>
  rest.send("POST", "/v3/documents", { containerTag: "a", ...body }, headers);

test("a waiting caller is told that memories form after a quiet period, and finds the text", async () => {
  const { status, body } = await add({ content: "Ada keeps bees on the roof." }, { prefer: "wait=2" });
  expect(status).toBe(200);
  expect(body).toMatchObject({ status: "done", dreamingStatus: "dreaming" });
  expect(body.dreamingReason).toMatch(/once none has arrived for 3600 s, at \S+Z at the latest\.$/);
  const document = (await rest.send("GET", `/v3/documents/${body.id}`)).body;
  expect(document).toMatchObject({ dreamingStatus: "dreaming", dreamingReason: body.dreamingReason });
  expect(document.memories).toBeUndefined();
  const found = await rest.send("POST", "/v4/search", { q: "bees on the roof", containerTag: "a" });
  expect(found.body.results).toHaveLength(1);
});

test("an instant document is remembered immediately, and says since when its facts are searchable", async () => {
  const before = new Date().toISOString();
  const content = "My name is Bo. I live in Oslo.";
  const { body } = await add({ content, dreaming: "instant" }, { prefer: "wait=30" });
  expect(body).toEqual({ id: body.id, status: "done", dreamingStatus: "done" });
  const { memories } = (await rest.send("GET", `/v3/documents/${body.id}`)).body;
  expect(memories.length).toBeGreaterThan(0);
  for (const { searchableAt } of memories) {
    expect(searchableAt >= before).toBe(true);
    expect(searchableAt <= new Date().toISOString()).toBe(true);
  }
});

test("a document for search only does not wait either", async () => {
  const { body } = await add({ content: "The harbour closes at nine.", taskType: "superrag" }, { prefer: "wait=30" });
  expect(body).toEqual({ id: body.id, status: "done", dreamingStatus: "done" });
});

test("a configured language model waits for 30 seconds of quiet by default", async () => {
  // No model listens at this address, and none is called while the document waits.
  const settings = { RECOLLECT_LLM_BASE_URL: "http://127.0.0.1:9/v1", RECOLLECT_LLM_MODEL: "m" };
  const reader = await openRest({ settings: { ...settings, RECOLLECT_LLM_API_KEY: "k" } });
  try {
    const sent = { content: "Ada keeps bees.", containerTag: "a" };
    const { body } = await reader.send("POST", "/v3/documents", sent, { prefer: "wait=1" });
    expect(body.dreamingReason).toMatch(/once none has arrived for 30 s/);
  } finally {
    await reader.close();
  }
});
