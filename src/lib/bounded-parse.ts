import * as z from "zod";
import { truncate } from "./truncate.js";

/** What is wrong with a value, and where. */
interface Finding {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

export type BoundedResult<T> = { readonly data: T } | { readonly findings: readonly Finding[] };

/** Limit of a list or a record whose schema has none of its own. */
const MOST_ENTRIES = 10_000;
const MOST_FINDINGS = 20;
const LONGEST_NAME = 64;
const LONGEST_MESSAGE = 300;

/**
 * Checks a value against a schema. The sizes of lists and records are checked before their elements, and at most 20
 * findings are reported, each truncated, so that neither the work nor the answer grows with the input.
 */
export function parseBounded<T>(schema: z.ZodType<T>, value: unknown): BoundedResult<T> {
  const unfit = findUnfit(schema, value, []);
  if (unfit !== null) return { findings: [shorten(unfit)] };
  const result = schema.safeParse(value, { error: plainWords });
  if (result.success) return { data: result.data };
  const issues = result.error.issues.flatMap(furthest);
  const told = issues.slice(0, MOST_FINDINGS).map((issue) => ({
    path: issue.path.map((part) => (typeof part === "number" ? part : String(part))),
    message: messageOf(issue, value),
  }));
  const more = issues.length - told.length;
  if (more > 0) told.push({ path: [], message: `and ${more.toLocaleString("en")} more like these` });
  return { findings: told.map(shorten) };
}

/** The problems of a value with several forms are reported for the closest form if all others reject its type. */
function furthest(issue: z.core.$ZodIssue): z.core.$ZodIssue[] {
  if (issue.code !== "invalid_union") return [issue];
  const [near, ...others] = issue.errors.filter((issues) => issues.some(({ path }) => path.length > 0));
  if (near === undefined || others.length > 0) return [issue];
  return near.flatMap((inner) => furthest({ ...inner, path: [...issue.path, ...inner.path] }));
}

const TYPE_NAMES: Readonly<Record<string, string>> = {
  array: "an array",
  boolean: "true or false",
  int: "a whole number",
  null: "null",
  number: "a number",
  object: "an object",
  record: "an object",
  string: "a string",
};
/** The units of sizes, singular and plural. */
const UNITS: Readonly<Record<string, readonly [one: string, several: string]>> = {
  array: ["entry", "entries"],
  file: ["byte", "bytes"],
  map: ["entry", "entries"],
  set: ["entry", "entries"],
  string: ["character", "characters"],
};

/** A rule without a message in its schema, as the end of a sentence that starts with the field. */
export function plainWords(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case "invalid_type":
      return `must be ${TYPE_NAMES[issue.expected] ?? `of type ${issue.expected}`}`;
    case "invalid_value":
      return `must be ${listChoices(issue.values.map(String))}`;
    case "too_big":
      return describeSize(issue, issue.maximum, ["at most", "less than"]);
    case "too_small":
      return describeSize(issue, issue.minimum, ["at least", "more than"]);
    case "not_multiple_of":
      return `must be a multiple of ${issue.divisor}`;
    case "unrecognized_keys":
      return `has ${issue.keys.length === 1 ? "an unknown field" : "unknown fields"}: ${issue.keys.map((key) => JSON.stringify(key)).join(", ")}`;
    default:
      return "is not valid";
  }
}

/** A list of accepted values: `a`, `a or b`, `one of a, b, c`. */
export function listChoices(values: readonly string[]): string {
  return values.length > 2 ? `one of ${values.join(", ")}` : values.join(" or ");
}

type Sized = { readonly origin: string; readonly inclusive?: boolean; readonly exact?: boolean };

function describeSize(
  { origin, inclusive = true, exact = false }: Sized,
  limit: number | bigint,
  [within, beyond]: readonly [string, string],
): string {
  const unit = UNITS[origin];
  if (unit === undefined) return `must be ${inclusive ? within : beyond} ${limit}`;
  if (origin === "string" && within === "at least" && !exact && Number(limit) === 1) return "must not be empty";
  return `must have ${exact ? "exactly" : inclusive ? within : beyond} ${limit} ${unit[Number(limit) === 1 ? 0 : 1]}`;
}

/** Issues that say what a field would have to be; if the field is missing, that is the better message. */
const TYPE_ISSUES: ReadonlySet<string> = new Set(["invalid_type", "invalid_union", "invalid_value"]);

function messageOf({ code, path, message }: z.core.$ZodIssue, value: unknown): string {
  if (!TYPE_ISSUES.has(code) || !isMissing(value, path)) return message;
  // The accepted values cannot be guessed from the name of a field.
  return code === "invalid_value" && message.startsWith("must ") ? `is missing; it ${message}` : "is missing";
}

