import type { Memory } from "../../../core/types.js";

/**
 * A memory's metadata as clients see it, with the names it is about and the keys of the buckets that its author chose (contract
 * 4.7). A caller's own values under these names take precedence.
 */
export function presentMetadata({ metadata, entities, buckets }: Memory): Memory["metadata"] {
  if (!entities?.length && !buckets?.keys.length) return metadata;
  return {
    ...(entities?.length && { entities }),
    ...(buckets?.keys.length && { buckets: buckets.keys }),
    ...metadata,
  };
}
