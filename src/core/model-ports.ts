import type { ZodType } from "zod";
import type { ModelStanding } from "./ports.js";

/** What one answer of a language model cost. */
export interface ModelUse {
  readonly model: string;
  /** Name and version of the prompt, e.g. `extract-facts/1`. */
  readonly prompt: string;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** US dollars; null or absent if the price of the model is unknown. */
  readonly cost?: number | null | undefined;
}

export interface ModelMessage {
  readonly role: "system" | "user" | "assistant";
  readonly content: string;
}

/** A picture shown to a language model. */
export interface ModelPicture {
  readonly mimeType: "image/png" | "image/jpeg" | "image/gif" | "image/webp";
  readonly bytes: Uint8Array;
}

/** One request to a language model whose answer has to match a schema. */
export interface ModelRequest<T> {
  /** Names the prompt, such as `extract-facts`; letters, digits and hyphens. */
  readonly name: string;
  readonly messages: readonly ModelMessage[];
  readonly schema: ZodType<T>;
  /** Goes with the first message of the user. */
  readonly picture?: ModelPicture;
  /** `fast` for many small requests, `careful` for what decides about memories. */
  readonly effort: "fast" | "careful";
  /** Longest answer in tokens. */
  readonly maxTokens?: number;
  /** The same for requests about the same text, so that one that always fails can be recognised. */
  readonly subject?: string;
  /** True: sent even while a model that refused is left alone, to see whether it still does. */
  readonly isTrial?: boolean;
}

export interface ModelAnswer<T> {
  readonly value: T;
  readonly model: string;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** US dollars; null or absent if the price of the model is unknown. */
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
  /** Differs for another address, model or key, without revealing any of them. */
  readonly mark: string;
  /** The recent state of the model for an effort; without one, that of the latest request. Absent if nothing monitors it. */
  readonly standing?: ((effort?: ModelRequest<unknown>["effort"]) => ModelStanding) | undefined;
  /** Prices of the careful model; absent if not configured. */
  readonly prices?: ModelPrices | undefined;
  /** US dollars spent this month, and the limit; absent without a limit. */
  readonly budget?: (() => Promise<{ readonly limit: number; readonly spent: number }>) | undefined;
  /**
   * Answers with a value that matches the schema, after repair and one retry if the first answer does not.
   * @throws AppError `unavailable` (with `retryAfter`) when the provider cannot be reached, is overloaded or out of credit;
   * `invalid` when its answers never match the schema or it refuses permanently, as a `ServiceRefusal` if it refuses everything
   * (wrong key, unknown model); `too_large` for a text or an answer that is too long for it; `unsupported` if it does not
   * accept the picture, be it this one or any
   */
  generate<T>(request: ModelRequest<T>, signal?: AbortSignal): Promise<ModelAnswer<T>>;
}
