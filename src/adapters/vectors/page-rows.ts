const PAGE_BYTES = 384 * 1024;

/** Vectors of one read of the record, so that it takes a millisecond or two. */
export function pageRows(dimensions: number): number {
  return Math.min(1_000, Math.max(16, Math.floor(PAGE_BYTES / (dimensions * 4))));
}
