import { AppError, type ErrorKind, RetryLater } from "../core/errors.js";
import { GAVE_UP } from "../core/given-up.js";
import type { Job } from "../core/ports.js";
import { count } from "../lib/count.js";
import { backoff } from "../lib/retry.js";

/** What becomes of a job whose run threw. */
export type JobOutcome =
  | { readonly action: "postpone"; readonly waitMs: number; readonly reason: string }
  | { readonly action: "retry"; readonly waitMs: number; readonly reason: string }
  | { readonly action: "bury"; readonly reason: string };

/** Retries cannot fix these: the same input gets the same answer. */
const FINAL: readonly ErrorKind[] = [
  "invalid",
  "unauthorized",
  "forbidden",
  "not_found",
  "too_large",
  "unsupported_type",
  "unsupported",
  "not_implemented",
];

const DAY_MS = 86_400_000;
const WAITS = { baseMs: 1_000, maximumMs: 3_600_000 };

/** How often this process has put the job back without counting, and the id of an unexpected error in the log. */
export interface Circumstances {
  readonly postponements: number;
  readonly errorId: string;
  readonly random?: (() => number) | undefined;
}

/** Decides by the kind of error. Waits are at most a day; `reason` is written for people. */
export function decideOutcome(error: unknown, job: Job, { postponements, errorId, random }: Circumstances): JobOutcome {
  const waits = random ? { ...WAITS, random } : WAITS;
  const seconds = postponementOf(error);
  if (seconds !== undefined) {
    // A service that keeps saying "in a second" for hours is not asked every second.
    const patience = postponements < 5 ? 0 : backoff(postponements - 4, waits);
    const waitMs = Math.min(DAY_MS, Math.max(seconds * 1000, patience));
    return { action: "postpone", waitMs, reason: messageOf(error, job, errorId) };
  }
  const reason = messageOf(error, job, errorId);
  if (error instanceof AppError && FINAL.includes(error.kind)) return { action: "bury", reason };
  if (job.attempt >= job.maxAttempts)
    return { action: "bury", reason: `${GAVE_UP} ${count(job.attempt, "attempt")}. ${reason}` };
  const step = isOutage(error) ? job.attempt * 2 - 1 : job.attempt;
  return { action: "retry", waitMs: backoff(step, waits), reason };
}

/** An outage lasts longer than a hiccup: eight attempts then span more than an hour. */
function isOutage(error: unknown): boolean {
  return error instanceof AppError && (error.kind === "unavailable" || error.kind === "storage_full");
}

function postponementOf(error: unknown): number | undefined {
  if (error instanceof RetryLater) return Math.max(0, error.seconds);
  if (error instanceof AppError && error.retryAfter !== undefined && !FINAL.includes(error.kind))
    return Math.max(0, error.retryAfter);
  return undefined;
}

/** Only our own texts are shown; anything else may contain content or secrets and stays in the log. */
function messageOf(error: unknown, job: Job, errorId: string): string {
  // Only those who may see the document read it.
  if (error instanceof AppError) return `${error.publicMessage}${error.quote}`;
  if (error instanceof RetryLater) return error.message;
  return `The step "${job.kind}" failed unexpectedly. The log has the details under ${errorId}.`;
}
