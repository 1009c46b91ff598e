import { afterEach, expect, test } from "vitest";
import { createOpenAiEmbedder, type OpenAiEmbedderOptions } from "../../src/adapters/embed/openai.js";
import { AppError } from "../../src/core/errors.js";
import type { Embedder } from "../../src/core/ports.js";
import { captureLog } from "../support/captured-log.js";
import {
  type Fault,
  type ProviderOptions,
  type ScriptedProvider,
  startScriptedProvider,
  vectorOfText,
} from "../support/scripted-provider.js";

const providers: ScriptedProvider[] = [];
afterEach(async () => {
  await Promise.all(providers.splice(0).map((provider) => provider.close()));
});

async function open(
  options: Partial<OpenAiEmbedderOptions> = {},
  provider: ProviderOptions = {},
): Promise<{ provider: ScriptedProvider; embedder: Embedder; log: ReturnType<typeof captureLog> }> {
  const started = await startScriptedProvider({ dimensions: 64, ...provider });
  providers.push(started);
  const log = captureLog();
  const embedder = createOpenAiEmbedder({
    baseUrl: started.url,
    apiKey: "sk-test-secret",
    model: "scripted",
    dimensions: undefined,
    log,
    pauseMs: 1,
    timeoutMs: { document: 400, query: 400 },
    ...options,
  });
  return { provider: started, embedder, log };
}

async function failureOf(work: Promise<unknown>): Promise<AppError> {
  const error: unknown = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error instanceof AppError) return error;
  throw new Error(`Expected an AppError, but got ${String(error)}`);
}

test("requests floats from the model, with the key", async () => {
  const { provider, embedder } = await open();
  await embedder.embed(["one", "two"], "document");
  expect(provider.requests).toHaveLength(1);
  expect(provider.requests[0]).toMatchObject({
    path: "/v1/embeddings",
    headers: { authorization: "Bearer sk-test-secret" },
    body: { model: "scripted", input: ["one", "two"], encoding_format: "float" },
  });
  expect(provider.requests[0]!.body).not.toHaveProperty("dimensions");
});

test("sends no key to a service without keys", async () => {
  const { provider, embedder } = await open({ apiKey: undefined });
  await embedder.embed(["one"], "query");
  expect(provider.requests[0]!.headers).not.toHaveProperty("authorization");
});

test("scales vectors to length 1", async () => {
  const { embedder } = await open();
  const [vector] = await embedder.embed(["some words here"], "document");
  const raw = vectorOfText("some words here", 64);
  const length = Math.hypot(...raw);
  expect(length).toBeGreaterThan(1.5);
  for (const [at, value] of vector!.entries()) expect(value).toBeCloseTo(raw[at]! / length, 5);
});

test("returns vectors of the requested size, which is part of the fingerprint", async () => {
  const { provider, embedder } = await open({ dimensions: 16 });
  const [vector] = await embedder.embed(["one"], "document");
  expect(vector).toHaveLength(16);
  expect(provider.requests[0]!.body).toMatchObject({ dimensions: 16 });
  const { embedder: other } = await open({ dimensions: 32 });
  expect(other.fingerprint).not.toBe(embedder.fingerprint);
});

test("sends large inputs in batches", async () => {
  const { provider, embedder } = await open({ batch: 10 });
  const vectors = await embedder.embed(
    Array.from({ length: 25 }, (_, at) => `text ${at}`),
    "document",
  );
  expect(vectors).toHaveLength(25);
  expect(provider.requests.map((request) => request.body.input?.length)).toEqual([10, 10, 5]);
});

test("halves a batch that is too large for the service until it fits", async () => {
  const { provider, embedder } = await open({}, { maxInputs: 3 });
  const texts = Array.from({ length: 10 }, (_, at) => `text ${at}`);
  const vectors = await embedder.embed(texts, "document");
  const [last] = await embedder.embed([texts[9]!], "document");
  expect(vectors).toHaveLength(10);
  expect(vectors[9]).toEqual(last);
  expect(provider.requests.length).toBeLessThan(12);
});

test("returns vectors in the order of the texts, whatever order they arrive in", async () => {
  const { provider, embedder } = await open();
  const expected = await embedder.embed(["one", "two", "three"], "document");
  provider.fail({ kind: "change", change: (entries) => entries.toReversed() });
  expect(await embedder.embed(["one", "two", "three"], "document")).toEqual(expected);
  provider.fail({ kind: "change", change: (entries) => entries.map(({ embedding }) => ({ embedding })) });
  expect(await embedder.embed(["one", "two", "three"], "document")).toEqual(expected);
});

test("reads JSON sent with another content type", async () => {
  const { provider, embedder } = await open();
  const body = JSON.stringify({ data: [{ index: 0, embedding: [3, 4] }] });
  provider.fail({ kind: "body", body, type: "text/plain" });
  const [vector] = await embedder.embed(["one"], "document");
  expect([...vector!]).toEqual([expect.closeTo(0.6), expect.closeTo(0.8)]);
});

