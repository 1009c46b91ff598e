import { z } from "zod";
import { choice, dollars, holdsUser, httpUrl, setting } from "./setting.js";

const LONGEST_NAME = 200;
const name = () => z.string().max(LONGEST_NAME, `must have at most ${LONGEST_NAME} characters`);

/** The settings of the language model. Those that other programs read as well are not validated: they are not ours. */
export const MODEL_SETTINGS = {
  RECOLLECT_LLM: setting({
    schema: choice(["auto", "off"]),
    fallback: "auto",
    description:
      "`auto` lets a language model find facts if one is configured below (the first one is used), `off` leaves this to rules.",
  }),
  RECOLLECT_LLM_BASE_URL: setting({
    schema: httpUrl(),
    description:
      "Base URL of any service with OpenAI's chat completions. It takes precedence over all others and gets `RECOLLECT_LLM_API_KEY` and no other key.",
  }),
  RECOLLECT_LLM_API_KEY: setting({
    schema: z.string(),
    isSecret: true,
    description: "API key for the language model; without `RECOLLECT_LLM_BASE_URL`, a key for OpenAI.",
  }),
  RECOLLECT_LLM_MODEL: setting({
    schema: name(),
    description: "Language model to use instead of the service's usual one.",
  }),
  RECOLLECT_LLM_FAST_MODEL: setting({
    schema: name(),
    description: "Language model for the many small questions. Defaults to `RECOLLECT_LLM_MODEL` if that is set.",
  }),
  RECOLLECT_LLM_PICTURES: setting({
    schema: choice(["auto", "off"]),
    fallback: "auto",
    description: "`auto` lets the model for small questions describe pictures, if it is able to; `off` sends it none.",
  }),
  RECOLLECT_LLM_INPUT_PRICE: setting({
    schema: dollars(),
    description:
      "Price in US dollars per million tokens that the language model reads, e.g. `0.25`; set it together with the next one. Prices change, so none are built in: without them, only tokens are counted.",
  }),
  RECOLLECT_LLM_OUTPUT_PRICE: setting({
    schema: dollars(),
    description: "Price in US dollars per million tokens that the language model writes.",
  }),
  RECOLLECT_LLM_FAST_INPUT_PRICE: setting({
    schema: dollars(),
    description: "Price of what the model for small questions reads, if that is a different model.",
  }),
  RECOLLECT_LLM_FAST_OUTPUT_PRICE: setting({
    schema: dollars(),
    description: "Price of what the model for small questions writes.",
  }),
  RECOLLECT_LLM_MONTHLY_BUDGET: setting({
    schema: dollars(),
    description:
      "Maximum cost of the language model per calendar month (UTC) in US dollars, by the prices above. Once it is reached, documents wait for the next month and are found only by their text.",
  }),
  OPENAI_API_KEY: setting({
    schema: z.string(),
    isSecret: true,
    description: "Lets OpenAI's models find facts. It never changes the embedder.",
  }),
  OPENAI_BASE_URL: setting({ schema: z.string(), description: "Alternative base URL for `OPENAI_API_KEY`." }),
  OPENAI_MODEL: setting({ schema: z.string(), description: "Model for `OPENAI_API_KEY`. Defaults to `gpt-5-mini`." }),
  OPENAI_FAST_MODEL: setting({
    schema: z.string(),
    description:
      "Model for small questions with `OPENAI_API_KEY`. Defaults to `OPENAI_MODEL` if that is set, otherwise `gpt-5-nano`.",
  }),
  ANTHROPIC_API_KEY: setting({
    schema: z.string(),
    isSecret: true,
    description: "Lets Anthropic's models find facts (`claude-sonnet-4-5`).",
  }),
  GEMINI_API_KEY: setting({
    schema: z.string(),
    isSecret: true,
    description: "Lets Google's models find facts (`gemini-2.5-flash`).",
  }),
  GROQ_API_KEY: setting({
    schema: z.string(),
    isSecret: true,
    description: "Lets models at Groq find facts (`openai/gpt-oss-120b`).",
  }),
  OPENROUTER_API_KEY: setting({
    schema: z.string(),
    isSecret: true,
    description: "Lets models at OpenRouter find facts (`openai/gpt-5-mini`).",
  }),
  OLLAMA_HOST: setting({
    schema: z.string(),
    description: "Lets a model on your own Ollama find facts (`qwen3:8b`), e.g. `127.0.0.1:11434`.",
  }),
};

