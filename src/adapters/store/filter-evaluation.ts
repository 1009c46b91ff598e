import type { FilterCondition, FilterExpression } from "../../core/types.js";

/** Metadata as parsed; null for none. */
export type Values = Readonly<Record<string, unknown>> | null;

/** Whether metadata satisfies a filter (contract 1.13). */
export function satisfies(expression: FilterExpression, metadata: Values): boolean {
  return holdsWhere(expression, (condition) => conditionHolds(condition, valueOf(metadata, condition.key)));
}

/** Which conditions of a filter some metadata satisfies: a 1 or 0 for each, in their order. */
export function heldConditions(expression: FilterExpression, metadata: Values): string {
  const held = conditionsOf(expression).map((condition) =>
    conditionHolds(condition, valueOf(metadata, condition.key)) ? "1" : "0",
  );
  return held.join("");
}

/**
 * Whether a memory satisfies a filter: its own metadata decides where it has the key, otherwise that of any of its documents.
 * @param documents as `heldConditions` returns them
 */
export function memorySatisfies(expression: FilterExpression, own: Values, documents: readonly string[]): boolean {
  const places = new Map(conditionsOf(expression).map((condition, place) => [condition, place]));
  return holdsWhere(expression, (condition) => {
    const value = valueOf(own, condition.key);
    if (value !== undefined || documents.length === 0) return conditionHolds(condition, value);
    return documents.some((held) => held[places.get(condition) ?? -1] === "1");
  });
}

function conditionsOf(expression: FilterExpression): FilterCondition[] {
  if ("all" in expression) return expression.all.flatMap(conditionsOf);
  if ("any" in expression) return expression.any.flatMap(conditionsOf);
  return [expression];
}

function holdsWhere(expression: FilterExpression, holds: (condition: FilterCondition) => boolean): boolean {
  if ("all" in expression) return expression.all.every((part) => holdsWhere(part, holds));
  // An empty list filters nothing (contract 1.16).
  if ("any" in expression) return expression.any.length === 0 || expression.any.some((part) => holdsWhere(part, holds));
  return holds(expression);
}

function valueOf(metadata: Values, key: string): unknown {
  return metadata && Object.hasOwn(metadata, key) ? metadata[key] : undefined;
}

/** @param stored undefined for a missing key */
function conditionHolds(condition: FilterCondition, stored: unknown): boolean {
  if (condition.type === "numeric") return numberHolds(condition, stored);
  return textHolds(condition, stored) !== condition.negate;
}

function textHolds({ type, value, ignoreCase }: FilterCondition, stored: unknown): boolean {
  const fold = (item: unknown): string => (ignoreCase ? String(item).toLowerCase() : String(item));
  const wanted = fold(value);
  if (Array.isArray(stored)) return type === "array_contains" && stored.some((item) => fold(item) === wanted);
  if (stored === undefined || (typeof stored === "object" && stored !== null)) return false;
  return type === "string_contains" ? fold(stored).includes(wanted) : fold(stored) === wanted;
}

const COMPARISONS: Readonly<Record<FilterCondition["operator"], (one: number, other: number) => boolean>> = {
  "<": (one, other) => one < other,
  "<=": (one, other) => one <= other,
  ">": (one, other) => one > other,
  ">=": (one, other) => one >= other,
  "=": (one, other) => one === other,
  "!=": (one, other) => one !== other,
};

/** A value that is not a number never matches, also where the condition is negated. */
function numberHolds({ value, operator, negate }: FilterCondition, stored: unknown): boolean {
  const number = typeof stored === "number" ? stored : typeof stored === "string" ? numberOf(stored) : null;
  return number !== null && COMPARISONS[operator](number, Number(value)) !== negate;
}

/** A number written as text; null for any other text. */
export function numberOf(text: string): number | null {
  const trimmed = text.trim();
  return trimmed !== "" && Number.isFinite(Number(trimmed)) ? Number(trimmed) : null;
}
