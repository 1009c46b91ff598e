import * as z from "zod";
import { SignInRefused } from "../../core/connections/connector-errors.js";
import { AppError } from "../../core/errors.js";
import type { SourceAccess, SourceAnswer } from "../../core/ports.js";
import { googleErrorReasons } from "../../lib/google-error.js";
import { parseRetryAfter } from "../../lib/http-fetch.js";

/** Messages with one of these labels are no part of a thread's document. */
const UNCOUNTED: ReadonlySet<string> = new Set(["TRASH", "SPAM", "DRAFT", "CHAT"]);

export function isCounted({ labelIds }: { readonly labelIds: readonly string[] }): boolean {
  return !labelIds.some((label) => UNCOUNTED.has(label));
}

/** Labels that decide whether a message counts. */
export function decides(labelIds: readonly string[]): boolean {
  return labelIds.some((label) => UNCOUNTED.has(label));
}

export type Query = readonly (readonly [name: string, value: string])[];

/** How the API of one mailbox is asked. */
export interface GmailApi {
  /** @throws as `SendSourceRequest`; what Google refuses with 403 is told apart by its reason */
  get(path: string, query: Query, accepts?: readonly number[]): Promise<SourceAnswer>;
}

export function createGmailApi(baseUrl: string, access: SourceAccess): GmailApi {
  return {
    async get(path, query, accepts = []) {
      const url = new URL(`${baseUrl}/gmail/v1/users/me/${path}`);
      for (const [name, value] of query) url.searchParams.append(name, value);
      const answer = await access.request({ url: url.href, accepts: [403, ...accepts] });
      if (answer.status === 403) throw refusal(answer);
      return answer;
    },
  };
}

/** @throws AppError `unavailable` */
export function parseAnswer<T>(schema: z.ZodType<T>, answer: SourceAnswer): T {
  try {
    return schema.parse(JSON.parse(Buffer.from(answer.bytes).toString("utf8")));
  } catch (cause) {
    throw new AppError("unavailable", "Gmail gave an answer that cannot be read.", { cause });
  }
}

const TOO_MANY = new Set(["rateLimitExceeded", "userRateLimitExceeded", "dailyLimitExceeded", "RATE_LIMIT_EXCEEDED"]);
const USUAL_PAUSE = 60;

function refusal(answer: SourceAnswer): Error {
  const reasons = googleErrorReasons(answer.bytes);
  if (reasons.some((reason) => TOO_MANY.has(reason)))
    return new AppError("rate_limited", "Gmail asks for fewer requests.", {
      retryAfter: parseRetryAfter(answer.headers["retry-after"]) ?? USUAL_PAUSE,
    });
  if (reasons.includes("accessNotConfigured") || reasons.includes("SERVICE_DISABLED"))
    return new AppError(
      "invalid",
      "The Gmail API is not enabled in the project that the app belongs to. Enable it in the Google Cloud console under “APIs & Services”, wait a few minutes, and sync again.",
    );
  if (reasons.includes("insufficientPermissions") || reasons.includes("ACCESS_TOKEN_SCOPE_INSUFFICIENT"))
    return new SignInRefused(
      "The sign-in does not allow to read mail. Sign in again, and leave the permission to see your mail ticked.",
    );
  return new AppError("forbidden", "Gmail refused a request: what was asked for is not open to this account.");
}
