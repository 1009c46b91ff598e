import type { ModelUse } from "./model-ports.js";

/** The kinds of errors. Each face maps a kind once, to a status, a tool error or an exit code. */
export const ERROR_KINDS = [
  "invalid",
  "unauthorized",
  "forbidden",
  "not_found",
  "conflict",
  "too_large",
  "unsupported_type",
  "unsupported",
  "not_implemented",
  "rate_limited",
  "unavailable",
  "storage_full",
  "corrupt",
  "internal",
] as const;
export type ErrorKind = (typeof ERROR_KINDS)[number];

/** Kinds that may disappear without a change to the request. */
const PASSING: ReadonlySet<ErrorKind> = new Set(["rate_limited", "unavailable", "storage_full"]);

/** True for an error where an identical retry may succeed later. */
export function isPassing(kind: ErrorKind): boolean {
  return PASSING.has(kind);
}

/** One problem with an input: where it is, and which rule it breaks. */
export interface Issue {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** The cost of unusable answers of a language model. */
export type UnusableAnswers = Omit<ModelUse, "prompt">;

/**
 * An expected error whose message we wrote, so that it is safe to show to the owner; anybody else, including a model, is shown
 * its `publicMessage`. The message says what happened, to what, and what to do next. Anything that is not an AppError is a bug.
 */
export class AppError extends Error {
  override readonly name = "AppError";
  readonly kind: ErrorKind;
  readonly issues: readonly Issue[];
  /** Seconds after which a retry makes sense. */
  readonly retryAfter: number | undefined;
  /**
   * Files and folders of the server named in the message, each after a word that says what it is, and hosts named without a
   * scheme, including the `at` before them.
   */
  readonly paths: readonly string[];
  /**
   * What a service said about it, as a sentence with a leading space; empty for nothing. A service may repeat its request, so
   * this is only for the caller and the owner, and never part of the message.
   */
  readonly quote: string;
  /** The cost so far of unusable answers of a language model. */
  unusable: UnusableAnswers | undefined;

  constructor(
    kind: ErrorKind,
    message: string,
    options: {
      cause?: unknown;
      issues?: readonly Issue[];
      retryAfter?: number;
      paths?: readonly string[];
      quote?: string;
    } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.kind = kind;
    this.issues = options.issues ?? [];
    this.retryAfter = options.retryAfter;
    this.paths = options.paths ?? [];
    this.quote = options.quote ?? "";
  }

  /**
   * The message as shown to others than the owner: without paths of the server, and without addresses of the services it uses
   * ("The rerank service at http://10.0.0.7 failed").
   */
  get publicMessage(): string {
    const unplaced = this.message.replaceAll(/ at https?:\/\/\S+/g, "");
    return this.paths.reduce((text, path) => text.replaceAll(` ${path}`, "").replaceAll(path, "it"), unplaced);
  }
}

/** A service refuses the caller, whatever the request: it rejects the key, or knows no such model or address. */
export class ServiceRefusal extends AppError {}

/** A refusal either of the caller or only of the request: the service did not say. */
export class UnclearRefusal extends ServiceRefusal {}

/** A service failed, possibly because of the request: it did not say. */
export class UnclearFailure extends AppError {}

/** Sealed data can no longer be opened: its key is gone, or it was damaged. */
export class UnreadableSecret extends AppError {
  constructor(message: string, options: { cause?: unknown; paths?: readonly string[] } = {}) {
    super("unavailable", message, options);
  }
}

/** A failure as reported to other callers: without what the service said about the original call. */
export function forOthers(failure: AppError): AppError {
  const { kind, message, retryAfter, paths } = failure;
  const options = { paths, ...(retryAfter !== undefined && { retryAfter }) };
  return new (failure instanceof ServiceRefusal ? ServiceRefusal : AppError)(kind, message, options);
}

/**
 * Thrown by the handler of a job that cannot continue yet. Not a failure: the job is put back and no attempt is counted.
 * Repeated throws wait longer and longer, unless progress was made in between.
 */
export class RetryLater extends Error {
  override readonly name = "RetryLater";
  readonly seconds: number;
  readonly isFurther: boolean;

  /** @param isFurther true: this run has made progress */
  constructor(seconds: number, reason: string, { isFurther = false } = {}) {
    super(reason);
    this.seconds = seconds;
    this.isFurther = isFurther;
  }
}

/** The same message for what is missing and for what the caller may not see. */
export function notFound(
  noun:
    "document" | "memory" | "key" | "container" | "merge" | "project" | "connection" | "batch" | "sign-in" | "grant",
  id: string,
): AppError {
  return new AppError("not_found", `${noun.charAt(0).toUpperCase()}${noun.slice(1)} not found: ${id}`);
}
