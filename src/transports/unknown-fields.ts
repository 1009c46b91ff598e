import * as z from "zod";
import { AppError, type Issue } from "../core/errors.js";
import { editDistance } from "../lib/edit-distance.js";
import { shownPath } from "../lib/bounded-parse.js";
import { parseLimitedJson } from "../lib/limited-json.js";

/** Fields of an input that nothing reads. */
export interface UnknownFields {
  /** Almost like a field that narrows the request, or another API's name for one. */
  readonly misspelt: readonly Issue[];
  /** The others. */
  readonly ignored: readonly IgnoredField[];
}

interface IgnoredField {
  /** Path of the field. */
  readonly path: string;
  /** The known field whose name is almost the same. */
  readonly meant?: string | undefined;
}

/** Fields that decide what a request reaches or may do. Without them it would reach more than intended. */
export const NARROWING: readonly string[] = [
  "containerTag",
  "containerTags",
  "conversationId",
  "customId",
  "docId",
  "documentId",
  "dryRun",
  "endUserId",
  "filepath",
  "filterByMetadata",
  "filters",
  "ids",
  "keyId",
  "maxForget",
  "memoryId",
  "namespace",
  "permission",
  "projectId",
  "sourceContainerTags",
  "tag",
  "targetContainerTag",
];

const PLAIN_NARROWING: ReadonlySet<string> = new Set(NARROWING.map(plainNameOf));

/** Names for a container in other APIs, ignoring case, underscores and hyphens. */
const CONTAINER_NAMES: ReadonlySet<string> = new Set(
  (
    "account accountid agentid appid bank bankid brain collection collectionname container containerid " +
    "containername containers containertaglist customer customerid dataset datasetname entityid graphid group " +
    "groupid groups memorybank namespace namespaceid namespaces organization organizationid orgid partition " +
    "project projectid projects runid scope scopes session sessionid space spaceid spaceids spaces tag tags " +
    "tenant tenantid threadid uid user userid userids username workspace workspaceid"
  ).split(" "),
);

/** Other names of fields, ignoring case, underscores and hyphens. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  documentid: "docId",
  documentids: "docId",
  filter: "filters",
  metadata: "filters",
  metadatafilter: "filters",
  metadatafilters: "filters",
  path: "filepath",
  where: "filters",
};

/** Names longer than this resemble none of ours. */
const LONGEST_NAME = 40;
/** How many fields are listed. */
const MOST_NAMED = 20;
/** More unknown fields than this are not checked one by one: each is compared with all known ones. */
const MOST_JUDGED = 5_000;
/** Filters are refused beyond this depth anyway. */
const DEEPEST_FILTER = 10;

const GROUP = ["AND", "OR"];
const CONDITION = ["key", "value", "filterType", "numericOperator", "negate", "ignoreCase"];

/**
 * Finds the fields of an input that its schema does not know, at every depth; keys of records, such as metadata, are up to the
 * caller. A field that narrows other requests is never ignored. A field without a value narrows nothing.
 */
export function findUnknownFields(schema: z.ZodType, input: unknown): UnknownFields {
  const found = createFound();
  walk(schema, input, [], found);
  if (found.judging.left >= 0) return found;
  const message = `more than ${MOST_JUDGED.toLocaleString("en")} fields are not known; leave them out`;
  return { ...found, misspelt: [{ path: [], message }] };
}

/** What decides which query parameters an operation takes. */
interface Operation {
  readonly query?: z.ZodType | undefined;
  readonly body?: z.ZodType | undefined;
  readonly method: string;
}

/**
 * Finds query parameters that an operation does not read. One that would narrow the body belongs in the body. Only reads ignore
 * unknown ones: sent with a change, they have a purpose, such as changing less.
 */
export function findUnknownParameters({ query, body, method }: Operation, sent: readonly string[]): UnknownFields {
  const found = createFound();
  const known = new Set(fieldNamesOf(query));
  const narrowing = narrowingNames([...known, ...fieldNamesOf(body)]);
  for (const name of sent) {
    if (known.has(name)) continue;
    const meant = narrowing.includes(name) ? name : likelyField(name, narrowing);
    if (meant !== undefined) {
      const right = known.has(meant) ? `write ${meant}` : `send ${meant} in the body`;
      refuse(found, [name], `is not a parameter of this request; ${right}`);
    } else if (method !== "get" || narrows(name)) refuse(found, [name], NOT_READ);
    else note(found, [name], nearest(name, [...known]));
  }
  return found;
}

