import * as z from "zod";
import { SignInRefused } from "../../core/connections/connector-errors.js";
import { jsonOf } from "../../core/connections/json-answer.js";
import { AppError } from "../../core/errors.js";
import type { SourceAnswer } from "../../core/ports.js";
import { parseRetryAfter } from "../../lib/http-fetch.js";

const errorSchema = z.object({
  error: z.object({
    errors: z.array(z.object({ reason: z.string() })).optional(),
    details: z.array(z.object({ reason: z.string().optional() })).optional(),
  }),
});

/** Why a Google API refused a request, such as `rateLimitExceeded`; empty where the answer does not say. */
export function googleReasons(answer: SourceAnswer): string[] {
  const { error } = errorSchema.safeParse(jsonOf(answer)).data ?? {};
  return [...(error?.errors ?? []), ...(error?.details ?? [])].flatMap(({ reason }) => reason ?? []);
}

const TOO_MANY = new Set([
  "rateLimitExceeded",
  "userRateLimitExceeded",
  "sharingRateLimitExceeded",
  "dailyLimitExceeded",
  "quotaExceeded",
  "RATE_LIMIT_EXCEEDED",
]);
/** Seconds. */
const USUAL_PAUSE = 60;

/** One Google API, in words for people. */
export interface GoogleProduct {
  readonly name: string;
  /** What is read there, and what the permission for it gives access to. */
  readonly read: string;
  readonly see: string;
}

/** Google uses one status for too many requests, an API that is not enabled, and missing access. */
export function googleRefusal(answer: SourceAnswer, { name, read, see }: GoogleProduct): Error {
  const reasons = googleReasons(answer);
  if (reasons.some((reason) => TOO_MANY.has(reason)))
    return new AppError("rate_limited", `${name} asks for fewer requests.`, {
      retryAfter: parseRetryAfter(answer.headers["retry-after"]) ?? USUAL_PAUSE,
    });
  if (reasons.includes("accessNotConfigured") || reasons.includes("SERVICE_DISABLED"))
    return new AppError(
      "invalid",
      `The ${name} API is not enabled in the project that the app belongs to. Enable it in the Google Cloud console under “APIs & Services”, wait a few minutes, and sync again.`,
    );
  if (reasons.includes("insufficientPermissions") || reasons.includes("ACCESS_TOKEN_SCOPE_INSUFFICIENT"))
    return new SignInRefused(
      `The sign-in does not allow reading ${read}. Sign in again, and leave the permission to see your ${see} ticked.`,
    );
  return new AppError("forbidden", `${name} refused a request: this account has no access to what was requested.`);
}
