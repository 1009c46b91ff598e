import type { ZodType } from "zod";
import type { ModelStanding } from "./ports.js";

/** What one answer of a language model cost. */
export interface ModelUse {
  readonly model: string;
  /** Name and version of the prompt, e.g. `extract-facts/1`. */
  readonly prompt: string;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** US dollars; null or absent where the price of the model is not known. */
  readonly cost?: number | null | undefined;
}

export interface ModelMessage {
  readonly role: "system" | "user" | "assistant";
  readonly content: string;
}

/** A picture that a language model is shown. */
export interface ModelPicture {
  readonly mimeType: "image/png" | "image/jpeg" | "image/gif" | "image/webp";
  readonly bytes: Uint8Array;
}

/** One question to a language model whose answer has to fit a schema. */
export interface ModelRequest<T> {
  /** Names the prompt, such as `extract-facts`; letters, digits and hyphens. */
  readonly name: string;
  readonly messages: readonly ModelMessage[];
  readonly schema: ZodType<T>;
  /** Goes with the first message of the user. */
  readonly picture?: ModelPicture;
  /** `fast` for many small questions, `careful` for what decides about memories. */
  readonly effort: "fast" | "careful";
  /** Longest answer in tokens. */
  readonly maxTokens?: number;
  /** The same for a question that is asked again about the same text, by which one is told that always fails. */
  readonly subject?: string;
  /** True: is sent even while a model that refused is left alone, to see whether it does so still. */
  readonly isTrial?: boolean;
}

export interface ModelAnswer<T> {
  readonly value: T;
  readonly model: string;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** US dollars; null or absent where the price of the model is not known. */
  readonly cost?: number | null | undefined;
}

/** What a model costs, in US dollars per million tokens. */
export interface ModelPrices {
  readonly input: number;
  readonly output: number;
}

/** A language model of any provider. */
export interface LanguageModel {
  /** Short name for people, e.g. `openai gpt-5-mini`. */
  readonly name: string;
  /** Another one for another address, model or key, none of which it gives away. */
  readonly mark: string;
  /** How the model of an effort did lately; without one, how the newest question fared. Absent where nobody watches it. */
  readonly standing?: ((effort?: ModelRequest<unknown>["effort"]) => ModelStanding) | undefined;
  /** Of the careful model; absent where nobody named them. */
  readonly prices?: ModelPrices | undefined;
  /** Dollars of this month, and how many may be spent; absent where nobody set a limit. */
  readonly budget?: (() => Promise<{ readonly limit: number; readonly spent: number }>) | undefined;
  /**
   * Answers with a value that fits the schema, after repair and one more try where the first answer does not.
   * @throws AppError `unavailable` (with `retryAfter`) when the provider cannot be reached, is overloaded or out of
   *   credit; `invalid` when its answers never fit the schema or it refuses for good, as a `ServiceRefusal` where it
   *   refuses everything (wrong key, unknown model); `too_large` for a text or an answer that is too long for it; `unsupported`
   *   where it does not take the picture, be it this one or any
   */
  generate<T>(request: ModelRequest<T>, signal?: AbortSignal): Promise<ModelAnswer<T>>;
}
