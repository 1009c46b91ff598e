import * as z from "zod";
import { AppError, ServiceRefusal } from "../../core/errors.js";
import type { SpokenPiece, Transcriber } from "../../core/ports.js";
import { describeBreak, quoteService, readApiFailure } from "../../lib/api-failure.js";
import { createOpenAiClient } from "../../lib/openai-client.js";

export interface OpenAiTranscriberOptions {
  /** The URL that has `/audio/transcriptions`, e.g. `https://api.openai.com/v1`. */
  readonly baseUrl: string;
  readonly model: string;
  /** Undefined for a service that needs none. */
  readonly apiKey: string | undefined;
}

/** How long a service on an ordinary processor takes for ten minutes of speech. */
const TIMEOUT_MS = 15 * 60_000;
const LARGEST_ANSWER = 16 * 1024 * 1024;
/** Seconds to pause when a busy service does not say for how long. */
const BUSY_PAUSE = 30;
const CREDIT_PAUSE = 3_600;
const OUT_OF_CREDIT = /insufficient[ _](?:quota|credit|balance|funds)|billing|out of credit/i;
/** The key, the account, the address or the model is wrong, or the service is overloaded. */
const OF_SERVICE = new Set([401, 402, 403, 404, 408, 429]);
const ADDRESS = "RECOLLECT_TRANSCRIBE_BASE_URL";

/** For `verbose_json`; services without segments return only the text. */
const answerSchema = z.object({
  text: z.string(),
  duration: z.coerce.number().nonnegative().nullish(),
  segments: z
    .array(z.object({ start: z.number().nonnegative(), end: z.number().nonnegative(), text: z.string() }))
    .nullish(),
});

/**
 * A transcriber behind `POST {baseUrl}/audio/transcriptions` as in OpenAI's API (platform.openai.com/docs/api-reference/audio),
 * which whisper.cpp, faster-whisper, vLLM, LocalAI and Groq offer too. It tries once; jobs try again.
 */
export function createOpenAiTranscriber({ baseUrl, model, apiKey }: OpenAiTranscriberOptions): Transcriber {
  const who = `The transcriber at ${baseUrl}`;
  let problem: string | null = null;
  return {
    name: `${model} at ${baseUrl}`,
    problem: () => Promise.resolve(problem),
    async transcribe({ bytes, name, mimeType }, signal) {
      const client = await createOpenAiClient({
        baseUrl,
        apiKey,
        timeoutMs: TIMEOUT_MS,
        maximumBytes: LARGEST_ANSWER,
      });
      const file = new File([Uint8Array.from(bytes)], name, { type: mimeType });
      const answer: unknown = await client.audio.transcriptions
        .create({ file, model, response_format: "verbose_json" }, { signal })
        .catch((error: unknown) => {
          signal.throwIfAborted();
          const failure = describeFailure(error, { who, apiKey });
          problem = isOfRecording(error) ? null : failure.publicMessage;
          throw failure;
        });
      const parsed = answerSchema.safeParse(answer);
      if (!parsed.success) {
        problem = `${who} answered with something that is not a transcript. Check ${ADDRESS}.`;
        throw new AppError("unavailable", problem, { retryAfter: CREDIT_PAUSE });
      }
      problem = null;
      return piecesOf(parsed.data);
    },
  };
}

function piecesOf({ text, duration, segments }: z.infer<typeof answerSchema>): SpokenPiece[] {
  // Some services without segments send an empty list.
  const pieces = segments?.length ? segments : [{ start: 0, end: duration ?? 0, text }];
  return pieces
    .map((piece) => ({ start: piece.start, end: Math.max(piece.start, piece.end), text: piece.text.trim() }))
    .filter((piece) => piece.text !== "");
}

function describeFailure(error: unknown, { who, apiKey }: { who: string; apiKey: string | undefined }): AppError {
  const failure = readApiFailure(error);
  if (!failure) {
    const why = describeBreak(error, { expected: "a transcript", addressSetting: ADDRESS });
    return new AppError("unavailable", `${who} ${why}`, { cause: error, retryAfter: BUSY_PAUSE });
  }
  const { status, text, retryAfter } = failure;
  const quote = quoteService(text, apiKey);
  const isBroke = status === 402 || (status === 429 && OUT_OF_CREDIT.test(`${failure.code ?? ""} ${text ?? ""}`));
  if (isBroke)
    return new AppError("unavailable", `${who} says that the account is out of credit.`, {
      cause: error,
      quote,
      retryAfter: CREDIT_PAUSE,
    });
  if (status === 429 || status >= 500 || status === 408)
    return new AppError("unavailable", `${who} answered ${status}.${failure.wish}`, {
      cause: error,
      quote,
      retryAfter: retryAfter ?? BUSY_PAUSE,
    });
  return new ServiceRefusal("invalid", `${who} ${refusalOf(status)}`, { cause: error, quote });
}

/** Whether the service works, and only refuses this recording. */
function isOfRecording(error: unknown): boolean {
  const status = readApiFailure(error)?.status ?? 500;
  return status < 500 && !OF_SERVICE.has(status);
}

function refusalOf(status: number): string {
  if (status === 401 || status === 403) return "refused the key. Check RECOLLECT_TRANSCRIBE_API_KEY.";
  if (status === 404)
    return `does not know the model, or the address is wrong. Check RECOLLECT_TRANSCRIBE_MODEL and ${ADDRESS}.`;
  if (status === 413) return "rejected the recording because it is too large.";
  return `refused the recording (${status}).`;
}
