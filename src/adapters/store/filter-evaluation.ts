import type { FilterCondition, FilterExpression } from "../../core/types.js";
import { containsText } from "../../lib/contains-text.js";

/** Metadata as parsed; null for none. */
export type Values = Readonly<Record<string, unknown>> | null;

/** Whether metadata satisfies a filter (contract 1.13). */
export function satisfies(expression: FilterExpression, metadata: Values): boolean {
  const members = new Members(metadata);
  return holdsWhere(expression, (condition) => conditionHolds(condition, members));
}

/** Which conditions of a filter some metadata satisfies, in their order: `1` or `0`, or `y` or `n` where it does not have the key. */
export function heldConditions(expression: FilterExpression, metadata: Values): string {
  const members = new Members(metadata);
  const held = conditionsOf(expression).map((condition) => {
    const isHeld = conditionHolds(condition, members);
    return members.has(condition.key) ? (isHeld ? "1" : "0") : isHeld ? "y" : "n";
  });
  return held.join("");
}

/**
 * Whether a memory satisfies a filter: its own metadata decides where it has the key, otherwise that of any of its documents.
 * @param own as `heldConditions` returns it, like those of the documents
 */
export function memorySatisfies(expression: FilterExpression, own: string, documents: readonly string[]): boolean {
  const places = new Map(conditionsOf(expression).map((condition, place) => [condition, place]));
  return holdsWhere(expression, (condition) => {
    const place = places.get(condition) ?? -1;
    if (own[place] === "1" || own[place] === "0") return own[place] === "1";
    const judges = documents.length > 0 ? documents : [own];
    return judges.some((held) => held[place] === "1" || held[place] === "y");
  });
}

/** All conditions of a filter, in their order. */
export function conditionsOf(expression: FilterExpression): FilterCondition[] {
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

/** The members of some metadata; each is folded and divided once, however many conditions name it. */
class Members {
  readonly #values: Values;
  readonly #texts = new Map<string, string | null>();
  readonly #elements = new Map<string, ReadonlySet<string>>();
  readonly #numbers = new Map<string, number | null>();

  constructor(values: Values) {
    this.#values = values;
  }

  has(key: string): boolean {
    return this.#values !== null && Object.hasOwn(this.#values, key);
  }

  value(key: string): unknown {
    return this.has(key) ? this.#values?.[key] : undefined;
  }

  /** A number, also one written as text; null for anything else. */
  number({ key }: FilterCondition): number | null {
    return remember(this.#numbers, key, () => {
      const value = this.value(key);
      return typeof value === "number" ? value : typeof value === "string" ? numberOf(value) : null;
    });
  }

  /** A scalar as text; null for anything else. */
  text({ key, ignoreCase }: FilterCondition): string | null {
    return remember(this.#texts, `${ignoreCase} ${key}`, () => {
      const value = this.value(key);
      if (value === undefined || (typeof value === "object" && value !== null)) return null;
      return fold(value, ignoreCase);
    });
  }

  /** The elements of an array as texts; none for anything else. */
  elements({ key, ignoreCase }: FilterCondition): ReadonlySet<string> {
    return remember(this.#elements, `${ignoreCase} ${key}`, () => {
      const value = this.value(key);
      return new Set(Array.isArray(value) ? value.map((item) => fold(item, ignoreCase)) : []);
    });
  }
}

function remember<Value>(known: Map<string, Value>, name: string, make: () => Value): Value {
  const found = known.get(name);
  if (found !== undefined) return found;
  const made = make();
  known.set(name, made);
  return made;
}

function fold(value: unknown, ignoreCase: boolean): string {
  return ignoreCase ? String(value).toLowerCase() : String(value);
}

function conditionHolds(condition: FilterCondition, members: Members): boolean {
  if (condition.type === "numeric") return numberHolds(condition, members.number(condition));
  return textHolds(condition, members) !== condition.negate;
}

function textHolds(condition: FilterCondition, members: Members): boolean {
  const wanted = fold(condition.value, condition.ignoreCase);
  const text = members.text(condition);
  if (text === null) return condition.type === "array_contains" && members.elements(condition).has(wanted);
  return condition.type === "string_contains" ? containsText(text, wanted) : text === wanted;
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
function numberHolds({ value, operator, negate }: FilterCondition, number: number | null): boolean {
  return number !== null && COMPARISONS[operator](number, Number(value)) !== negate;
}

/** A number written as text; null for any other text. */
export function numberOf(text: string): number | null {
  const trimmed = text.trim();
  return trimmed !== "" && Number.isFinite(Number(trimmed)) ? Number(trimmed) : null;
}