interface Prices {
  readonly input: number;
  readonly output: number;
}

/** A service with its models, before prices are known. */
type ModelService = Omit<ModelConfig, "prices" | "monthlyBudget" | "seesPictures">;

/** A language model and where to reach it. */
export interface ModelConfig {
  /** The name of the provider, for people. */
  readonly provider: string;
  readonly baseUrl: string;
  readonly apiKey: string | undefined;
  readonly model: string;
  readonly fastModel: string;
  /** Whether pictures are shown to it. */
  readonly seesPictures: boolean;
  /** US dollars per million tokens for each model, where known. */
  readonly prices: { readonly careful: Prices | undefined; readonly fast: Prices | undefined };
  /** US dollars per month; undefined for no limit. */
  readonly monthlyBudget: number | undefined;
  /** The settings that decide these, for error messages. */
  readonly settings: { readonly baseUrl: string; readonly apiKey: string; readonly model: string };
}

type ModelValues = {
  readonly [Name in keyof typeof MODEL_SETTINGS]: z.infer<(typeof MODEL_SETTINGS)[Name]["schema"]> | undefined;
};

const OPENAI_URL = "https://api.openai.com/v1";
const OPENAI_MODELS = { model: "gpt-5-mini", fastModel: "gpt-5-nano" };
const OLLAMA_PORT = 11_434;

/** Services for which a key alone is enough. After OpenAI itself, the first one with a key is used. */
const KEYED_SERVICES = [
  {
    provider: "anthropic",
    key: "ANTHROPIC_API_KEY",
    baseUrl: "https://api.anthropic.com/v1",
    model: "claude-sonnet-4-5",
    fastModel: "claude-haiku-4-5",
  },
  {
    provider: "gemini",
    key: "GEMINI_API_KEY",
    baseUrl: "https://generativelanguage.googleapis.com/v1beta/openai",
    model: "gemini-2.5-flash",
    fastModel: "gemini-2.5-flash-lite",
  },
  {
    provider: "groq",
    key: "GROQ_API_KEY",
    baseUrl: "https://api.groq.com/openai/v1",
    model: "openai/gpt-oss-120b",
    fastModel: "openai/gpt-oss-20b",
  },
  {
    provider: "openrouter",
    key: "OPENROUTER_API_KEY",
    baseUrl: "https://openrouter.ai/api/v1",
    model: "openai/gpt-5-mini",
    fastModel: "openai/gpt-5-nano",
  },
] as const;

export interface ModelChoice {
  /** Undefined when none is configured, or all are switched off. */
  readonly chosen: ModelConfig | undefined;
  /** Sentences that each name a variable. */
  readonly problems: readonly string[];
}

/** The first configured language model. When offline, only one with an explicit URL counts. */
export function chooseModel(values: ModelValues, isOffline: boolean): ModelChoice {
  const halves = findHalfPrices(values);
  if (halves.length > 0) return { chosen: undefined, problems: halves };
  if (values.RECOLLECT_LLM !== "auto") return { chosen: undefined, problems: [] };
  if (values.RECOLLECT_LLM_BASE_URL !== undefined || values.RECOLLECT_LLM_API_KEY !== undefined)
    return chooseOwn(values, isOffline);
  const problems: string[] = [];
  const usual = chooseOpenAi(values, problems) ?? chooseKeyed(values) ?? chooseOllama(values, problems);
  if (usual === undefined && problems.length === 0 && values.RECOLLECT_LLM_MODEL !== undefined)
    problems.push(
      "RECOLLECT_LLM_MODEL is set, but no service for it is. Set RECOLLECT_LLM_BASE_URL or a key, or remove RECOLLECT_LLM_MODEL.",
    );
  if (usual === undefined || (isOffline && isPublic(usual))) return { chosen: undefined, problems };
  const chosen = withOwnModels(usual, values);
  return { chosen, problems: [...problems, ...findUnpricedBudget(chosen)] };
}

