import { FILTER_KEY, FILTER_KEY_RULE, findBadValue, invalid } from "../input.js";
import type { FilterCondition, FilterExpression } from "../types.js";
import { parseLimitedJson } from "../../lib/limited-json.js";

const MAX_DEPTH = 8;
const MAX_CONDITIONS = 200;
const MAX_GROUPS = 200;
/** Comparing a value with large metadata takes time in proportion to it, and with some texts to the product of both lengths. */
const MAX_SOUGHT = 50;
const MAX_SOUGHT_CHARACTERS = 1_000;
const MAX_CHARACTERS = 20_000;
const TYPES = ["metadata", "numeric", "array_contains", "string_contains"] as const;
const OPERATORS = [">", "<", ">=", "<=", "=", "!="] as const;

/**
 * Parses the filter language of contract 1.13: an object with AND or OR, or the same as JSON text.
 * @throws AppError `invalid` that names the location and the rule
 */
export function parseFilters(input: unknown): FilterExpression | undefined {
  if (input === undefined || input === null) return undefined;
  const value = typeof input === "string" ? readJson(input) : input;
  const counter = { conditions: 0, groups: 0, characters: 0, sought: 0 };
  return parseGroup(value, ["filters"], counter);
}

type Path = readonly (string | number)[];

interface Counter {
  conditions: number;
  groups: number;
  /** Conditions that look for a text within values. */
  sought: number;
  /** Of all keys and values. */
  characters: number;
}

function readJson(text: string): unknown {
  try {
    return parseLimitedJson(text);
  } catch {
    throw invalid([{ path: ["filters"], message: "is a string that is not JSON" }]);
  }
}

function fail(path: Path, message: string): never {
  throw invalid([{ path, message }]);
}

/** The error message for a value that is not a filter. */
export const FILTERS_SHAPE = `must be an object with AND or OR, like {"AND": [{"key": "topic", "value": "bees"}]}`;

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function parseGroup(value: unknown, path: Path, counter: Counter): FilterExpression {
  if (!isObject(value) || !("AND" in value || "OR" in value)) fail(path, FILTERS_SHAPE);
  if ((path.length - 1) / 2 >= MAX_DEPTH) fail(path, `must not be nested deeper than ${MAX_DEPTH} levels`);
  counter.groups += 1;
  if (counter.groups > MAX_GROUPS) fail(path, `there must be at most ${MAX_GROUPS} groups`);
  const all = "AND" in value ? parseList(value["AND"], [...path, "AND"], counter) : null;
  const any = "OR" in value ? parseList(value["OR"], [...path, "OR"], counter) : null;
  if (all && any) return { all: [{ all }, { any }] };
  return all ? { all } : { any: any ?? [] };
}

function parseList(value: unknown, path: Path, counter: Counter): FilterExpression[] {
  if (!Array.isArray(value)) fail(path, "must be an array");
  return value.map((item: unknown, index) => {
    const at = [...path, index];
    if (isObject(item) && ("AND" in item || "OR" in item)) return parseGroup(item, at, counter);
    counter.conditions += 1;
    if (counter.conditions > MAX_CONDITIONS) fail(at, `there must be at most ${MAX_CONDITIONS} conditions`);
    const condition = parseCondition(item, at);
    if (condition.type === "string_contains") counter.sought += 1;
    if (counter.sought > MAX_SOUGHT)
      fail(at, `there must be at most ${MAX_SOUGHT} conditions whose filterType is string_contains`);
    counter.characters += condition.key.length + condition.value.length;
    if (counter.characters > MAX_CHARACTERS)
      fail(at, `the keys and values of all conditions must have at most ${MAX_CHARACTERS} characters together`);
    return condition;
  });
}

function parseCondition(value: unknown, path: Path): FilterCondition {
  if (!isObject(value)) fail(path, "must be a condition with key and value, or an object with AND or OR");
  for (const field of ["key", "value"]) if (value[field] === undefined) fail([...path, field], "is missing");
  const key = value["key"];
  if (typeof key !== "string" || !FILTER_KEY.test(key)) fail([...path, "key"], FILTER_KEY_RULE);
  const wanted = value["value"];
  if (typeof wanted !== "string" && typeof wanted !== "number" && typeof wanted !== "boolean")
    fail([...path, "value"], "must be a string");
  const bad = findBadValue(wanted);
  if (bad) fail([...path, "value"], bad);
  const type = oneOf(TYPES, value["filterType"] ?? "metadata", [...path, "filterType"]);
  // Some clients send an operator with every condition (contract 1.17).
  const operator =
    type === "numeric" ? oneOf(OPERATORS, value["numericOperator"] ?? "=", [...path, "numericOperator"]) : "=";
  if (type === "numeric" && (String(wanted).trim() === "" || !Number.isFinite(Number(wanted))))
    fail([...path, "value"], "must be a number, because filterType is numeric");
  if (type === "string_contains" && String(wanted).length > MAX_SOUGHT_CHARACTERS)
    fail(
      [...path, "value"],
      `must have at most ${MAX_SOUGHT_CHARACTERS} characters, because filterType is string_contains`,
    );
  return {
    key,
    value: String(wanted),
    type,
    operator,
    negate: flag(value["negate"], [...path, "negate"]),
    ignoreCase: flag(value["ignoreCase"], [...path, "ignoreCase"]),
  };
}

function oneOf<T extends string>(members: readonly T[], value: unknown, path: Path): T {
  const found = members.find((member) => member === value);
  return found ?? fail(path, `must be one of ${members.join(", ")}`);
}

function flag(value: unknown, path: Path): boolean {
  if (value === undefined || value === null || value === false || value === "false") return false;
  if (value === true || value === "true") return true;
  return fail(path, "must be true or false");
}
