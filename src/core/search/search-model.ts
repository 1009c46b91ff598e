import * as z from "zod";
import { createCircuitBreaker } from "../../lib/circuit-breaker.js";
import { AppError, forOthers } from "../errors.js";
import type { LanguageModel, ModelRequest, Store } from "../ports.js";

export interface SearchModelOptions {
  readonly model: LanguageModel;
  readonly store: Pick<Store, "extractions" | "organizationId">;
  /** How long to wait for one answer, in milliseconds. */
  readonly patienceMs: number;
  /** How long the model is left alone before it is tried again, in milliseconds. Default 30,000. */
  readonly restMs?: number;
}

/** A question that a search puts to a language model. */
export interface SearchPrompt<T> extends Pick<ModelRequest<T>, "name" | "schema" | "messages" | "maxTokens"> {
  readonly version: number;
}

/** A language model for searches, where a caller waits for each answer. */
export interface SearchModel {
  /** Short name for people. */
  readonly name: string;
  /**
   * Answers within the patience, and records the cost.
   * @throws AppError as the model does; also `unavailable` when there is no answer in time, and immediately after three
   * failures in a row and a failed trial, until a background trial is answered in time
   */
  ask<T>(prompt: SearchPrompt<T>): Promise<T>;
  /** Why it is not answering now, for people; null while it answers. */
  problem(): string | null;
}

/** Asks whether the model answers, without sending any user's data. */
const TRIAL: SearchPrompt<unknown> = {
  name: "trial",
  version: 1,
  schema: z.object({ word: z.string() }),
  messages: [{ role: "user", content: 'Answer with {"word": "tea"} and nothing else.' }],
  maxTokens: 200,
};

/** A language model that never keeps searches waiting in vain for long. */
export function createSearchModel({ model, store, patienceMs, restMs }: SearchModelOptions): SearchModel {
  const breaker = createCircuitBreaker({
    patienceMs,
    ...(restMs !== undefined && { restMs }),
    isFailure: isOutage,
    forOthers,
    trial: (signal) => generate(TRIAL, signal),
    late: () => tooLate(patienceMs),
  });

  async function generate<T>({ version, ...prompt }: SearchPrompt<T>, signal: AbortSignal): Promise<T> {
    const { value, ...use } = await model.generate({ ...prompt, effort: "fast" }, signal);
    const noted = { ...use, prompt: `${prompt.name}/${version}`, documentId: "", revision: 0 };
    await store.extractions.note(store.organizationId, noted);
    return value;
  }

  return {
    name: model.name,
    ask: (prompt) => breaker.ask((signal) => generate(prompt, signal)),
    problem: () => breaker.failure()?.message ?? null,
  };
}

function isOutage(error: unknown): error is AppError {
  return error instanceof AppError && error.kind === "unavailable";
}

function tooLate(patienceMs: number): AppError {
  return new AppError("unavailable", `The language model did not answer within ${patienceMs / 1_000} s.`);
}
