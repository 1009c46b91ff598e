import { afterEach, describe, expect, test } from "vitest";
import { createRerankService } from "../../src/adapters/rerank/service.js";
import { AppError } from "../../src/core/errors.js";
import { captureLog } from "../support/captured-log.js";
import { silentLog } from "../support/open-core.js";
import { type RerankFault, type ScriptedReranker, startScriptedReranker } from "../support/scripted-reranker.js";

let service: ScriptedReranker | undefined;
afterEach(() => service?.close());

const texts = (...all: readonly string[]) => all.map((text) => ({ text, date: null }));
const THREE = { query: "tea", texts: texts("short", "the longest of all", "not so long") };

async function start(style?: Parameters<typeof startScriptedReranker>[0], more: Record<string, unknown> = {}) {
  service = await startScriptedReranker(style);
  const options = {
    baseUrl: service.url,
    model: "sorter",
    apiKey: "secret-key",
    log: silentLog,
    patienceMs: 4_000,
    ...more,
  };
  return { service, reranker: createRerankService(options) };
}

const orderOf = (scores: readonly (number | null)[]) =>
  [...scores.keys()].toSorted((one, other) => (scores[other] ?? -1) - (scores[one] ?? -1));

describe("requests and responses", () => {
  test.each(["cohere", "voyage", "tei"] as const)("in the style of %s", async (style) => {
    const { service, reranker } = await start(style);
    const { scores } = await reranker.rerank(THREE);
    expect(orderOf(scores)).toEqual([1, 2, 0]);
    expect(orderOf((await reranker.rerank(THREE)).scores)).toEqual([1, 2, 0]);
    const { path, authorization, body } = service.requests.at(-1) ?? {};
    expect({ path, authorization }).toEqual({ path: "/rerank", authorization: "Bearer secret-key" });
    const list = THREE.texts.map(({ text }) => text);
    expect(body).toEqual({ model: "sorter", query: "tea", [style === "tei" ? "texts" : "documents"]: list });
  });

  test("use the format of Text Embeddings Inference from the second request on", async () => {
    const { service, reranker } = await start("tei");
    await reranker.rerank(THREE);
    await reranker.rerank(THREE);
    expect(service.requests.map(({ body }) => Object.keys(body)[2])).toEqual(["documents", "texts", "texts"]);
  });

  test("contain no key and no model when none are set", async () => {
    const { service, reranker } = await start("cohere", { model: undefined, apiKey: undefined });
    await reranker.rerank(THREE);
    expect(service.requests[0]).toMatchObject({ authorization: undefined });
    expect(service.requests[0]?.body).not.toHaveProperty("model");
  });

  test("shorten long texts, never within a character", async () => {
    const { service, reranker } = await start();
    await reranker.rerank({ query: "q".repeat(10_000), texts: texts(`${"a".repeat(3_999)}😀`, "b") });
    const { query, documents } = service.requests[0]?.body ?? {};
    expect(String(query)).toHaveLength(2_000);
    expect((documents as string[])[0]).toBe(`${"a".repeat(3_999)}\ufffd`);
  });

  test("return no score for a text that was not judged", async () => {
    const { service, reranker } = await start();
    service.fail({ kind: "body", body: '{"results":[{"index":2,"relevance_score":0.1}]}' });
    expect((await reranker.rerank(THREE)).scores).toEqual([null, null, 0.1]);
  });

  test("may contain negative and large scores", async () => {
    const { service, reranker } = await start();
    const results = [-7.25, 12, 0].map((relevance_score, index) => ({ index, relevance_score }));
    service.fail({ kind: "body", body: JSON.stringify({ results }) });
    expect((await reranker.rerank(THREE)).scores).toEqual([-7.25, 12, 0]);
  });
});

const results = (...list: readonly unknown[]): RerankFault => ({
  kind: "body",
  body: JSON.stringify({ results: list }),
});