const PASSING: readonly [string, Fault][] = [
  ["a dropped connection", { kind: "disconnect" }],
  ["a 500", { kind: "status", status: 500 }],
  ["a 503 with Retry-After: 0", { kind: "status", status: 503, headers: { "retry-after": "0" } }],
  ["a 429", { kind: "status", status: 429 }],
  ["a truncated body", { kind: "truncated" }],
  ["a response that stalls", { kind: "stall" }],
  ["a response that never ends", { kind: "endless" }],
  ["garbage", { kind: "body", body: "}{ not json" }],
  ["a web page", { kind: "body", body: "<html>Gateway</html>", type: "text/html" }],
  ["an empty body", { kind: "body", body: "" }],
  ["null", { kind: "body", body: "null" }],
  ["a response without data", { kind: "body", body: '{"data":{}}' }],
  ["too few vectors", { kind: "wrong count", by: -1 }],
  ["too many vectors", { kind: "wrong count", by: 1 }],
  [
    "vectors of different sizes",
    { kind: "change", change: ([first, ...rest]) => [{ ...first, embedding: [1] }, ...rest] },
  ],
  ["empty vectors", { kind: "wrong size", size: 0 }],
  [
    "a null among the numbers",
    { kind: "change", change: (all) => all.map((entry) => ({ ...entry, embedding: [null, 1] })) },
  ],
  [
    "base64 instead of numbers",
    { kind: "change", change: (all) => all.map((entry) => ({ ...entry, embedding: "AACAPw==" })) },
  ],
  ["only zeros", { kind: "change", change: (all) => all.map((entry) => ({ ...entry, embedding: [0, 0] })) }],
  ["a duplicate index", { kind: "change", change: (all) => all.map((entry) => ({ ...entry, index: 0 })) }],
  [
    "an index out of range",
    { kind: "change", change: (all) => all.map((entry) => ({ ...entry, index: entry.index + 7 })) },
  ],
];

test.each(PASSING)("%s is retried successfully", async (_what, fault) => {
  const { provider, embedder, log } = await open();
  provider.fail(fault);
  const vectors = await embedder.embed(["one", "two"], "document");
  expect(vectors.map((vector) => vector.length)).toEqual([64, 64]);
  expect(provider.requests).toHaveLength(2);
  expect(log.lines.map((line) => line.event)).toEqual(["the embedding service failed"]);
});

test.each(PASSING)("%s, repeatedly, is `unavailable` and names the service", async (_what, fault) => {
  const { provider, embedder } = await open({ timeoutMs: { document: 100, query: 100 } });
  provider.fail(fault, 20);
  const error = await failureOf(embedder.embed(["one", "two"], "document"));
  expect(error.kind).toBe("unavailable");
  // A retry time means that the document is not given up.
  expect(error.retryAfter).toBeDefined();
  expect(error.message).toContain(provider.url);
  expect(provider.requests).toHaveLength(4);
});

test("rejects a later response with vectors of another size", async () => {
  const { provider, embedder } = await open();
  await embedder.embed(["one"], "document");
  provider.fail({ kind: "wrong size", size: 32 }, 20);
  const error = await failureOf(embedder.embed(["one"], "document"));
  expect(error).toMatchObject({ kind: "unavailable", message: expect.stringMatching(/32 numbers .* 64/) as string });
});

test("a refused connection says what to check, and only the owner is shown the address", async () => {
  const { provider, embedder } = await open();
  await provider.close();
  const error = await failureOf(embedder.embed(["one"], "query"));
  expect(error.kind).toBe("unavailable");
  expect(error.message).toBe(
    `The embedding service at ${provider.url} refused the connection. Start it, or check RECOLLECT_EMBEDDING_BASE_URL.`,
  );
  expect(error.publicMessage).toBe(
    "The embedding service refused the connection. Start it, or check RECOLLECT_EMBEDDING_BASE_URL.",
  );
});

test("names a host that does not exist", async () => {
  const { embedder } = await open({ baseUrl: "http://does-not-exist.invalid/v1" });
  const error = await failureOf(embedder.embed(["one"], "query"));
  expect(error).toMatchObject({
    kind: "unavailable",
    message: expect.stringContaining("does-not-exist.invalid") as string,
  });
});

test("gives up on a slow service in time", async () => {
  const { provider, embedder } = await open({ timeoutMs: { document: 60_000, query: 50 } });
  provider.fail({ kind: "slow", ms: 2_000 }, 5);
  const error = await failureOf(embedder.embed(["one"], "query"));
  expect(error).toMatchObject({
    kind: "unavailable",
    message: expect.stringContaining("did not answer in time") as string,
  });
});