/** The model for small questions has no effect without a service, unless its owner has switched models off. */
export function findIdleModelSettings(values: ModelValues, { chosen }: ModelChoice, isOffline: boolean): string[] {
  const isOff = values.RECOLLECT_LLM !== "auto" || isOffline;
  if (chosen !== undefined || isOff || values.RECOLLECT_LLM_FAST_MODEL === undefined) return [];
  return [
    "RECOLLECT_LLM_FAST_MODEL is set, but has no effect without a service for it. Set RECOLLECT_LLM_BASE_URL or a key, or remove it.",
  ];
}

/** A budget without prices would be no limit. */
function findUnpricedBudget(chosen: ModelConfig | undefined): string[] {
  if (chosen?.monthlyBudget === undefined || (chosen.prices.careful && chosen.prices.fast)) return [];
  const missing = chosen.prices.careful ? "RECOLLECT_LLM_FAST" : "RECOLLECT_LLM";
  return [
    `RECOLLECT_LLM_MONTHLY_BUDGET needs prices: set ${missing}_INPUT_PRICE and ${missing}_OUTPUT_PRICE, or remove it.`,
  ];
}

function chooseOwn(values: ModelValues, isOffline: boolean): ModelChoice {
  const { RECOLLECT_LLM_BASE_URL: baseUrl, RECOLLECT_LLM_MODEL: model } = values;
  if (baseUrl !== undefined && model === undefined)
    return {
      chosen: undefined,
      problems: ["RECOLLECT_LLM_MODEL is missing: RECOLLECT_LLM_BASE_URL does not say which model to use."],
    };
  const own: ModelService = {
    provider: baseUrl === undefined ? "openai" : new URL(baseUrl).host,
    baseUrl: baseUrl ?? OPENAI_URL,
    apiKey: values.RECOLLECT_LLM_API_KEY,
    ...OPENAI_MODELS,
    settings: { baseUrl: "RECOLLECT_LLM_BASE_URL", apiKey: "RECOLLECT_LLM_API_KEY", model: "RECOLLECT_LLM_MODEL" },
  };
  const chosen = isOffline && isPublic(own) ? undefined : withOwnModels(own, values);
  return { chosen, problems: findUnpricedBudget(chosen) };
}

function chooseOpenAi(values: ModelValues, problems: string[]): ModelService | undefined {
  if (values.OPENAI_API_KEY === undefined) return undefined;
  const address = httpUrl().safeParse(values.OPENAI_BASE_URL ?? OPENAI_URL);
  if (!address.success) {
    problems.push(`OPENAI_BASE_URL ${address.error.issues[0]?.message}, or set RECOLLECT_LLM to off.`);
    return undefined;
  }
  const model = values.OPENAI_MODEL ?? OPENAI_MODELS.model;
  return {
    provider: "openai",
    baseUrl: address.data,
    apiKey: values.OPENAI_API_KEY,
    model,
    fastModel: values.OPENAI_FAST_MODEL ?? values.OPENAI_MODEL ?? OPENAI_MODELS.fastModel,
    settings: { baseUrl: "OPENAI_BASE_URL", apiKey: "OPENAI_API_KEY", model: "OPENAI_MODEL" },
  };
}

function chooseKeyed(values: ModelValues): ModelService | undefined {
  const service = KEYED_SERVICES.find(({ key }) => values[key] !== undefined);
  if (service === undefined) return undefined;
  const { key, ...rest } = service;
  return { ...rest, apiKey: values[key], settings: { ...OWN_NAMES, apiKey: key } };
}

/** The settings that change the URL or the model of a service chosen by its key alone. */
const OWN_NAMES = { baseUrl: "RECOLLECT_LLM_BASE_URL", model: "RECOLLECT_LLM_MODEL" };

