import type { OpenAI } from "openai";
import * as z from "zod";
import { AppError } from "../../core/errors.js";
import type {
  LanguageModel,
  Log,
  ModelAnswer,
  ModelMessage,
  ModelPicture,
  ModelPrices,
  ModelRequest,
} from "../../core/ports.js";
import { sha256 } from "../../lib/crypto.js";
import { createOpenAiClient } from "../../lib/openai-client.js";
import { retry } from "../../lib/retry.js";
import { findJson } from "./answer-text.js";
import { type Dialect, firstDialect, humbler, isUnusableAnswer } from "./openai-dialect.js";
import { describeFailure, describePictureRefusal, pauseBeforeRetry } from "./openai-errors.js";
import { type Completion, readCompletion } from "./openai-completion.js";
import { loadOnce } from "../../lib/load-once.js";
import { truncate } from "../../lib/truncate.js";

export interface OpenAiModelOptions {
  /** The name of the service, for people, e.g. `openai` or `ollama`. */
  readonly provider: string;
  /** Any service with OpenAI's chat completions, e.g. `https://api.openai.com/v1`. */
  readonly baseUrl: string;
  readonly apiKey: string | undefined;
  /** The careful model. */
  readonly model: string;
  /** The model for many small requests. */
  readonly fastModel: string;
  /** Prices of both, where given. */
  readonly prices?: { readonly careful?: ModelPrices | undefined; readonly fast?: ModelPrices | undefined } | undefined;
  /** Names of the settings that a person would have to change. */
  readonly settings: { readonly baseUrl: string; readonly apiKey: string; readonly model: string };
  readonly log: Log;
  /** Time limit of one request, in milliseconds. Default 180,000: some models think for minutes. */
  readonly timeoutMs?: number;
  /** First wait between two attempts, in milliseconds. Default 500. */
  readonly pauseMs?: number;
}

const TIMEOUT = 180_000;
const LARGEST_ANSWER = 8 * 1024 * 1024;
/** Attempts at one request while the service is unreachable; longer waits are up to the caller. */
const ATTEMPTS = 3;
const LONGEST_WAIT = 5_000;
/** A model whose answer does not fit is told why, once. */
const ANSWERS = 2;

/**
 * A language model of any service with OpenAI's chat completions. Requests answers by JSON schema and learns what the service
 * does not support. Nothing is loaded or sent before the first call.
 */
export function createOpenAiModel(options: OpenAiModelOptions): LanguageModel {
  const completions = new ChatCompletions(options);
  return {
    name: `${options.provider} ${options.model}`,
    mark: markOf(options),
    prices: options.prices?.careful,
    generate: (request, signal) => completions.generate(request, signal),
  };
}

class ChatCompletions {
  readonly #options: OpenAiModelOptions;
  readonly #connect: () => Promise<OpenAI>;
  readonly #dialects = new Map<string, Dialect>();

  constructor(options: OpenAiModelOptions) {
    const { baseUrl, apiKey, timeoutMs = TIMEOUT } = options;
    this.#options = options;
    this.#connect = loadOnce(() => createOpenAiClient({ baseUrl, apiKey, timeoutMs, maximumBytes: LARGEST_ANSWER }));
  }

  async generate<T>(request: ModelRequest<T>, signal?: AbortSignal): Promise<ModelAnswer<T>> {
    const { fastModel, model: carefulModel, prices } = this.#options;
    const isFast = request.effort === "fast";
    const used = { model: isFast ? fastModel : carefulModel, inputTokens: 0, outputTokens: 0 };
    const use = () => ({ ...used, cost: costOf(used, isFast ? prices?.fast : prices?.careful) });
    try {
      const value = await this.#fittingValue(request, used, signal);
      return { value, ...use() };
    } catch (error) {
      // The first answer is billed even if the correcting request fails.
      if (error instanceof AppError && used.inputTokens + used.outputTokens > 0) error.unusable = use();
      throw error;
    }
  }