test.each([
  ["a wrong key", 401, { apiKey: "another" }, "refused the key (401). Check RECOLLECT_EMBEDDING_API_KEY"],
  ["a key without permission", 403, {}, "refused the key (403). Check RECOLLECT_EMBEDDING_API_KEY"],
  ["an unknown model", 404, { models: ["other"] }, 'knows no model "scripted"'],
  ["an account without credit", 402, {}, "quota is used up (402). Check its billing"],
])("%s needs a person to fix it, and is retried later", async (_what, status, providerOptions, text) => {
  const { provider, embedder, log } = await open({}, providerOptions);
  if (Object.keys(providerOptions).length === 0) provider.fail({ kind: "status", status }, 5);
  const error = await failureOf(embedder.embed(["one"], "document"));
  expect(error.kind).toBe("unavailable");
  expect(error.retryAfter).toBeGreaterThanOrEqual(60);
  expect(error.message).toContain(text);
  expect(provider.requests).toHaveLength(1);
  expect(JSON.stringify(log.lines)).toContain(text.slice(0, 20).replaceAll('"', '\\"'));
});

test("an ignored size is final and says what to change", async () => {
  const { provider, embedder, log } = await open({ dimensions: 16 }, { honoursDimensions: false });
  const error = await failureOf(embedder.embed(["one"], "document"));
  expect(error.kind).toBe("invalid");
  expect(error.message).toContain("set it to 64");
  expect(provider.requests).toHaveLength(1);
  expect(log.lines).toEqual([]);
});

test("other refusals quote the service's message, shortened and without the key", async () => {
  const { provider, embedder } = await open();
  const message = `bad input near sk-test-secret ${"x".repeat(5_000)}`;
  provider.fail({ kind: "status", status: 400, body: { error: { message } } });
  const error = await failureOf(embedder.embed(["one"], "document"));
  expect(error.kind).toBe("invalid");
  expect(error.quote).toMatch(/^ It says: bad input near \*\*\* x+…$/);
  expect(error.quote.length).toBeLessThan(400);
});

test("waits out a short rate limit", async () => {
  const { provider, embedder } = await open();
  provider.fail({ kind: "status", status: 429, headers: { "retry-after": "1" } });
  const started = Date.now();
  expect(await embedder.embed(["one"], "query")).toHaveLength(1);
  expect(Date.now() - started).toBeGreaterThanOrEqual(990);
});

test.each([
  ["seconds", () => "120"],
  ["a date", () => new Date(Date.now() + 121_000).toUTCString()],
])("reports a long rate limit, given as %s, immediately", async (_what, retryAfter) => {
  const { provider, embedder } = await open();
  provider.fail({ kind: "status", status: 429, headers: { "retry-after": retryAfter() } }, 5);
  const error = await failureOf(embedder.embed(["one"], "document"));
  expect(error.kind).toBe("unavailable");
  expect(error.retryAfter).toBeGreaterThan(110);
  expect(error.retryAfter).toBeLessThanOrEqual(121);
  expect(provider.requests).toHaveLength(1);
});

test.each([429, 503])(
  "retries after a quarter of an hour when the service asks for a day with a %i",
  async (status) => {
    const { provider, embedder, log } = await open();
    provider.fail({ kind: "status", status, headers: { "retry-after": "86400" } }, 5);
    const error = await failureOf(embedder.embed(["one"], "document"));
    expect(error.retryAfter).toBe(900);
    const reason = expect.stringContaining("a pause of 86400 s, but the next attempt follows after 900 s") as string;
    expect(log.lines).toMatchObject([{ level: "warn", reason }]);
  },
);

test("reports a rate limit without a time with a default one", async () => {
  const { provider, embedder } = await open();
  provider.fail({ kind: "status", status: 429 }, 20);
  expect((await failureOf(embedder.embed(["one"], "document"))).retryAfter).toBe(30);
});

test("does not retry an account without credit", async () => {
  const { provider, embedder } = await open();
  provider.fail({ kind: "status", status: 429, body: { error: { code: "insufficient_quota", message: "pay" } } }, 5);
  const error = await failureOf(embedder.embed(["one"], "document"));
  expect(error).toMatchObject({ kind: "unavailable", retryAfter: 3600 });
  expect(error.message).toContain("quota");
  expect(provider.requests).toHaveLength(1);
});

test("an abort ends a running call and its waits with the signal's reason", async () => {
  const { provider, embedder } = await open({ timeoutMs: { document: 60_000, query: 60_000 }, pauseMs: 60_000 });
  for (const fault of [{ kind: "stall" }, { kind: "status", status: 500 }] as const) {
    provider.fail(fault);
    const controller = new AbortController();
    const reason = new Error("stopping");
    const call = embedder.embed(["one"], "document", controller.signal);
    setTimeout(() => controller.abort(reason), 50);
    await expect(call).rejects.toBe(reason);
  }
});

test("sends texts that services refuse in a form that they accept", async () => {
  const { provider, embedder } = await open();
  await embedder.embed(["", "  ", "half \ud83d pair", "whole 😀 pair"], "document");
  expect(provider.requests[0]!.body.input).toEqual([".", ".", "half \ufffd pair", "whole 😀 pair"]);
});
