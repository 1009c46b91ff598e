import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type OpenedRest, openRest } from "../support/rest.js";
import { restrictTo } from "../support/restricted-rest.js";
import { type ScriptedModel, startScriptedModel } from "../support/scripted-model.js";

let provider: ScriptedModel;
let rest: OpenedRest;
beforeEach(async () => {
  provider = await startScriptedModel();
  const fact = { text: "User lives in Lisbon.", kind: "fact", isStatic: true, eventDates: [], forgetAfter: null };
  const facts = [{ ...fact, entities: [], buckets: [], quote: "in Lisbon" }];
  provider.always(() => JSON.stringify({ facts, summary: "", title: "", relations: [], derived: [] }));
  rest = await openRest({
    settings: {
      RECOLLECT_LLM_BASE_URL: provider.url,
      RECOLLECT_LLM_MODEL: "scripted",
      RECOLLECT_LLM_INPUT_PRICE: "2",
      RECOLLECT_LLM_OUTPUT_PRICE: "8",
    },
  });
});
afterEach(async () => {
  await rest.close();
  await provider.close();
});

async function add(containerTag = "home"): Promise<string> {
  const document = { content: "My flat is in Lisbon.", containerTag, dreaming: "instant" };
  const { body } = await rest.send("POST", "/v3/documents", document);
  await rest.settle();
  return body.id;
}

describe("POST /v3/reprocess", () => {
  test("reads a named document again, except in a dry run", async () => {
    const id = await add();
    const asked = provider.requests.length;
    const planned = await rest.send("POST", "/v3/reprocess", { ids: [id], dryRun: true });
    expect(planned.body).toMatchObject({ dryRun: true, extractor: "extract-facts/2", documents: 1, bytes: 21 });
    expect(planned.body.estimate.cost).toBeGreaterThan(0);
    await rest.settle();
    expect(provider.requests).toHaveLength(asked);
    expect((await rest.send("POST", "/v3/reprocess", { ids: [id] })).body).toMatchObject({
      dryRun: false,
      documents: 1,
    });
    await rest.settle();
    expect(provider.requests.length).toBeGreaterThan(asked);
  });

  test("skips documents that the current extractor has already read", async () => {
    const id = await add();
    expect((await rest.send("POST", "/v3/reprocess", { all: true })).body).toMatchObject({ documents: 0, skipped: [] });
    const named = await rest.send("POST", "/v3/reprocess", { ids: [id], onlyOutdated: true });
    expect(named.body.skipped).toEqual([{ id, reason: "extract-facts/2 has already read it" }]);
  });

  test.each([
    [{}, 400],
    [{ all: true, containerTag: "home" }, 400],
    [{ ids: "all" }, 400],
    [{ ids: ["nowhere"] }, 404],
    [{ containerTag: "nowhere" }, 404],
  ])("refuses %j", async (body, status) => {
    expect((await rest.send("POST", "/v3/reprocess", body)).status).toBe(status);
  });

  test("reaches only the containers of the key", async () => {
    const theirs = await add("work");
    const send = restrictTo(rest, ["home"]);
    await add("home");
    const { body } = await send("POST", "/v3/reprocess", { all: true, onlyOutdated: false, dryRun: true });
    expect(body.documents).toBe(1);
    expect((await send("POST", "/v3/reprocess", { ids: [theirs] })).status).toBe(404);
    expect((await send("POST", "/v3/reprocess", { containerTag: "work" })).status).toBe(403);
  });
});

test("GET /v3/documents/{id} reports what language models cost for the document", async () => {
  const { body } = await rest.send("GET", `/v3/documents/${await add()}`);
  const { answers, cost, ...use } = body.llmUse;
  // Every scripted answer uses one token in each direction.
  expect(use).toEqual({ inputTokens: answers, outputTokens: answers, unpricedAnswers: 0 });
  expect(cost).toBeCloseTo((answers * 10) / 1_000_000, 12);
});
