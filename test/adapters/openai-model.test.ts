import { afterEach, describe, expect, test } from "vitest";
import * as z from "zod";
import { createOpenAiModel, type OpenAiModelOptions } from "../../src/adapters/llm/openai.js";
import { AppError } from "../../src/core/errors.js";
import type { LanguageModel, ModelRequest } from "../../src/core/ports.js";
import { captureLog } from "../support/captured-log.js";
import { type Reply, type ScriptedModel, startScriptedModel } from "../support/scripted-model.js";

const SECRET = "sk-test-secret";
const FITTING = '{"city":"Oslo"}';
const QUESTION: ModelRequest<{ city: string }> = {
  name: "find-city",
  messages: [
    { role: "system", content: "Find the city." },
    { role: "user", content: "I live in Oslo." },
  ],
  schema: z.object({ city: z.string() }),
  effort: "careful",
  maxTokens: 100,
};

const providers: ScriptedModel[] = [];
afterEach(async () => {
  await Promise.all(providers.splice(0).map((provider) => provider.close()));
});

interface Opened {
  readonly provider: ScriptedModel;
  readonly model: LanguageModel;
  readonly log: ReturnType<typeof captureLog>;
}

async function open(options: Partial<OpenAiModelOptions> = {}): Promise<Opened> {
  const provider = await startScriptedModel();
  providers.push(provider);
  const log = captureLog();
  const model = createOpenAiModel({
    provider: "openai",
    baseUrl: provider.url,
    apiKey: SECRET,
    model: "careful-one",
    fastModel: "fast-one",
    settings: { baseUrl: "RECOLLECT_LLM_BASE_URL", apiKey: "RECOLLECT_LLM_API_KEY", model: "RECOLLECT_LLM_MODEL" },
    log,
    pauseMs: 1,
    timeoutMs: 400,
    ...options,
  });
  return { provider, model, log };
}

async function failureOf(work: Promise<unknown>): Promise<AppError> {
  const error: unknown = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error instanceof AppError) return error;
  throw new Error(`Expected an AppError, but got ${String(error)}`);
}

const refused = (message: string): Reply => ({ fault: "status", status: 400, error: { message } });
const formatsOf = ({ requests }: ScriptedModel) =>
  requests.map(({ body }) => (body["response_format"] as { type: string } | undefined)?.type ?? "none");

describe("a question", () => {
  test("goes to the model with the key and the schema, and the answer is returned with its tokens", async () => {
    const { provider, model } = await open();
    provider.script(FITTING);
    expect(await model.generate(QUESTION)).toEqual({
      value: { city: "Oslo" },
      model: "careful-one",
      inputTokens: 1,
      outputTokens: 1,
      cost: null,
    });
    expect(provider.requests).toHaveLength(1);
    expect(provider.requests[0]).toMatchObject({
      path: "/v1/chat/completions",
      headers: { authorization: `Bearer ${SECRET}` },
      body: {
        model: "careful-one",
        messages: QUESTION.messages,
        max_tokens: 100,
        response_format: {
          type: "json_schema",
          json_schema: {
            name: "find_city",
            strict: true,
            schema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
          },
        },
      },
    });
  });

  test("with low effort goes to the fast model", async () => {
    const { provider, model } = await open();
    provider.script(FITTING);
    expect((await model.generate({ ...QUESTION, effort: "fast" })).model).toBe("fast-one");
    expect(provider.requests[0]!.body["model"]).toBe("fast-one");
  });

  test("goes without a key to a service without keys", async () => {
    const { provider, model } = await open({ apiKey: undefined });
    provider.script(FITTING);
    await model.generate(QUESTION);
    expect(provider.requests[0]!.headers).not.toHaveProperty("authorization");
  });

  test("with half a surrogate pair is sent as valid text", async () => {
    const { provider, model } = await open();
    provider.script(FITTING);
    await model.generate({ ...QUESTION, messages: [{ role: "user", content: "a\ud800b" }] });
    expect(provider.requests[0]!.body.messages?.[0]?.content).toBe("a\ufffdb");
  });

  test("whose schema has an optional field is not sent as strict", async () => {
    const { provider, model } = await open();
    provider.script("{}");
    await model.generate({ ...QUESTION, schema: z.object({ city: z.string().optional() }) });
    expect(provider.requests[0]!.body).toMatchObject({ response_format: { json_schema: { strict: false } } });
  });
});