/** @throws AppError `invalid` that names each misspelt field and the right one */
export function refuseMisspelt({ misspelt }: UnknownFields): void {
  if (misspelt.length === 0) return;
  const message = misspelt.map(({ path, message }) => [path.join("."), message].filter(Boolean).join(": ")).join("; ");
  throw new AppError("invalid", message, { issues: misspelt });
}

/** The same where nothing may be ignored. */
export function withNoneIgnored({ misspelt, ignored }: UnknownFields): UnknownFields {
  const refused = ignored.map(({ path, meant }) => ({
    path: [path],
    message: `${NOT_KNOWN}: ${meant === undefined ? "leave it out" : `write ${meant}, or leave it out`}`,
  }));
  return { misspelt: [...misspelt, ...refused], ignored: [] };
}

/** Warnings about fields that had no effect. */
export function warningsOf(...unknown: readonly UnknownFields[]): string[] {
  const texts = unknown.flatMap(({ ignored }) =>
    ignored.map((field) => describeIgnored(field, "is not known and was ignored")),
  );
  return [...new Set(texts)];
}

function describeIgnored({ path, meant }: IgnoredField, what: string): string {
  return `${path}: ${what}${meant === undefined ? "" : `; did you mean ${meant}?`}`;
}

/** The same refusal, with the fields that nothing reads: one of them may have been meant for one that is missing. */
export function namingIgnored(error: unknown, { ignored }: UnknownFields): unknown {
  if (!(error instanceof AppError) || error.kind !== "invalid" || ignored.length === 0) return error;
  const told = ignored.map((field) => describeIgnored(field, "is not known"));
  return new AppError("invalid", [error.message, ...told].join("; "), { issues: error.issues, cause: error });
}

/** The narrowing field that a name is probably meant for, if any. */
export function likelyField(name: string, known: readonly string[]): string | undefined {
  if (name.length > LONGEST_NAME) return undefined;
  const plain = plainNameOf(name);
  const alike = nearest(name, known);
  if (alike !== undefined) return alike;
  const container = known.find((one) => one === "containerTag") ?? known.find((one) => one === "containerTags");
  if (CONTAINER_NAMES.has(plain) && container !== undefined) return container;
  return known.find((one) => one === OTHER_NAMES[plain]);
}

interface Found {
  readonly misspelt: Issue[];
  readonly ignored: IgnoredField[];
  /** Shared by everything found in one input. */
  readonly judging: { left: number };
}

function createFound(judging: Found["judging"] = { left: MOST_JUDGED }): Found {
  return { misspelt: [], ignored: [], judging };
}

/** Counts a field to be checked; false when there were too many. */
function mayJudge({ judging }: Found): boolean {
  judging.left -= 1;
  return judging.left >= 0;
}

type Path = readonly (string | number)[];

function walk(schema: unknown, input: unknown, path: Path, found: Found): void {
  if (schema instanceof z.ZodObject) return walkObject(schema, input, path, found);
  if (schema instanceof z.ZodArray) {
    if (Array.isArray(input))
      for (const [index, item] of input.entries()) walk(schema.element, item, [...path, index], found);
  } else if (schema instanceof z.ZodPipe) {
    walk(schema.in instanceof z.ZodTransform ? schema.out : schema.in, input, path, found);
  } else if (schema instanceof z.ZodUnion) walkUnion(schema.options, input, path, found);
  else if (isWrapper(schema)) walk(schema.unwrap(), input, path, found);
}

function isWrapper(schema: unknown) {
  return (
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodCatch ||
    schema instanceof z.ZodReadonly
  );
}

function walkObject(schema: z.ZodObject, input: unknown, path: Path, found: Found): void {
  if (!isObject(input)) return;
  const { shape } = schema;
  for (const name of Object.keys(input)) {
    const field = Object.hasOwn(shape, name) ? shape[name] : undefined;
    if (name === "filters" && field !== undefined) walkFilters(input[name], [...path, name], found);
    else if (field !== undefined) walk(field, input[name], [...path, name], found);
    else if (schema.def.catchall === undefined) judge(name, input[name], { path, known: Object.keys(shape), found });
  }
}