/** True for a field that its object lacks. The value itself is never missing: its own rule reports that better. */
function isMissing(value: unknown, path: readonly PropertyKey[]): boolean {
  let place = value;
  for (const [depth, part] of path.entries()) {
    if (typeof place !== "object" || place === null) return false;
    const found: unknown = Reflect.get(place, part);
    if (found === undefined) return depth === path.length - 1;
    place = found;
  }
  return false;
}

function shorten({ path, message }: Finding): Finding {
  return { path: shownPath(path), message: truncate(message, LONGEST_MESSAGE) };
}

/** A path fit for messages: names of fields are the sender's own words. */
export function shownPath(path: Path): (string | number)[] {
  return path.map((part) =>
    typeof part === "number" ? part : truncate(part, LONGEST_NAME).replace(/[\p{Cc}\p{Cs}]/gu, "?"),
  );
}

type Path = readonly (string | number)[];

const DROPPED = "__proto__";

/** The first list or record above its limit, or with a key that would be dropped. Whatever the schema does not know is never inspected. */
function findUnfit(schema: unknown, value: unknown, path: Path): Finding | null {
  if (typeof value !== "object" || value === null) return null;
  if (schema instanceof z.ZodUnion) return findInUnion(schema.options, value, path);
  if (schema instanceof z.ZodArray) return Array.isArray(value) ? findInList(schema, value, path) : null;
  if (schema instanceof z.ZodPipe)
    return findUnfit(schema.in instanceof z.ZodTransform ? schema.out : schema.in, value, path);
  if (schema instanceof z.ZodLazy || isWrapper(schema)) return findUnfit(schema.unwrap(), value, path);
  if (Array.isArray(value)) return null;
  if (schema instanceof z.ZodRecord) return findInRecord(schema, value, path);
  if (schema instanceof z.ZodObject) return findInFields(schema.shape, value, path);
  return null;
}

function isWrapper(schema: unknown) {
  return (
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault ||
    schema instanceof z.ZodCatch ||
    schema instanceof z.ZodReadonly
  );
}

/** Unfit only if no form accepts it. */
function findInUnion(options: readonly unknown[], value: object, path: Path): Finding | null {
  const found = options.filter((option) => takes(option, value)).map((option) => findUnfit(option, value, path));
  return found.includes(null) ? null : (found[0] ?? null);
}

function takes(schema: unknown, value: object): boolean {
  return schema instanceof z.ZodArray === Array.isArray(value);
}

/** The limits of lists without their elements; cached per list, as creating one is slow. */
const lengths = new WeakMap<z.ZodArray, z.ZodArray | null>();

function lengthOf(schema: z.ZodArray): z.ZodArray | null {
  const known = lengths.get(schema);
  if (known !== undefined) return known;
  const own = (schema.def.checks ?? []).filter(({ _zod }) => _zod.def.check === "max_length");
  const made = own.length === 0 ? null : z.array(z.unknown()).check(...(own as z.core.$ZodCheck<unknown[]>[]));
  lengths.set(schema, made);
  return made;
}

function findInList(schema: z.ZodArray, list: readonly unknown[], path: Path): Finding | null {
  const limit = lengthOf(schema);
  const told = limit?.safeParse(list, { error: plainWords }).error?.issues[0];
  if (told !== undefined) return { path, message: told.message };
  if (limit === null && list.length > MOST_ENTRIES) return { path, message: tooMany("entries", list.length) };
  for (const [index, item] of list.entries()) {
    const found = findUnfit(schema.element, item, [...path, index]);
    if (found !== null) return found;
  }
  return null;
}

function findInRecord(schema: z.ZodRecord, value: object, path: Path): Finding | null {
  const names = Object.keys(value);
  // The library would drop it without a word.
  if (names.includes(DROPPED)) return { path: [...path, DROPPED], message: "is not a possible key; use another name" };
  if (names.length > MOST_ENTRIES) return { path, message: tooMany("fields", names.length) };
  return findInValues(names, value, { schemaOf: () => schema.valueType, path });
}

function findInFields(shape: Readonly<Record<string, unknown>>, value: object, path: Path): Finding | null {
  return findInValues(Object.keys(shape), value, { schemaOf: (name) => shape[name], path });
}

function findInValues(
  names: readonly string[],
  value: object,
  { schemaOf, path }: { readonly schemaOf: (name: string) => unknown; readonly path: Path },
): Finding | null {
  for (const name of names) {
    const found = findUnfit(schemaOf(name), Object(value)[name], [...path, name]);
    if (found !== null) return found;
  }
  return null;
}

function tooMany(what: string, count: number): string {
  return `has ${count.toLocaleString("en")} ${what}, at most ${MOST_ENTRIES.toLocaleString("en")} are accepted`;
}