  /** Adds what each answer costs to `used`. */
  async #fittingValue<T>(request: ModelRequest<T>, used: Used, signal: AbortSignal | undefined): Promise<T> {
    const { model } = used;
    const question: Question = { ...request, jsonSchema: jsonSchemaOf(request.schema) };
    let messages = request.messages;
    let verdict: Verdict<T> = { problem: "there was none", isCutOff: false };
    for (let answer = 1; answer <= ANSWERS; answer += 1) {
      const completion = await this.#completePatiently(model, { ...question, messages }, signal);
      used.inputTokens += completion.inputTokens;
      used.outputTokens += completion.outputTokens;
      verdict = judge(completion, request.schema);
      if ("value" in verdict) return verdict.value;
      this.#options.log.warn("the language model's answer does not fit its schema", {
        model,
        prompt: request.name,
        answer,
        reason: verdict.problem,
      });
      messages = correct(question, completion, verdict.problem);
    }
    const what = `The language model "${model}" at ${this.#options.baseUrl} gave no usable answer to "${request.name}":`;
    throw new AppError(verdict.isCutOff ? "too_large" : "invalid", `${what} ${verdict.problem}.`);
  }

  #completePatiently(model: string, question: Question, signal: AbortSignal | undefined): Promise<Completion> {
    return retry(() => this.#completeOrExplain(model, question, signal), {
      attempts: ATTEMPTS,
      baseMs: this.#options.pauseMs ?? 500,
      maximumMs: LONGEST_WAIT,
      signal,
      judge: (error) => {
        const pauseMs = error instanceof AppError ? pauseBeforeRetry(error) : undefined;
        if (!(error instanceof AppError) || pauseMs === undefined) return false;
        this.#options.log.warn("the language model failed", { model, prompt: question.name, reason: error.message });
        return pauseMs <= LONGEST_WAIT && pauseMs;
      },
    });
  }

  async #completeOrExplain(model: string, question: Question, signal: AbortSignal | undefined): Promise<Completion> {
    try {
      return await this.#complete(model, question, signal);
    } catch (error) {
      signal?.throwIfAborted();
      const refusal = question.picture && describePictureRefusal(error, this.#options);
      throw refusal ?? describeFailure(error, this.#options, model);
    }
  }

  /** One request, repeated in a simpler form as often as the service refuses the form. */
  async #complete(model: string, question: Question, signal: AbortSignal | undefined): Promise<Completion> {
    const ready = await this.#connect();
    // What it says against a picture may look like a refusal of a text's form.
    const key = question.picture ? `${model} with pictures` : model;
    for (;;) {
      const dialect = this.#dialects.get(key) ?? this.#dialects.get(model) ?? firstDialect(this.#options.baseUrl);
      try {
        const answer: unknown = await ready.chat.completions.create(
          bodyOf(model, question, dialect),
          // The package never removes its listeners from a signal, and this one may outlive many requests.
          signal ? { signal: AbortSignal.any([signal]) } : {},
        );
        return readCompletion(answer, lengthOf(question.messages));
      } catch (error) {
        signal?.throwIfAborted();
        if (isUnusableAnswer(error)) return NOTHING;
        const next = humbler(dialect, error);
        if (!next) throw error;
        this.#options.log.debug("the language model is asked with fewer features", { model, ...next });
        this.#dialects.set(key, next);
      }
    }
  }
}

/** What a call has used so far. */
interface Used {
  readonly model: string;
  inputTokens: number;
  outputTokens: number;
}

/** Hexadecimal digits: enough to tell two keys apart, too few to look one up by. */
const MARK_LENGTH = 16;

function markOf({ baseUrl, apiKey, model, fastModel }: OpenAiModelOptions): string {
  return sha256(JSON.stringify([baseUrl, apiKey, model, fastModel])).slice(0, MARK_LENGTH);
}

function lengthOf(messages: readonly ModelMessage[]): number {
  return messages.reduce((sum, { content }) => sum + content.length, 0);
}

const PRICED_TOKENS = 1_000_000;

function costOf(used: { inputTokens: number; outputTokens: number }, prices: ModelPrices | undefined): number | null {
  if (!prices) return null;
  return (used.inputTokens * prices.input + used.outputTokens * prices.output) / PRICED_TOKENS;
}

interface Question {
  readonly name: string;
  readonly messages: readonly ModelMessage[];
  readonly picture?: ModelPicture;
  readonly maxTokens?: number;
  readonly jsonSchema: JsonSchema;
}

type JsonSchema = Readonly<Record<string, unknown>>;

type Verdict<T> = { readonly value: T } | { readonly problem: string; readonly isCutOff: boolean };

