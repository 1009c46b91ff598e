import { describe, expect, test } from "vitest";
import { ConfigError, type Environment, readConfig } from "../src/config.js";

const modelOf = (environment: Environment) => readConfig(environment).model;

function problemOf(environment: Environment): string {
  try {
    readConfig(environment);
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
  throw new Error("These settings were accepted");
}

test("without any key there is no language model", () => {
  expect(modelOf({})).toBeUndefined();
});

describe("the first service that is configured counts:", () => {
  const ALL = {
    OPENAI_API_KEY: "a",
    ANTHROPIC_API_KEY: "b",
    GEMINI_API_KEY: "c",
    GROQ_API_KEY: "d",
    OPENROUTER_API_KEY: "e",
    OLLAMA_HOST: "localhost",
  };

  test.each([
    [[], "openai", "https://api.openai.com/v1", "a"],
    [["OPENAI_API_KEY"], "anthropic", "https://api.anthropic.com/v1", "b"],
    [["ANTHROPIC_API_KEY"], "gemini", "https://generativelanguage.googleapis.com/v1beta/openai", "c"],
    [["GEMINI_API_KEY"], "groq", "https://api.groq.com/openai/v1", "d"],
    [["GROQ_API_KEY"], "openrouter", "https://openrouter.ai/api/v1", "e"],
    [["OPENROUTER_API_KEY"], "ollama", "http://localhost:11434/v1", undefined],
  ])("without %j and those before it, %s", ([last], provider, baseUrl, apiKey) => {
    const names = Object.keys(ALL);
    const rest = Object.fromEntries(Object.entries(ALL).slice(last === undefined ? 0 : names.indexOf(last) + 1));
    const model = modelOf(rest);
    expect(model).toMatchObject({ provider, baseUrl, apiKey });
    expect(model?.model).not.toBe("");
    expect(model?.fastModel).not.toBe("");
  });

  test("a key of one's own for Recollect goes before all of them", () => {
    expect(modelOf({ ...ALL, RECOLLECT_LLM_API_KEY: "own" })).toMatchObject({
      baseUrl: "https://api.openai.com/v1",
      apiKey: "own",
    });
  });
});

test("a service of one's own gets its own key and no other", () => {
  expect(
    modelOf({ OPENAI_API_KEY: "a", RECOLLECT_LLM_BASE_URL: "http://llm.example/v1/", RECOLLECT_LLM_MODEL: "m" }),
  ).toEqual({
    provider: "llm.example",
    baseUrl: "http://llm.example/v1",
    apiKey: undefined,
    model: "m",
    fastModel: "m",
    seesPictures: true,
    prices: { careful: undefined, fast: undefined },
    monthlyBudget: undefined,
    settings: { baseUrl: "RECOLLECT_LLM_BASE_URL", apiKey: "RECOLLECT_LLM_API_KEY", model: "RECOLLECT_LLM_MODEL" },
  });
});

test.each<[Environment, string, string]>([
  [{}, "gpt-5-mini", "gpt-5-nano"],
  [{ OPENAI_MODEL: "m" }, "m", "m"],
  [{ OPENAI_MODEL: "m", OPENAI_FAST_MODEL: "f" }, "m", "f"],
  [{ OPENAI_MODEL: "m", OPENAI_FAST_MODEL: "f", RECOLLECT_LLM_MODEL: "own" }, "own", "own"],
  [{ RECOLLECT_LLM_MODEL: "own", RECOLLECT_LLM_FAST_MODEL: "quick" }, "own", "quick"],
])("with %j the careful model is %s, the fast one %s", (environment, model, fastModel) => {
  expect(modelOf({ OPENAI_API_KEY: "a", ...environment })).toMatchObject({ model, fastModel });
});

const OPENAI = { OPENAI_API_KEY: "a" };
const PRICES = { RECOLLECT_LLM_INPUT_PRICE: "0.25", RECOLLECT_LLM_OUTPUT_PRICE: "2" };
const FAST_PRICES = { RECOLLECT_LLM_FAST_INPUT_PRICE: "0.05", RECOLLECT_LLM_FAST_OUTPUT_PRICE: "0.4" };
const CAREFUL = { input: 0.25, output: 2 };
const FREE = { input: 0, output: 0 };

test.each([
  ["none is built in", OPENAI, undefined, undefined],
  ["those of the careful model are not those of the fast one", { ...OPENAI, ...PRICES }, CAREFUL, undefined],
  ["one model has one price", { ...OPENAI, ...PRICES, RECOLLECT_LLM_MODEL: "m" }, CAREFUL, CAREFUL],
  ["both are named", { ...OPENAI, ...PRICES, ...FAST_PRICES }, CAREFUL, { input: 0.05, output: 0.4 }],
  ["one's own Ollama is free", { OLLAMA_HOST: "localhost" }, FREE, FREE],
  ["unless somebody says otherwise", { OLLAMA_HOST: "localhost", ...PRICES }, CAREFUL, CAREFUL],
])("prices of models: %s", (_what, environment, careful, fast) => {
  expect(modelOf(environment)?.prices).toEqual({ careful, fast });
});

test("pictures are shown to it unless a setting says otherwise", () => {
  expect(modelOf(OPENAI)?.seesPictures).toBe(true);
  expect(modelOf({ ...OPENAI, RECOLLECT_LLM_PICTURES: "off" })?.seesPictures).toBe(false);
  expect(problemOf({ ...OPENAI, RECOLLECT_LLM_PICTURES: "some" })).toContain("RECOLLECT_LLM_PICTURES");
});

test("a budget needs prices to be counted by", () => {
  const budget = { RECOLLECT_LLM_MONTHLY_BUDGET: "5" };
  expect(problemOf({ ...OPENAI, ...budget })).toContain("RECOLLECT_LLM_INPUT_PRICE");
  expect(problemOf({ ...OPENAI, ...budget, ...PRICES })).toContain("RECOLLECT_LLM_FAST_INPUT_PRICE");
  expect(modelOf({ ...OPENAI, ...budget, ...PRICES, ...FAST_PRICES })?.monthlyBudget).toBe(5);
});

test.each([
  ["RECOLLECT_LLM_INPUT_PRICE", "1", "RECOLLECT_LLM_OUTPUT_PRICE"],
  ["RECOLLECT_LLM_FAST_OUTPUT_PRICE", "1", "RECOLLECT_LLM_FAST_INPUT_PRICE"],
  ["RECOLLECT_LLM_INPUT_PRICE", "-1", "from 0"],
  ["RECOLLECT_LLM_INPUT_PRICE", "1,5", "such as 0.25"],
  ["RECOLLECT_LLM_INPUT_PRICE", "$1", "such as 0.25"],
  ["RECOLLECT_LLM_INPUT_PRICE", "1e9", "such as 0.25"],
])("%s=%s alone is refused", (name, text, says) => {
  const problem = problemOf({ ...OPENAI, [name]: text });
  expect(problem).toContain(name);
  expect(problem).toContain(says);
});

test.each([
  ["localhost", "http://localhost:11434/v1"],
  ["10.0.0.5:9999", "http://10.0.0.5:9999/v1"],
  [":9999", "http://127.0.0.1:9999/v1"],
  ["0.0.0.0", "http://127.0.0.1:11434/v1"],
  ["[::]:1234", "http://[::1]:1234/v1"],
  ["https://ollama.example/", "https://ollama.example/v1"],
  ["http://ollama.example:8080/base/", "http://ollama.example:8080/base/v1"],
])("OLLAMA_HOST=%s is at %s", (host, baseUrl) => {
  expect(modelOf({ OLLAMA_HOST: host })?.baseUrl).toBe(baseUrl);
});

test("`off` switches all of them off, odd values of other programs' variables included", () => {
  const others = { OPENAI_API_KEY: "a", OPENAI_BASE_URL: "odd", OLLAMA_HOST: "http://", RECOLLECT_LLM_MODEL: "m" };
  expect(modelOf({ RECOLLECT_LLM: "off", ...others })).toBeUndefined();
});

test("offline, only a service whose address was named counts", () => {
  const offline = { RECOLLECT_OFFLINE: "1" };
  expect(modelOf({ ...offline, OPENAI_API_KEY: "a" })).toBeUndefined();
  expect(modelOf({ ...offline, RECOLLECT_LLM_API_KEY: "a" })).toBeUndefined();
  expect(modelOf({ ...offline, OLLAMA_HOST: "localhost" })).toMatchObject({ provider: "ollama" });
  expect(modelOf({ ...offline, OPENAI_API_KEY: "a", OPENAI_BASE_URL: "http://127.0.0.1:1/v1" })).toBeDefined();
});

test("a key for a language model never changes the embedder", () => {
  expect(readConfig({ OPENAI_API_KEY: "a", RECOLLECT_LLM_API_KEY: "b" }).embedder).toEqual({ kind: "builtin" });
});

test.each<[Environment, string]>([
  [{ RECOLLECT_LLM: "on" }, "RECOLLECT_LLM must be auto or off"],
  [{ RECOLLECT_LLM_BASE_URL: "http://x/v1" }, "RECOLLECT_LLM_MODEL is missing"],
  [{ RECOLLECT_LLM_BASE_URL: "x", RECOLLECT_LLM_MODEL: "m" }, "RECOLLECT_LLM_BASE_URL must be a URL"],
  [{ RECOLLECT_LLM_MODEL: "m" }, "no service for it is"],
  [{ OPENAI_API_KEY: "a", OPENAI_BASE_URL: "odd" }, "OPENAI_BASE_URL must be a URL"],
  [{ OPENAI_API_KEY: "a", OPENAI_BASE_URL: "http://u:p@a.example" }, "OPENAI_BASE_URL must not contain a user name"],
  [{ OLLAMA_HOST: "u:p@a.example" }, "OLLAMA_HOST must be a host"],
  [{ OLLAMA_HOST: "a b" }, "OLLAMA_HOST must be a host"],
])("%j is refused: %s", (environment, problem) => {
  expect(problemOf(environment)).toContain(problem);
});