describe("an answer is parsed", () => {
  test.each([
    ["in a code fence", '```json\n{"city":"Oslo"}\n```'],
    ["with surrounding words", 'Sure! Here it is: {"city":"Oslo"} Anything else?'],
    ["after thinking aloud", '<think>maybe {"city": "Rome"}?</think>\n{"city":"Oslo"}'],
    ["after unrelated brackets", 'As [1] says {so}: {"city":"Oslo"}'],
    ["with brackets in its texts", 'x {"city":"Oslo", "note": "a } and a \\" {"} y'],
  ])("%s", async (_name, text) => {
    const { provider, model } = await open();
    provider.script(text);
    expect((await model.generate(QUESTION)).value).toEqual({ city: "Oslo" });
    expect(provider.requests).toHaveLength(1);
  });

  test("in parts", async () => {
    const { provider, model } = await open();
    const content = [
      { type: "text", text: '{"city":' },
      { type: "text", text: '"Oslo"}' },
    ];
    provider.script({ fault: "body", body: JSON.stringify({ choices: [{ message: { content } }] }) });
    expect(await model.generate(QUESTION)).toMatchObject({ value: { city: "Oslo" }, outputTokens: 4 });
  });
});

describe("an endpoint that does not support", () => {
  test("JSON schema is asked for JSON, then for text, and this is remembered", async () => {
    const { provider, model } = await open();
    provider.script(refused("response_format json_schema is not supported"), FITTING, FITTING);
    await model.generate(QUESTION);
    await model.generate(QUESTION);
    expect(formatsOf(provider)).toEqual(["json_schema", "json_object", "json_object"]);
    expect(provider.requests[1]!.body.messages?.[0]?.content).toContain('"city"');

    provider.script(refused("unknown field response_format"), FITTING, FITTING);
    await model.generate(QUESTION);
    await model.generate(QUESTION);
    expect(formatsOf(provider).slice(3)).toEqual(["json_object", "none", "none"]);
  });

  test("temperature is asked without it", async () => {
    const { provider, model } = await open();
    provider.script(refused("Unsupported value: 'temperature' does not support 0 with this model."), FITTING);
    await model.generate(QUESTION);
    expect(provider.requests.map(({ body }) => body["temperature"])).toEqual([0, undefined]);
  });

  test("max_tokens is asked with the newer name, then without either", async () => {
    const { provider, model } = await open();
    provider.script(
      refused("Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."),
      refused("max_completion_tokens is too large"),
      FITTING,
    );
    await model.generate(QUESTION);
    expect(provider.requests.map(({ body }) => [body["max_tokens"], body["max_completion_tokens"]])).toEqual([
      [100, undefined],
      [undefined, 100],
      [undefined, undefined],
    ]);
  });

  test("a format for one model is still asked for it with the other", async () => {
    const { provider, model } = await open();
    provider.script(refused("no json_schema"), FITTING, FITTING);
    await model.generate(QUESTION);
    await model.generate({ ...QUESTION, effort: "fast" });
    expect(formatsOf(provider)).toEqual(["json_schema", "json_object", "json_schema"]);
  });
});