const NOTHING: Completion = { text: "", refusal: undefined, isCutOff: false, inputTokens: 0, outputTokens: 0 };

function jsonSchemaOf(schema: z.ZodType): JsonSchema {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, {
    // Fallback values for wrong fields are none of the model's business, and strict modes refuse them.
    override: ({ jsonSchema }) => {
      delete jsonSchema.default;
    },
  });
  return rest;
}

function bodyOf(model: string, question: Question, dialect: Dialect) {
  const { name, jsonSchema, maxTokens } = question;
  const messages = dialect.format === "schema" ? question.messages : withSchema(question.messages, jsonSchema);
  return {
    model,
    messages: withPicture(messages, question.picture),
    ...(dialect.hasTemperature && { temperature: 0 }),
    ...(dialect.limit !== null && maxTokens !== undefined && { [dialect.limit]: maxTokens }),
    ...(dialect.format === "json" && { response_format: { type: "json_object" as const } }),
    ...(dialect.format === "schema" && {
      response_format: {
        type: "json_schema" as const,
        json_schema: { name: name.replaceAll("-", "_"), schema: { ...jsonSchema }, strict: isStrict(jsonSchema) },
      },
    }),
  };
}

function withPicture(messages: readonly ModelMessage[], picture: ModelPicture | undefined) {
  const at = picture ? messages.findIndex(({ role }) => role === "user") : -1;
  return messages.map(({ role, content }, index) => {
    const text = content.toWellFormed();
    if (!picture || index !== at) return { role, content: text };
    const url = `data:${picture.mimeType};base64,${Buffer.from(picture.bytes).toString("base64")}`;
    return {
      role: "user" as const,
      content: [
        { type: "text" as const, text },
        { type: "image_url" as const, image_url: { url } },
      ],
    };
  });
}

/** OpenAI's strict mode requires every property of every object to be required. */
function isStrict(schema: unknown): boolean {
  if (Array.isArray(schema)) return schema.every(isStrict);
  if (typeof schema !== "object" || schema === null) return true;
  const properties: unknown = Reflect.get(schema, "properties");
  const required: unknown = Reflect.get(schema, "required");
  if (typeof properties === "object" && properties !== null) {
    const names = Array.isArray(required) ? required : [];
    if (Object.keys(properties).some((name) => !names.includes(name))) return false;
  }
  return Object.values(schema).every(isStrict);
}

function withSchema(messages: readonly ModelMessage[], schema: JsonSchema): readonly ModelMessage[] {
  return [{ role: "system", content: formatRule(schema) }, ...messages];
}

function formatRule(schema: JsonSchema): string {
  return `Answer with one JSON value and nothing else. It must fit this JSON schema:\n${JSON.stringify(schema)}`;
}

function judge<T>(completion: Completion, schema: z.ZodType<T>): Verdict<T> {
  const { text, refusal, isCutOff } = completion;
  if (refusal !== undefined) return { problem: "it refused to answer", isCutOff: false };
  if (text.trim() === "") return { problem: isCutOff ? CUT_OFF : "it was empty", isCutOff };
  const results = findJson(text).map((value) => schema.safeParse(value));
  const fitting = results.find((result) => result.success);
  if (fitting) return { value: fitting.data };
  if (isCutOff) return { problem: CUT_OFF, isCutOff };
  const issue = results.at(-1)?.error?.issues[0];
  if (!issue) return { problem: "it holds no complete JSON", isCutOff };
  const place = issue.path.length > 0 ? ` at ${issue.path.join(".")}` : "";
  return { problem: `it does not fit the schema${place}`, isCutOff };
}

const CUT_OFF = "it was cut off before its end";

/** The question again, with what was wrong with the answer. */
function correct(question: Question, completion: Completion, problem: string): readonly ModelMessage[] {
  const text = completion.text.trim();
  return [
    ...question.messages,
    ...(text === "" ? [] : [{ role: "assistant" as const, content: truncate(text, LONGEST_ECHO) }]),
    {
      role: "user",
      content: `This answer cannot be used: ${problem}. Answer again, shorter if it was cut off. ${formatRule(question.jsonSchema)}`,
    },
  ];
}

/** Characters of a wrong answer that are shown to the model again. */
const LONGEST_ECHO = 2_000;
