import type { FilterCondition, FilterExpression, Metadata } from "../types.js";

/**
 * Which memories may serve as context for a document, from its `filterByMetadata` (contract 2.1): single values match exactly,
 * lists match any of their values, and all keys must match.
 */
export function contextFilter(metadata: Metadata): FilterExpression {
  return {
    all: Object.entries(metadata).map(([key, value]): FilterExpression =>
      Array.isArray(value) ? { any: value.map((one) => conditionOf(key, one)) } : conditionOf(key, value),
    ),
  };
}

function conditionOf(key: string, value: unknown): FilterCondition {
  const type = typeof value === "number" ? "numeric" : "metadata";
  return { key, value: String(value), type, operator: "=", negate: false, ignoreCase: false };
}
