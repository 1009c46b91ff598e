import type * as z from "zod";
import { invalid, type metadataSchema, textSchema } from "../input.js";
import type { Repositories } from "../ports.js";
import { parseFilters } from "../search/filters.js";
import type { FilterCondition, FilterExpression, Memory } from "../types.js";

type SentMetadata = z.output<typeof metadataSchema>;

/** Metadata key that says who a document belongs to, where many users share a container (contract 1.18). */
const KEY = "endUserId";

/** Name of an end user. */
export const endUserSchema = textSchema({ maxLength: 1_000 });

/** The end user of an added item, as described to callers. */
export const endUserOfAddition = endUserSchema
  .optional()
  .describe("Its end user, kept as `endUserId` in the metadata, which narrows searches, lists and profiles.");

/**
 * Metadata that says who something belongs to.
 * @throws AppError `invalid` when it already names somebody else
 */
export function withEndUser(
  metadata: SentMetadata | undefined,
  endUserId: string | undefined,
): SentMetadata | undefined {
  if (endUserId === undefined) return metadata;
  const named = metadata?.[KEY];
  if (named !== undefined && named !== endUserId)
    throw invalid([{ path: [KEY], message: "differs from the endUserId of the metadata; omit one of them" }]);
  return { ...metadata, [KEY]: endUserId };
}

/**
 * The filter of a request combined with its end user; both must hold.
 * @throws AppError `invalid` for filters that cannot be parsed
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

interface Described {
  readonly metadata: Readonly<Record<string, unknown>> | null;
}

/**
 * Whether a document belongs to the end user of a request, by the same rule as its filter; without an end user every document
 * does.
 */
export function belongsToEndUser(endUserId: string | undefined, { metadata }: Described): boolean {
  if (endUserId === undefined) return true;
  const named = metadata?.[KEY];
  const isPlain = typeof named === "string" || typeof named === "number" || typeof named === "boolean";
  return isPlain && String(named) === endUserId;
}

/**
 * Tells which of these memories the end user of a request stated, by the same rule as its filter; without an end user all of
 * them.
 */
export async function judgeStatements(
  { memories: store, documents }: Pick<Repositories, "memories" | "documents">,
  organizationId: string,
  endUserId: string | undefined,
  memories: readonly Memory[],
): Promise<(memory: Memory) => boolean> {
  if (endUserId === undefined || memories.length === 0) return () => true;
  const ids = [...new Set(memories.map(({ id }) => id))];
  const sources = await store.sources(organizationId, ids);
  const heads = await documents.headsByIds(organizationId, [...new Set(sources.map(({ documentId }) => documentId))]);
  const own = new Set(heads.filter((head) => belongsToEndUser(endUserId, head)).map(({ id }) => id));
  const stated = new Set(sources.flatMap(({ memoryId, documentId }) => (own.has(documentId) ? [memoryId] : [])));
  return (memory) =>
    memory.metadata?.[KEY] === undefined ? stated.has(memory.id) : belongsToEndUser(endUserId, memory);
}