/** Of several forms, the one that leaves the fewest unknown fields is meant. */
function walkUnion(options: readonly unknown[], input: unknown, path: Path, found: Found): void {
  if (typeof input !== "object" || input === null) return;
  const forms = options.filter((option) => (Array.isArray(input) ? isList(option) : option instanceof z.ZodObject));
  const results = forms.map((form) => {
    const result = createFound(found.judging);
    walk(form, input, path, result);
    return result;
  });
  const sizeOf = ({ misspelt, ignored }: Found) => misspelt.length + ignored.length;
  const [least] = results.toSorted((left, right) => sizeOf(left) - sizeOf(right));
  for (const issue of least?.misspelt ?? []) refuse(found, issue.path, issue.message);
  found.ignored.push(...(least?.ignored ?? []).slice(0, MOST_NAMED - found.ignored.length));
}

function isList(schema: unknown): boolean {
  return schema instanceof z.ZodArray;
}

/** The core parses the filter language, and ignores names that it does not know. */
function walkFilters(input: unknown, path: Path, found: Found): void {
  const value = typeof input === "string" ? parsed(input) : input;
  if (!isObject(value) || path.length > 2 * DEEPEST_FILTER) return;
  const known = GROUP.some((name) => Object.hasOwn(value, name)) ? GROUP : CONDITION;
  for (const name of Object.keys(value)) {
    if (!known.includes(name)) {
      if (!mayJudge(found)) return;
      const meant = known.find((one) => isAlike(plainNameOf(name), plainNameOf(one)));
      if (meant === undefined) note(found, [...path, name]);
      else refuse(found, [...path, name], `is not known; write ${meant}`);
    } else if (known === GROUP && Array.isArray(value[name]))
      for (const [index, part] of value[name].entries()) walkFilters(part, [...path, name, index], found);
  }
}

function parsed(text: string): unknown {
  try {
    return parseLimitedJson(text);
  } catch {
    // The core reports what is wrong with it.
    return undefined;
  }
}

interface Place {
  readonly path: Path;
  readonly known: readonly string[];
  readonly found: Found;
}

function judge(name: string, value: unknown, { path, known, found }: Place): void {
  if (!mayJudge(found)) return;
  const meant = isNothing(value) ? undefined : likelyField(name, narrowingNames(known));
  if (meant !== undefined) refuse(found, [...path, name], `is not known; write ${meant}`);
  else if (!isNothing(value) && narrows(name)) refuse(found, [...path, name], NOT_READ);
  else note(found, [...path, name], nearest(name, known));
}

/** The field whose name is almost the same. */
function nearest(name: string, known: readonly string[]): string | undefined {
  if (name.length > LONGEST_NAME) return undefined;
  const plain = plainNameOf(name);
  return known.find((one) => isAlike(plain, plainNameOf(one)));
}

const NOT_KNOWN = "is not known, and unknown fields are not ignored here";
const NOT_READ = "is not read by this request, which would reach or change more than intended; leave it out";

/** True for a field that narrows other requests, however it is spelt. */
function narrows(name: string): boolean {
  return name.length <= LONGEST_NAME && PLAIN_NARROWING.has(plainNameOf(name));
}

function narrowingNames(names: readonly string[]): string[] {
  return names.filter((name) => NARROWING.includes(name));
}

function fieldNamesOf(schema: z.ZodType | undefined): string[] {
  return schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
}

function isNothing(value: unknown): boolean {
  return value === null || value === undefined;
}

function note({ ignored }: Found, path: Path, meant?: string): void {
  if (ignored.length < MOST_NAMED) ignored.push({ path: shownPath(path).join("."), meant });
}

function refuse({ misspelt }: Found, path: Path, message: string): void {
  if (misspelt.length < MOST_NAMED) misspelt.push({ path: shownPath(path), message });
}

function plainNameOf(name: string): string {
  return name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");
}

/** Short names differ little from each other, so fewer differences are tolerated in them. */
function isAlike(one: string, other: string): boolean {
  if (one === other) return true;
  const most = other.length >= 7 ? 2 : other.length >= 5 ? 1 : 0;
  return most > 0 && Math.abs(one.length - other.length) <= most && editDistance(one, other) <= most;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