describe("an unusable answer", () => {
  test.each<[string, Reply, string]>([
    ["truncated JSON", { fault: "cut off", text: '{"city":"Os' }, "cut off"],
    ["a wrong schema", '{"town":"Oslo"}', "does not fit the schema at city"],
    ["plain words", "It is Oslo.", "no complete JSON"],
    ["nothing", "", "empty"],
    ["a refusal", { fault: "refusal", text: "I cannot." }, "refused"],
    [
      "output that the service itself discarded",
      { fault: "status", status: 400, error: { code: "json_validate_failed", message: "x" } },
      "empty",
    ],
  ])("%s: the model is told why and gets one more try", async (_name, bad, reason) => {
    const { provider, model } = await open();
    provider.script(bad, FITTING);
    expect((await model.generate(QUESTION)).value).toEqual({ city: "Oslo" });
    const { messages } = provider.requests[1]!.body;
    expect(messages?.slice(0, 2)).toEqual(QUESTION.messages);
    expect(messages?.at(-1)?.content).toContain(reason);
    expect(messages?.at(-1)?.content).toContain('"city"');
  });

  test("twice in a row is `invalid`, and the error names the question", async () => {
    const { provider, model } = await open();
    provider.always(() => '{"town":"Oslo"}');
    const error = await failureOf(model.generate(QUESTION));
    expect(error.kind).toBe("invalid");
    expect(error.message).toContain("find-city");
    expect(error.message).toContain("does not fit the schema at city");
    expect(provider.requests).toHaveLength(2);
  });

  test("that is cut off twice is `too_large`, so that less can be asked for", async () => {
    const { provider, model } = await open();
    provider.always(() => ({ fault: "cut off", text: '{"city":"O' }));
    expect((await failureOf(model.generate(QUESTION))).kind).toBe("too_large");
  });

  test("has its tokens counted", async () => {
    const { provider, model } = await open();
    provider.script("words", FITTING);
    expect(await model.generate(QUESTION)).toMatchObject({ inputTokens: 2, outputTokens: 2 });
  });

  test.each([429, 401, 503])("has its tokens counted when the follow-up question fails with %s", async (code) => {
    const { provider, model } = await open({ prices: { careful: { input: 1, output: 1 } } });
    provider.always(() => ({ fault: "status", status: code }));
    expect((await failureOf(model.generate(QUESTION))).unusable).toBeUndefined();
    provider.script("words");
    const { unusable } = await failureOf(model.generate(QUESTION));
    expect(unusable).toEqual({ model: "careful-one", inputTokens: 1, outputTokens: 1, cost: 0.000002 });
  });

  test("has its tokens counted when it contains no message", async () => {
    const { provider, model } = await open();
    const usage = { prompt_tokens: 7, completion_tokens: 3 };
    provider.script({ fault: "body", body: JSON.stringify({ choices: [], usage }) }, FITTING);
    expect(await model.generate(QUESTION)).toMatchObject({ inputTokens: 8, outputTokens: 4 });
  });
});

