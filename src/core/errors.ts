import type { ModelUse } from "./model-ports.js";

/** What kind of thing went wrong. Each face maps a kind once, to a status, a tool error or an exit code. */
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

/** Kinds that may go away without a change of what was asked for. */
const PASSING: ReadonlySet<ErrorKind> = new Set(["rate_limited", "unavailable", "storage_full"]);

/** True for what may go well when it is tried again later, exactly as it is. */
export function isPassing(kind: ErrorKind): boolean {
  return PASSING.has(kind);
}

/** One thing that is wrong with an input: where, and which rule it breaks. */
export interface Issue {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** What answers of a language model cost that nobody can use. */
export type UnusableAnswers = Omit<ModelUse, "prompt">;

/**
 * An error that we expected and whose message we wrote, so that it is safe to show to the owner; what anybody else is told,
 * a model included, is its `publicMessage`.
 * The message says what happened, to what, and what to do next. Anything that is not an AppError is a bug.
 */
export class AppError extends Error {
  override readonly name = "AppError";
  readonly kind: ErrorKind;
  readonly issues: readonly Issue[];
  /** Seconds after which trying again makes sense. */
  readonly retryAfter: number | undefined;
  /**
   * Files and folders of the server that the message names, each after a word that says what it is, and hosts that it names
   * without a scheme, with the `at` before them.
   */
  readonly paths: readonly string[];
  /**
   * What a service said about it, as a sentence with a space in front; empty for nothing. A service may repeat what it was
   * asked, so this is for whoever asked and for the owner, and never part of the message.
   */
  readonly quote: string;
  /** What answers of a language model had cost until then that nobody can use. */
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
   * The message as it is told to others than the owner: without the paths of the server, and without the addresses of the
   * services that it uses ("The rerank service at http://10.0.0.7 failed").
   */
  get publicMessage(): string {
    const unplaced = this.message.replaceAll(/ at https?:\/\/\S+/g, "");
    return this.paths.reduce((text, path) => text.replaceAll(` ${path}`, "").replaceAll(path, "it"), unplaced);
  }
}

/** A service refuses whoever asks, whatever is asked: it takes the key for wrong, or knows no such model or address. */
export class ServiceRefusal extends AppError {}

/** A refusal that may be of whoever asks or only of what was asked: the service did not say. */
export class UnclearRefusal extends ServiceRefusal {}

/** A service failed, and may have for what it was asked: it did not say. */
export class UnclearFailure extends AppError {}

/** What was sealed cannot be opened any more: its key is gone, or it was damaged. */
export class UnreadableSecret extends AppError {
  constructor(message: string, options: { cause?: unknown; paths?: readonly string[] } = {}) {
    super("unavailable", message, options);
  }
}

/** A failure as it is told to those whose call it was not: without what the service said to that call. */
export function forOthers(failure: AppError): AppError {
  const { kind, message, retryAfter, paths } = failure;
  const options = { paths, ...(retryAfter !== undefined && { retryAfter }) };
  return new (failure instanceof ServiceRefusal ? ServiceRefusal : AppError)(kind, message, options);
}

/**
 * Thrown by the handler of a job that cannot go on yet. Not a failure: the job is put back and no attempt counts. Whoever
 * throws it again and again waits ever longer, unless something was done in between.
 */
export class RetryLater extends Error {
  override readonly name = "RetryLater";
  readonly seconds: number;
  readonly isFurther: boolean;

  /** @param isFurther true: this run has done a part of the work */
  constructor(seconds: number, reason: string, { isFurther = false } = {}) {
    super(reason);
    this.seconds = seconds;
    this.isFurther = isFurther;
  }
}

/** The same words for what is missing and for what the caller may not see. */
export function notFound(
  noun:
    "document" | "memory" | "key" | "container" | "merge" | "project" | "connection" | "batch" | "sign-in" | "grant",
  id: string,
): AppError {
  return new AppError("not_found", `${noun.charAt(0).toUpperCase()}${noun.slice(1)} not found: ${id}`);
}
