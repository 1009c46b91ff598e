import { AppError, type ErrorKind, type Issue } from "../core/errors.js";
import type { Actor } from "../core/types.js";
import { createId } from "../lib/ids.js";
import type { LeveledLog } from "../lib/log.js";
import { BodyError, type BodyProblem } from "../lib/request-body.js";
import { truncate } from "../lib/truncate.js";

/** Who reads an error: the owner at the machine is told where the server's files are. */
export type ErrorReader = "owner" | "others";

/** The person at this machine is the only caller who is certainly the owner: a key may have spread anywhere. */
export function readerOf(actor: Pick<Actor, "name"> | undefined): ErrorReader {
  return actor?.name === OWNER_AT_MACHINE ? "owner" : "others";
}

/** The name that `localActor` gives. */
const OWNER_AT_MACHINE = "local";

/** What a transport tells the outside about an error. Nothing in it comes from an unexpected error. */
export interface Refusal {
  readonly kind: ErrorKind;
  /** What happened, to what, and what to do next. */
  readonly message: string;
  readonly issues: readonly Issue[];
  /** Seconds after which a retry makes sense. */
  readonly retryAfter: number | undefined;
  /** Server files and folders that the message names; empty in what others are told. */
  readonly paths: readonly string[];
}

/**
 * What to tell about an error: an `AppError` in its own words; anything else is a bug, which goes to the log with an id and is
 * reported as a fixed text with that id.
 * @param reader anyone not known to be the owner is told no path of the server
 * @param where names the place for the log, such as `POST /v3/documents`; never content
 */
export function refusalOf(error: unknown, log: LeveledLog, where: string, reader: ErrorReader = "others"): Refusal {
  if (error instanceof AppError) {
    const { kind, issues, retryAfter, paths } = error;
    if (kind === "internal" || kind === "corrupt") log.error("failed", { where, kind, error });
    else if (paths.length > 0) log.warn("failed", { where, kind, error });
    const told = { kind, issues: issues.slice(0, MOST_ISSUES), retryAfter };
    if (reader === "owner") return { ...told, message: truncate(error.message, LONGEST_MESSAGE), paths };
    return { ...told, message: truncate(error.publicMessage, LONGEST_MESSAGE), paths: [] };
  }
  if (error instanceof BodyError) return refuse(BODY_KINDS[error.problem], `${error.message}.`);
  const id = createId();
  log.error("unexpected error", { id, where, error });
  return refuse("internal", `Something went wrong on the server (error ${id}). Its log has the details under this id.`);
}

/** Whatever was sent, an answer that refuses it stays small: it contains the message up to three times. */
const LONGEST_MESSAGE = 1_500;
const MOST_ISSUES = 21;

const BODY_KINDS: Readonly<Record<BodyProblem, ErrorKind>> = {
  too_large: "too_large",
  not_utf8: "invalid",
  interrupted: "invalid",
};

function refuse(kind: ErrorKind, message: string): Refusal {
  return {
    kind,
    message: message.charAt(0).toUpperCase() + message.slice(1),
    issues: [],
    retryAfter: undefined,
    paths: [],
  };
}

const HTTP_STATUS = {
  invalid: 400,
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  conflict: 409,
  too_large: 413,
  unsupported_type: 415,
  unsupported: 404,
  not_implemented: 501,
  rate_limited: 429,
  unavailable: 503,
  storage_full: 507,
  corrupt: 500,
  internal: 500,
} as const satisfies Record<ErrorKind, number>;
export type ErrorStatus = (typeof HTTP_STATUS)[ErrorKind];

/** The HTTP status for an error kind. */
export function statusOf(kind: ErrorKind): ErrorStatus {
  return HTTP_STATUS[kind];
}

/** Clients sleep as long as this header says, with no limit of their own; so it stays small. */
const MAX_RETRY_AFTER_SECONDS = 60;
const RETRY_AFTER_SECONDS: Partial<Record<ErrorKind, number>> = { rate_limited: 1, unavailable: 2 };

/** Failures on this side that last until somebody fixes them: not the request's fault, yet retrying is useless. */
const LASTING: ReadonlySet<ErrorKind> = new Set(["storage_full", "corrupt", "not_implemented"]);

/** Headers that tell a client whether and when to retry (contract 1.3). */
export function retryHeaders({ kind, retryAfter }: Pick<Refusal, "kind" | "retryAfter">): Record<string, string> {
  // The official SDK retries conflicts, and everything from 500 up, unless told that the error is final.
  if (LASTING.has(kind) || (kind === "conflict" && retryAfter === undefined)) return { "x-should-retry": "false" };
  const seconds = retryAfter ?? RETRY_AFTER_SECONDS[kind];
  if (seconds === undefined) return {};
  return { "retry-after": String(Math.min(MAX_RETRY_AFTER_SECONDS, Math.max(1, Math.ceil(seconds)))) };
}

/** The error body of every REST endpoint (contract 1.5). */
export interface ErrorBody {
  readonly error: string;
  readonly details?: string;
  readonly message: string;
  readonly success?: false;
  readonly issues?: readonly Issue[];
}

/** Clients print `message`, `error` or `details`; all three are text, so that every client prints the reason. */
export function errorBody({ kind, message, issues }: Pick<Refusal, "kind" | "message" | "issues">): ErrorBody {
  if (kind === "unauthorized") return { error: "Unauthorized", details: message, message };
  if (kind === "rate_limited") return { error: "Too Many Requests", details: message, message };
  if (kind === "invalid") return { error: message, details: message, message, success: false, issues };
  return { error: message, message };
}

const NOTES: Readonly<Record<ErrorKind, string>> = {
  invalid: "invalid request",
  unauthorized: "Unauthorized",
  forbidden: "forbidden",
  not_found: "not found",
  conflict: "conflict",
  too_large: "too large",
  unsupported_type: "type not supported",
  unsupported: "not supported",
  not_implemented: "not implemented",
  rate_limited: "Too Many Requests",
  unavailable: "unavailable",
  storage_full: "storage full",
  corrupt: "store damaged",
  internal: "internal error",
};

/** Only what looks like one of our fields: a name of any other form may be the caller's own text. */
const FIELD = /^[A-Za-z]{1,40}$/;

/**
 * What the request record keeps of an error: what went wrong, and in which fields. Nothing of the message, which may repeat what
 * the caller sent: the record outlives a purge, and does not say whose data it was.
 */
export function noteOf({ kind, message, issues }: Pick<Refusal, "kind" | "message" | "issues">): string {
  const errorId = kind === "internal" ? /\(error (\w{22})\)/.exec(message)?.[1] : undefined;
  if (errorId !== undefined) return `${NOTES[kind]} ${errorId}`;
  const fields = new Set(issues.map(({ path: [field] }) => String(field)).filter((field) => FIELD.test(field)));
  return fields.size === 0 ? NOTES[kind] : `${NOTES[kind]}: ${[...fields].slice(0, 10).join(", ")}`;
}

/** Exit code of the command line: 2 for wrong use, 1 for everything else that failed. */
export function exitCodeOf(kind: ErrorKind): 1 | 2 {
  return kind === "invalid" ? 2 : 1;
}
