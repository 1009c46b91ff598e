import type { SourceItem } from "../ports.js";

/** What is read at once is held in memory, and two runs may be active. */
const MOST_BYTES_AT_ONCE = 64 * 1024 * 1024;

/**
 * Splits items into groups that are read concurrently: limited in number, and to as many bytes as fit. An item larger than that
 * is read alone; an item of unknown size counts as nothing.
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
