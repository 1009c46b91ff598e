import type * as z from "zod";
import { AppError, type Issue } from "../../core/errors.js";
import { parseBounded } from "../../lib/bounded-parse.js";
import { JsonLimitError } from "../../lib/limited-json.js";
import { BodyError, readBodyText, readLimitedJson } from "../../lib/request-body.js";

/** Room for the other fields and the surrounding JSON. */
const BODY_ALLOWANCE = 64 * 1024;

/** Longest body that is read. */
export interface BodyLimit {
  readonly bytes: number;
  /** What decides it and what to do, as the end of a sentence. */
  readonly advice: string;
}

/** Configurable sizes. */
export interface RequestLimits {
  readonly maxTextBytes: number;
  readonly maxMetadataBytes: number;
  readonly maxBatchBytes: number;
  readonly maxFileBytes: number;
}

/** The limit for what a body carries. JSON may escape a two-byte character with six bytes. */
export function bodyLimits(
  limits: RequestLimits,
): Record<"document" | "conversation" | "batch" | "file" | "bytes", BodyLimit> {
  const fields = bytesOfFields(limits);
  const document = 3 * limits.maxTextBytes + fields;
  return {
    document: {
      bytes: document,
      advice: "a little over three times RECOLLECT_MAX_TEXT_BYTES). Send it in parts.",
    },
    // May contain pictures.
    conversation: {
      bytes: Math.max(document, limits.maxBatchBytes),
      advice:
        "RECOLLECT_MAX_BATCH_BYTES, or a little over three times RECOLLECT_MAX_TEXT_BYTES). Send only what is new.",
    },
    batch: { bytes: limits.maxBatchBytes, advice: "RECOLLECT_MAX_BATCH_BYTES). Send fewer documents in one request." },
    file: { bytes: limits.maxFileBytes + fields, advice: "a little over RECOLLECT_MAX_FILE_BYTES)." },
    bytes: { bytes: 1024 * 1024, advice: "which is fixed)." },
  };
}

function bytesOfFields({ maxMetadataBytes }: RequestLimits): number {
  return 3 * maxMetadataBytes + BODY_ALLOWANCE;
}

/** The limits for a form with a file. */
export function formLimits(limits: RequestLimits): { limit: BodyLimit; fieldBytes: number } {
  return { limit: bodyLimits(limits).file, fieldBytes: bytesOfFields(limits) };
}

/**
 * Reads a JSON body.
 * @returns undefined for an empty body
 * @throws AppError `unsupported_type`, `too_large`, or `invalid` for a body that is not UTF-8, not JSON, or truncated
 */
export async function readJsonBody(request: Request, limit: BodyLimit): Promise<unknown> {
  const isEmpty = request.headers.get("content-length") === "0";
  if (!isEmpty) requireJsonType(request.headers.get("content-type"));
  try {
    return await readLimitedJson(request, limit.bytes);
  } catch (error) {
    if (error instanceof JsonLimitError) throw tooManyValues(error);
    if (error instanceof SyntaxError)
      throw new AppError("invalid", `The body is not JSON: ${reasonOf(error)}.`, { cause: error });
    return refuseTooLarge(error, limit);
  }
}

/**
 * Accepts a body without meaning: none, or an empty object, as some clients send with everything.
 * @throws AppError `invalid` for a body that nothing would read
 */
export async function refuseBody(request: Request): Promise<void> {
  const { headers } = request;
  const isAnnounced = headers.has("transfer-encoding") || (headers.get("content-length") ?? "0") !== "0";
  if (!isAnnounced || (await saysNothing(request))) return;
  const message = "This request accepts no body, so nothing in it would have any effect; leave it out.";
  throw new AppError("invalid", message, { issues: [{ path: [], message }] });
}

/** Bodies longer than this do have a meaning. */
const LONGEST_NOTHING = 64;

async function saysNothing(request: Request): Promise<boolean> {
  // The body of a GET never gets here, only its length.
  if (request.method === "GET" || request.method === "HEAD")
    return Number(request.headers.get("content-length") ?? NaN) <= "{}".length;
  try {
    const text = await readBodyText(request, LONGEST_NOTHING);
    return ["", "{}", "null"].includes(text.replaceAll(/\s/g, ""));
  } catch (error) {
    if (error instanceof BodyError && error.problem !== "interrupted") return false;
    throw error;
  }
}

/** Says which setting limits the body. @throws AppError `too_large`, or the original error */
export function refuseTooLarge(error: unknown, { advice }: BodyLimit): never {
  if (error instanceof BodyError && error.problem === "too_large")
    throw new AppError("too_large", `T${error.message.slice(1)} (${advice}`, { cause: error });
  throw error;
}

/** A client that names no type sends what we ask for; one that names another type does not. */
function requireJsonType(type: string | null): void {
  if (type === null || /^application\/([\w.+-]+\+)?json\s*(;|$)/i.test(type.trim())) return;
  throw new AppError(
    "unsupported_type",
    `The body must be JSON: send it with content-type application/json, not ${type.slice(0, 100)}.`,
  );
}

/** The error for JSON that would cost more to parse than is allowed. */
function tooManyValues(error: JsonLimitError): AppError {
  return new AppError("invalid", `The body cannot be read: ${error.message}. Send it in parts.`, { cause: error });
}

/** Where the JSON is malformed, without the excerpt of the body that some runtimes put in the message. */
function reasonOf({ message }: SyntaxError): string {
  const position = /position (\d+)/.exec(message)?.[1];
  if (position !== undefined) return `it is invalid at character ${position}`;
  return /end of JSON/.test(message) ? "it ends too early" : "it cannot be read";
}

/** Validates one part of a request. @throws AppError `invalid` that names every wrong field and the rule it breaks */
export function checkInput<T>(schema: z.ZodType<T>, value: unknown): T {
  const result = parseBounded(schema, value);
  if ("data" in result) return result.data;
  const issues = isObject(value) ? result.findings : [NO_OBJECT];
  throw new AppError("invalid", issues.map(describe).join("; "), { issues });
}

function isObject(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const NO_OBJECT: Issue = { path: [], message: "the body must be a JSON object" };

function describe({ path, message }: Issue): string {
  return path.length === 0 ? message : `${path.join(".")}: ${message}`;
}
