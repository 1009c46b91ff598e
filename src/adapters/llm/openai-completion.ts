import * as z from "zod";
import { AppError } from "../../core/errors.js";

/** The relevant parts of an answer. */
export interface Completion {
  readonly text: string;
  /** Set when the model, or a filter on its behalf, declined. */
  readonly refusal: string | undefined;
  /** True when the length limit was reached. */
  readonly isCutOff: boolean;
  readonly inputTokens: number;
  readonly outputTokens: number;
}

const usageSchema = z
  .object({ prompt_tokens: z.number().nullish().catch(null), completion_tokens: z.number().nullish().catch(null) })
  .nullish()
  .catch(null);

/** An answer without content, and what it cost. */
const billedSchema = z.object({ usage: usageSchema });

/** Services agree on little more than this; some even leave out the tokens. */
const completionSchema = z.object({
  choices: z
    .array(
      z.object({
        finish_reason: z.string().nullish().catch(null),
        message: z.object({
          content: z.union([z.string(), z.array(z.object({ text: z.string().catch("") }))]).nullish(),
          refusal: z.string().nullish().catch(null),
        }),
      }),
    )
    .min(1),
  usage: usageSchema,
});

/** A gateway may report a failure of the service behind it in a successful response. */
const failureSchema = z.object({
  error: z.object({ message: z.string().catch(""), code: z.coerce.number().int().min(400).max(599) }),
});

/** For English and code; an estimate where a service does not count tokens. */
const CHARACTERS_A_TOKEN = 4;

/**
 * Reads an answer of chat completions.
 * @param asked characters of the question, to estimate its tokens where the service does not report them
 * @throws AppError `unavailable` when it is not one; an Error with `status` for a failure reported inside it
 */
export function readCompletion(answer: unknown, asked: number): Completion {
  const value = typeof answer === "string" ? parseJson(answer) : answer;
  const failure = failureSchema.safeParse(value);
  if (failure.success) {
    const { code, message } = failure.data.error;
    throw Object.assign(new Error(message), { status: code, error: { message } });
  }
  const result = completionSchema.safeParse(value);
  const [choice] = result.data?.choices ?? [];
  if (!result.success || !choice) {
    const { prompt_tokens: inputTokens, completion_tokens: outputTokens } =
      billedSchema.safeParse(value).data?.usage ?? {};
    // The service counted its tokens, so there was an answer, but an empty one.
    if (inputTokens && inputTokens > 0)
      return { text: "", refusal: undefined, isCutOff: false, inputTokens, outputTokens: outputTokens ?? 0 };
    throw new AppError("unavailable", "The language model answered with something that is not a chat completion.", {
      retryAfter: STRANGE_PAUSE,
    });
  }
  const { content, refusal } = choice.message;
  const text = typeof content === "string" ? content : (content ?? []).map((part) => part.text).join("");
  const isFiltered = choice.finish_reason === "content_filter";
  return {
    text,
    refusal: refusal || (isFiltered ? "content filter" : undefined),
    isCutOff: choice.finish_reason === "length",
    inputTokens: result.data.usage?.prompt_tokens ?? Math.ceil(asked / CHARACTERS_A_TOKEN),
    outputTokens: result.data.usage?.completion_tokens ?? Math.ceil(text.length / CHARACTERS_A_TOKEN),
  };
}

/** Seconds. */
const STRANGE_PAUSE = 60;

/** A gateway may serve JSON under another content type. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
