import type { Memory } from "../../../core/types.js";

/**
 * The metadata of a memory as it is told, with the names that it is about and the keys of the buckets that its author chose
 * (contract 4.7). What a caller wrote under these names stays.
 */
export function presentMetadata({ metadata, entities, buckets }: Memory): Memory["metadata"] {
  if (!entities?.length && !buckets?.keys.length) return metadata;
  return {
    ...(entities?.length && { entities }),
    ...(buckets?.keys.length && { buckets: buckets.keys }),
    ...metadata,
  };
}
