import { FILTER_KEY, FILTER_KEY_RULE, metadataSchema } from "../input.js";
import type { FilterCondition, FilterExpression, Metadata } from "../types.js";

const MOST_CONDITIONS = 200;

/** `filterByMetadata`: as metadata, with the limits of filters. */
export const contextFilterSchema = metadataSchema.superRefine((metadata, context) => {
  const conditions = Object.values(metadata).flat().length;
  if (conditions > MOST_CONDITIONS)
    context.addIssue({ code: "custom", message: `must have at most ${MOST_CONDITIONS} values, and has ${conditions}` });
  for (const key of Object.keys(metadata))
    if (!FILTER_KEY.test(key)) context.addIssue({ code: "custom", path: [key], message: FILTER_KEY_RULE });
});

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