function chooseOllama(values: ModelValues, problems: string[]): ModelService | undefined {
  const { OLLAMA_HOST: host } = values;
  if (host === undefined) return undefined;
  const baseUrl = addressOfOllama(host);
  if (baseUrl === undefined) {
    problems.push(
      "OLLAMA_HOST must be a host, with or without a port and without a password, or set RECOLLECT_LLM to off.",
    );
    return undefined;
  }
  const settings = { baseUrl: "OLLAMA_HOST", apiKey: "RECOLLECT_LLM_API_KEY", model: "RECOLLECT_LLM_MODEL" };
  return { provider: "ollama", baseUrl, apiKey: undefined, model: "qwen3:8b", fastModel: "qwen3:8b", settings };
}

/** The variable may also hold the address that Ollama listens on, such as `0.0.0.0` or `:11434`. */
function addressOfOllama(host: string): string | undefined {
  const withHost = host.startsWith(":") ? `127.0.0.1${host}` : host;
  const text = /^https?:\/\//.test(withHost) ? withHost : `http://${withHost}`;
  if (!URL.canParse(text) || holdsUser(text)) return undefined;
  const url = new URL(text);
  if (url.hostname === "0.0.0.0") url.hostname = "127.0.0.1";
  if (url.hostname === "[::]") url.hostname = "[::1]";
  // A URL with a scheme has the default port of the scheme, as in Ollama's own clients.
  if (url.port === "" && text !== withHost) url.port = String(OLLAMA_PORT);
  return `${url.href.replace(/\/+$/, "")}/v1`;
}

function withOwnModels(service: ModelService, values: ModelValues): ModelConfig {
  const { RECOLLECT_LLM_MODEL: model, RECOLLECT_LLM_FAST_MODEL: fastModel } = values;
  const chosen = { ...service, model: model ?? service.model, fastModel: fastModel ?? model ?? service.fastModel };
  return {
    ...chosen,
    seesPictures: values.RECOLLECT_LLM_PICTURES !== "off",
    prices: pricesOf(chosen, values),
    monthlyBudget: values.RECOLLECT_LLM_MONTHLY_BUDGET,
  };
}

const FREE: Prices = { input: 0, output: 0 };

/** A model on one's own Ollama costs nothing; prices of all others are known only to the user. */
function pricesOf({ provider, model, fastModel }: ModelService, values: ModelValues): ModelConfig["prices"] {
  const unnamed = provider === "ollama" ? FREE : undefined;
  const careful = priced(values.RECOLLECT_LLM_INPUT_PRICE, values.RECOLLECT_LLM_OUTPUT_PRICE) ?? unnamed;
  const fast = priced(values.RECOLLECT_LLM_FAST_INPUT_PRICE, values.RECOLLECT_LLM_FAST_OUTPUT_PRICE);
  return { careful, fast: fast ?? (fastModel === model ? careful : unnamed) };
}

function priced(input: number | undefined, output: number | undefined): Prices | undefined {
  return input === undefined || output === undefined ? undefined : { input, output };
}

const PRICES = [
  ["RECOLLECT_LLM_INPUT_PRICE", "RECOLLECT_LLM_OUTPUT_PRICE"],
  ["RECOLLECT_LLM_FAST_INPUT_PRICE", "RECOLLECT_LLM_FAST_OUTPUT_PRICE"],
] as const;

/** With only one of two prices, every sum would be wrong. */
function findHalfPrices(values: ModelValues): string[] {
  return PRICES.flatMap(([input, output]) => {
    if ((values[input] === undefined) === (values[output] === undefined)) return [];
    const [set, missing] = values[input] === undefined ? [output, input] : [input, output];
    return [`${set} is set, but ${missing} is not. Set both, or remove ${set}.`];
  });
}

const PUBLIC_HOSTS = new Set([OPENAI_URL, ...KEYED_SERVICES.map(({ baseUrl }) => baseUrl)].map(hostOf));

function isPublic({ baseUrl }: ModelService): boolean {
  return PUBLIC_HOSTS.has(hostOf(baseUrl));
}

function hostOf(url: string): string {
  return new URL(url).host;
}