describe("errors say what to do about:", () => {
  test.each<[string, RerankFault, string, RegExp]>([
    ["a wrong key", { kind: "status", status: 401 }, "invalid", /Check RECOLLECT_RERANK_API_KEY/],
    ["an unknown model", { kind: "status", status: 404 }, "invalid", /Check RECOLLECT_RERANK_BASE_URL/],
    ["too many requests", { kind: "status", status: 429 }, "unavailable", /overloaded or failing \(HTTP 429\)/],
    ["a failure", { kind: "status", status: 500 }, "unavailable", /HTTP 500/],
    ["no connection", { kind: "disconnect" }, "unavailable", /closed the connection/],
    ["a stalled response", { kind: "stall" }, "unavailable", /did not answer within 0.5 s/],
    ["an endless response", { kind: "endless" }, "unavailable", /far more data/],
    ["a page", { kind: "body", body: "<html>" }, "unavailable", /not JSON/],
    ["an empty response", { kind: "body", body: "" }, "unavailable", /not JSON/],
    ["an unrelated response", { kind: "body", body: '{"choices":[]}' }, "unavailable", /not a ranking/],
    ["no scores", results(), "unavailable", /not a ranking/],
    ["an index out of range", results({ index: 3, relevance_score: 1 }), "unavailable", /was not sent/],
    ["a negative index", results({ index: -1, relevance_score: 1 }), "unavailable", /not a ranking/],
    ["a fractional index", results({ index: 0.5, relevance_score: 1 }), "unavailable", /not a ranking/],
    [
      "a duplicate index",
      results({ index: 1, relevance_score: 1 }, { index: 1, relevance_score: 0 }),
      "unavailable",
      /one twice/,
    ],
    ["a missing number", results({ index: 0, relevance_score: null }), "unavailable", /not a ranking/],
    ["a text instead of a number", results({ index: 0, relevance_score: "0.9" }), "unavailable", /not a ranking/],
    ["not a number", { kind: "body", body: '{"results":[{"index":0,"relevance_score":NaN}]}' }, "unavailable", /JSON/],
    [
      "an infinite number",
      { kind: "body", body: '{"results":[{"index":0,"relevance_score":1e999}]}' },
      "unavailable",
      /not a ranking/,
    ],
  ])("%s", async (_name, fault, kind, message) => {
    const { service, reranker } = await start("cohere", { patienceMs: 500 });
    service.fail(fault);
    const failure = await reranker.rerank(THREE).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(AppError);
    expect(failure).toMatchObject({ kind, message: expect.stringMatching(message) });
  });

  test("a service that does not listen", async () => {
    const { service, reranker } = await start();
    await service.close();
    await expect(reranker.rerank(THREE)).rejects.toThrow(/refused the connection/);
  });

  test("errors quote the service without the key", async () => {
    const log = captureLog();
    const { service, reranker } = await start("cohere", { log });
    service.fail({ kind: "status", status: 400, text: "bad key secret-key" });
    await expect(reranker.rerank(THREE)).rejects.toMatchObject({ quote: " It says: bad key ***" });
    expect(JSON.stringify(log.lines)).not.toContain("secret-key");
  });
});

describe("a failing service", () => {
  test("is left alone immediately when it asks for that", async () => {
    const { service, reranker } = await start();
    service.fail({ kind: "status", status: 429, headers: { "retry-after": "120" } });
    for (let search = 0; search < 3; search += 1)
      await expect(reranker.rerank(THREE)).rejects.toMatchObject({ kind: "unavailable" });
    expect(service.requests).toHaveLength(1);
  });

  test.each([401, 403, 404])("that answers %i is left alone, since no query can fix that", async (status) => {
    const { service, reranker } = await start();
    service.fail(...Array.from({ length: 4 }, () => ({ kind: "status", status }) as const));
    for (let search = 0; search < 3; search += 1) await expect(reranker.rerank(THREE)).rejects.toThrow("refused");
    await expect.poll(() => service.requests.length).toBe(4);
    await expect(reranker.rerank(THREE)).rejects.toThrow("refused");
    expect(service.requests).toHaveLength(4);
  });

  test("is left alone after three failures and a failed trial, and used again once it answers in the background", async () => {
    const { service, reranker } = await start("cohere", { patienceMs: 200, restMs: 300 });
    service.fail({ kind: "stall" }, { kind: "status", status: 500 }, { kind: "disconnect" });
    service.fail({ kind: "stall" }, { kind: "stall" });
    for (let search = 0; search < 6; search += 1)
      await expect(reranker.rerank(THREE)).rejects.toMatchObject({ kind: "unavailable" });
    expect(service.requests).toHaveLength(3 + 2);
    await expect.poll(() => service.requests.length).toBe(6);
    await expect.poll(() => reranker.rerank(THREE).then(({ scores }) => orderOf(scores), String)).toEqual([1, 2, 0]);
  });
});
