import type * as z from "zod";
import { invalid, type metadataSchema, textSchema } from "../input.js";
import { parseFilters } from "../search/filters.js";
import type { FilterCondition, FilterExpression } from "../types.js";

type SentMetadata = z.output<typeof metadataSchema>;

/** Key of the metadata that says whom a document belongs to, where many users share a container (contract 1.18). */
const KEY = "endUserId";

/** Name of an end user. */
export const endUserSchema = textSchema({ maxLength: 1_000 });

/** The end user of an addition, as its request describes it. */
export const endUserOfAddition = endUserSchema
  .optional()
  .describe("Whom it belongs to: kept as `endUserId` in the metadata, which narrows searches, lists and profiles.");

/**
 * Metadata that says whom something belongs to.
 * @throws AppError `invalid` when it names somebody else already
 */
export function withEndUser(
  metadata: SentMetadata | undefined,
  endUserId: string | undefined,
): SentMetadata | undefined {
  if (endUserId === undefined) return metadata;
  const named = metadata?.[KEY];
  if (named !== undefined && named !== endUserId)
    throw invalid([{ path: [KEY], message: "differs from the endUserId of the metadata; leave one of them out" }]);
  return { ...metadata, [KEY]: endUserId };
}

/**
 * The filter of a request and its end user, both of which must hold.
 * @throws AppError `invalid` for filters that cannot be read
 */
export function filtersOf(input: {
  readonly filters?: unknown;
  readonly endUserId?: string | undefined;
}): FilterExpression | undefined {
  const filters = parseFilters(input.filters);
  if (input.endUserId === undefined) return filters;
  const condition: FilterCondition = {
    key: KEY,
    value: input.endUserId,
    type: "metadata",
    operator: "=",
    negate: false,
    ignoreCase: false,
  };
  return { all: [condition, ...(filters ? [filters] : [])] };
}
