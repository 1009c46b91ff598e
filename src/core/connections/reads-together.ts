import type { SourceItem } from "../ports.js";

/** What is read at once is held in memory; two runs go on at the same time. */
const MOST_BYTES_AT_ONCE = 64 * 1024 * 1024;

/**
 * Parts a row into what is read at the same time: at most so many, and no more bytes than fit. What is larger than that is
 * read alone; what a source tells no size of counts as nothing.
 */
export function* readsTogether<T extends { readonly item: SourceItem }>(
  readings: readonly T[],
  readsAtOnce: number,
): Generator<readonly T[]> {
  let together: T[] = [];
  let bytes = 0;
  for (const reading of readings) {
    const { size = 0 } = reading.item;
    if (together.length > 0 && (together.length === readsAtOnce || bytes + size > MOST_BYTES_AT_ONCE)) {
      yield together;
      together = [];
      bytes = 0;
    }
    together.push(reading);
    bytes += size;
  }
  if (together.length > 0) yield together;
}
