import * as z from "zod";
import { parseBounded } from "../lib/bounded-parse.js";
import { iso, parseIso } from "../lib/time.js";
import { instantOf, isTimeZone, type TimeZone } from "../lib/time-zone.js";
import { AppError, type Issue } from "./errors.js";
import type { Limits } from "./context.js";

/** Validates an input. @throws AppError `invalid` that names every wrong field and the rule it breaks */
export function parseInput<T extends z.ZodType>(schema: T, input: unknown): z.output<T> {
  const result = parseBounded(schema, input);
  if ("data" in result) return result.data as z.output<T>;
  throw invalid(result.findings);
}

/** An `invalid` error whose message lists its issues. */
export function invalid(issues: readonly Issue[]): AppError {
  return new AppError("invalid", issues.map(describeIssue).join("; "), { issues });
}

function describeIssue({ path, message }: Issue): string {
  return path.length === 0 ? message : `${path.join(".")}: ${message}`;
}

/** Characters that no text needs and that break terminals, logs and other programs' readers. */
// eslint-disable-next-line no-control-regex
const CONTROL = /[\u0000-\u0008\u000B\u000E-\u001F\u007F]/u;
// eslint-disable-next-line no-control-regex
const ANY_CONTROL = /[\u0000-\u001F\u007F]/u;

function describeCharacter(text: string, index: number): string {
  const code = text.codePointAt(index) ?? 0;
  return `U+${code.toString(16).toUpperCase().padStart(4, "0")} at position ${index}`;
}

/** What is wrong with the characters of a text, or null. */
function findBadCharacter(text: string): string | null {
  const control = CONTROL.exec(text);
  if (control) return `must not contain the control character ${describeCharacter(text, control.index)}`;
  if (text.isWellFormed()) return null;
  return `is not valid Unicode: a lone surrogate ${describeCharacter(text, text.search(/\p{Surrogate}/u))}`;
}

/** Text of any length that is not just white space. */
export function textSchema(options: { maxBytes?: number; maxLength?: number } = {}) {
  return z.string("must be a string").superRefine((text, context) => {
    const complain = (message: string) => context.addIssue({ code: "custom", message });
    if (options.maxLength !== undefined && text.length > options.maxLength)
      return complain(`must have at most ${options.maxLength} characters, has ${text.length}`);
    if (options.maxBytes !== undefined && Buffer.byteLength(text) > options.maxBytes)
      return complain(`must have at most ${options.maxBytes} bytes, has ${Buffer.byteLength(text)}`);
    if (text.trim() === "") return complain("must not be empty");
    const bad = findBadCharacter(text);
    if (bad) return complain(bad);
  });
}

/** A short text for people, such as a title or a reason; may be empty. */
export function noteSchema(maxLength: number) {
  return z
    .string("must be a string")
    .max(maxLength, { error: `must have at most ${maxLength} characters`, abort: true })
    .superRefine((text, context) => {
      const bad = findBadCharacter(text);
      if (bad) context.addIssue({ code: "custom", message: bad });
    });
}

/** Refuses a text over the configured limit with the kind that transports report as "too large". */
export function checkSize(field: string, text: string, limits: Limits): void {
  const bytes = Buffer.byteLength(text);
  if (bytes > limits.maxTextBytes) throw textTooLong(bytes, limits.maxTextBytes, field);
}

export function textTooLong(bytes: number, maxTextBytes: number, field = "content"): AppError {
  return new AppError(
    "too_large",
    `${field}: has ${bytes} bytes, at most ${maxTextBytes} are accepted (RECOLLECT_MAX_TEXT_BYTES). Send it in parts.`,
  );
}

/** The most containers that one document or conversation may be in. */
export const MOST_CONTAINERS_OF_DOCUMENT = 50;

/** Container tags: contract 1.7. */
export const containerTagSchema = z
  .string("must be a string")
  .min(1, { error: "must not be empty", abort: true })
  .max(100, { error: "must have at most 100 characters", abort: true })
  .regex(/^[a-zA-Z0-9_:.-]+$/, "must contain only letters, digits, hyphens, underscores, colons and dots");

