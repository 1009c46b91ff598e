import { AppError } from "../../core/errors.js";
import type { VectorQuery } from "../../core/ports.js";

/**
 * @returns false when the query cannot have hits: no container, no kind, limit 0, or nothing to choose from
 * @throws AppError `invalid` when the vector does not fit its space or the limit is not a whole number
 */
export function checkVectorQuery(query: VectorQuery): boolean {
  const { vector, space, limit } = query;
  if (vector.length !== space.dimensions) {
    throw new AppError(
      "invalid",
      `The query vector has ${vector.length} dimensions, but its space has ${space.dimensions}. Embed the query with the embedder of that space.`,
    );
  }
  if (!vector.every(Number.isFinite)) {
    throw new AppError("invalid", "The query vector contains NaN or an infinite number. Check the embedder.");
  }
  if (!Number.isInteger(limit) || limit < 0) {
    throw new AppError("invalid", `The limit of a vector search must be a whole number of at least 0, not ${limit}.`);
  }
  return limit > 0 && query.containerIds.length > 0 && query.kinds.length > 0 && query.among?.size !== 0;
}
