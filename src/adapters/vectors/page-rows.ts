const PAGE_BYTES = 192 * 1024;

/** Vectors of one read of the record, so that it takes about a millisecond. */
export function pageRows(dimensions: number): number {
  return Math.min(1_000, Math.max(16, Math.floor(PAGE_BYTES / (dimensions * 4))));
}