describe("errors tell a person what to do:", () => {
  const status = (code: number, error?: Readonly<Record<string, unknown>>, headers = {}): Reply => ({
    fault: "status",
    status: code,
    headers,
    ...(error && { error }),
  });

  test.each<[string, Reply, string, string, number | undefined]>([
    ["a wrong key", status(401, { message: `bad ${SECRET}` }), "invalid", "RECOLLECT_LLM_API_KEY", undefined],
    ["a forbidden key", status(403), "invalid", "RECOLLECT_LLM_API_KEY", undefined],
    ["an unknown model", status(404, { message: "no such model" }), "invalid", "RECOLLECT_LLM_MODEL", undefined],
    ["a refused request", status(400, { message: `odd ${SECRET}` }), "invalid", "odd ***", undefined],
    [
      "a question that is too long",
      status(400, { code: "context_length_exceeded", message: "x" }),
      "too_large",
      "length",
      undefined,
    ],
    ["a rate limit", status(429), "unavailable", "limits the rate", 30],
    ["a rate limit with a time", status(429, undefined, { "retry-after": "77" }), "unavailable", "limits the rate", 77],
    ["a day's wait", status(429, undefined, { "retry-after": "86400" }), "unavailable", "a pause of 86400 s", 900],
    ["no credit", status(402), "unavailable", "no credit", 3_600],
    ["a used-up quota", status(429, { code: "insufficient_quota", message: "x" }), "unavailable", "no credit", 3_600],
    [
      "no credit, according to the message",
      status(400, { message: "Your credit balance is too low" }),
      "unavailable",
      "no credit",
      3_600,
    ],
    ["an overloaded service", status(529), "unavailable", "failed (529)", 30],
    ["an unavailable service", status(503, undefined, { "retry-after": "9" }), "unavailable", "failed (503)", 9],
    ["a cut connection", { fault: "disconnect" }, "unavailable", "closed the connection", 30],
    ["silence", { fault: "stall" }, "unavailable", "in time", 30],
    ["a response that is not JSON", { fault: "body", body: "<html>" }, "unavailable", "not JSON", 30],
    [
      "a response that is not a completion",
      { fault: "body", body: '{"a":1}' },
      "unavailable",
      "not a chat completion",
      60,
    ],
    [
      "an error within a response",
      { fault: "body", body: '{"error":{"code":502,"message":"upstream"}}' },
      "unavailable",
      "502",
      30,
    ],
  ])("%s", async (_name, reply, kind, words, retryAfter) => {
    const { provider, model, log } = await open();
    provider.always(() => reply);
    const error = await failureOf(model.generate(QUESTION));
    expect(error.kind).toBe(kind);
    expect(`${error.message}${error.quote}`).toContain(words);
    expect(error.retryAfter).toBe(retryAfter);
    expect(`${error.message}${error.quote}${JSON.stringify(log.lines)}`).not.toContain(SECRET);
  });

  test("no server", async () => {
    const { provider, model } = await open();
    await provider.close();
    const error = await failureOf(model.generate(QUESTION));
    expect(error).toMatchObject({ kind: "unavailable", retryAfter: 30 });
    expect(error.message).toContain("RECOLLECT_LLM_BASE_URL");
  });

  test.each<[string, Reply]>([
    ["a failing service", status(500)],
    ["a cut connection", { fault: "disconnect" }],
    ["a short rate limit", status(429, undefined, { "retry-after": "0" })],
  ])("%s is retried once", async (_name, reply) => {
    const { provider, model } = await open();
    provider.script(reply, FITTING);
    expect((await model.generate(QUESTION)).value).toEqual({ city: "Oslo" });
  });

  test("an abort ends a waiting call", async () => {
    const { provider, model } = await open({ timeoutMs: 60_000 });
    provider.always(() => ({ fault: "stall" }));
    const controller = new AbortController();
    const work = model.generate(QUESTION, controller.signal);
    const ended = expect(work).rejects.toThrow("enough");
    await expect.poll(() => provider.requests.length).toBe(1);
    controller.abort(new Error("enough"));
    await ended;
  });
});

describe("the cost of an answer", () => {
  const prices = { careful: { input: 2, output: 8 }, fast: { input: 0.5, output: 1 } };

  test.each([
    ["careful", prices, 10 / 1_000_000],
    ["fast", prices, 1.5 / 1_000_000],
    ["fast", { careful: prices.careful }, null],
    ["careful", undefined, null],
  ] as const)("of the %s model with the prices %j", async (effort, known, cost) => {
    const { model, provider } = await open({ prices: known });
    provider.script(FITTING);
    expect((await model.generate({ ...QUESTION, effort })).cost).toEqual(cost);
  });

  test("is estimated from its length when the service does not count tokens", async () => {
    const { model, provider } = await open({ prices });
    const content = '{"city":"Oslo"}';
    provider.script({ fault: "body", body: JSON.stringify({ choices: [{ message: { content } }] }) });
    const { inputTokens, outputTokens, cost } = await model.generate(QUESTION);
    expect(inputTokens).toBeGreaterThan(0);
    expect(outputTokens).toBe(4);
    expect(cost).toBeCloseTo((2 * inputTokens + 8 * outputTokens) / 1_000_000, 12);
  });

  test("includes unusable answers", async () => {
    const { model, provider } = await open({ prices });
    provider.script("nothing", FITTING);
    expect((await model.generate(QUESTION)).cost).toBeCloseTo(20 / 1_000_000, 12);
  });
});
