import { PerformanceObserver } from "node:perf_hooks";
import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8";

/** Size of both halves, of which one is in use at a time. */
const LARGE_ENOUGH = 12 * 1024 * 1024;
/** From the megabyte that V8 starts with, and returns to when idle, to halves of 8 MB in one step. */
const GROW = 8;
const STAY = 1;

/**
 * Lets V8's young generation grow to two halves of 8 MB, instead of two of 16 MB as in any busy program: 15 to 20 MB
 * less, at the same speed. V8 has a setting for that, but reads it only from the command line, whereas it asks for the
 * growth factor every time. V8 shrinks the space of an idle program, so it is checked after each collection.
 */
export function limitYoungGeneration(): void {
  let growth = STAY;
  letGrow(growth);
  new PerformanceObserver(() => {
    const wanted = sizeOfNewSpace() < LARGE_ENOUGH ? GROW : STAY;
    if (wanted !== growth) letGrow((growth = wanted));
  }).observe({ entryTypes: ["gc"] });
}

function letGrow(factor: number): void {
  setFlagsFromString(`--semi-space-growth-factor=${factor}`);
}

function sizeOfNewSpace(): number {
  return getHeapSpaceStatistics().find((space) => space.space_name === "new_space")?.space_size ?? 0;
}
