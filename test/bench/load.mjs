import { percentile } from "./statistics.mjs";

/**
 * Several callers, each sending the next call when it has its answer, until all of `count` are done or the time is up.
 * `work` gets the number of the call. Times are those of the caller, in milliseconds.
 */
export async function applyLoad({ callers, count = Infinity, milliseconds = Infinity, work }) {
  const times = [];
  const started = performance.now();
  let next = 0;
  const call = async () => {
    while (next < count && performance.now() - started < milliseconds) {
      const index = next++;
      const before = performance.now();
      await work(index);
      times.push(performance.now() - before);
    }
  };
  await Promise.all(Array.from({ length: callers }, call));
  const seconds = (performance.now() - started) / 1_000;
  return { ...summarise(times), seconds, perSecond: times.length / seconds };
}

/** Percentiles of times. */
export function summarise(times) {
  const sorted = [...times].sort((a, b) => a - b);
  return {
    count: sorted.length,
    p50: percentile(sorted, 0.5),
    p95: percentile(sorted, 0.95),
    p99: percentile(sorted, 0.99),
    longest: sorted.at(-1),
  };
}

export async function timeOf(work) {
  const started = performance.now();
  const result = await work();
  return { milliseconds: performance.now() - started, result };
}

export function pause(milliseconds) {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