/** A caller's own id for a document: contract 1.8. */
export const customIdSchema = z
  .string("must be a string")
  .min(1, "must not be empty")
  .max(255, { error: "must have at most 255 characters", abort: true })
  .refine((text) => !ANY_CONTROL.test(text) && text.isWellFormed(), "must not contain control characters");

/** Name of a client program, such as `opencode`; case makes no difference. */
export const clientSchema = z
  .string("must be a string")
  .regex(/^[A-Za-z0-9_.-]{1,64}$/, "must be 1 to 64 letters, digits, underscores, dots or hyphens")
  .transform((name) => name.toLowerCase());

/** What is wrong with the characters of a value, or null. */
export function findBadValue(value: string | number | boolean): string | null {
  return typeof value === "string" ? findBadCharacter(value) : null;
}

/** Keys that a filter may name. */
export const FILTER_KEY = /^[A-Za-z0-9_.-]{1,64}$/;
export const FILTER_KEY_RULE = "must be 1 to 64 letters, digits, underscores, dots or hyphens";

const metadataValueSchema = z.union(
  [z.string(), z.number(), z.boolean(), z.array(z.string())],
  "must be a string, a number, a boolean or an array of strings",
);

/** Flat metadata: contract 1.10. */
export const metadataSchema = z
  .record(z.string(), metadataValueSchema, "must be an object")
  .refine(
    (metadata) => Object.keys(metadata).every((key) => key !== "" && !ANY_CONTROL.test(key) && key.isWellFormed()),
    "keys must not be empty or contain control characters",
  )
  .superRefine((metadata, context) => {
    for (const [key, value] of Object.entries(metadata)) {
      const bad = [value].flat().map(findBadValue).find(Boolean);
      if (bad) context.addIssue({ code: "custom", path: [key], message: bad });
    }
  });

/** Refuses JSON over the configured metadata limit with the kind that transports report as "too large". */
export function checkMetadataSize(field: string, json: unknown, limits: Limits): void {
  if (json === undefined || json === null) return;
  const bytes = Buffer.byteLength(JSON.stringify(json));
  if (bytes > limits.maxMetadataBytes)
    throw new AppError(
      "too_large",
      `${field}: has ${bytes} bytes as JSON, at most ${limits.maxMetadataBytes} are accepted (RECOLLECT_MAX_METADATA_BYTES).`,
    );
}

/** ISO 8601 date or date-time as sent by clients; stored as sent. */
export const dateSchema = z
  .string("must be a string")
  .refine((text) => parseIso(text) !== null, "must be an ISO 8601 date or date-time, such as 2024-05-06T07:08:09Z");

/** A date-time in the future or past, converted to UTC in the form of `iso`; a time without a zone is UTC. */
export const momentSchema = dateSchema.transform((text) => iso(parseIso(text) ?? new Date(Number.NaN)));

/** A time zone as a caller names it. */
export const timeZoneSchema = z
  .string("must be a string")
  .refine(isTimeZone, "must be a time zone such as Pacific/Auckland or an offset such as +13:00");

/**
 * The moment (in the form of `iso`) that a validated date or date-time means; without an offset it is local time of the zone,
 * and a date means the start of the day there.
 */
export function momentIn(text: string, zone: TimeZone): string {
  return iso(instantOf(text, zone) ?? new Date(Number.NaN));
}

/** Refuses entries of a list that would expire before they are stored. @throws AppError `invalid` that names each */
export function refusePast(
  field: string,
  entries: readonly { readonly forgetAfter?: string | null | undefined }[],
  now: Date,
): void {
  const issues = entries.flatMap(({ forgetAfter }, index) =>
    forgetAfter && forgetAfter <= now.toISOString()
      ? [{ path: [field, index, "forgetAfter"], message: "must be in the future" }]
      : [],
  );
  if (issues.length > 0) throw invalid(issues);
}

export const filepathSchema = z
  .string("must be a string")
  .min(1, "must not be empty")
  .refine((path) => Buffer.byteLength(path) <= 4096, { error: "must have at most 4096 bytes", abort: true })
  .refine((path) => !ANY_CONTROL.test(path) && path.isWellFormed(), "must not contain control characters");
