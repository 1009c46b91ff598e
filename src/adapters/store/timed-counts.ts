import type { Counted, CountCache } from "./text-cache.js";

/** Smaller scopes are counted quickly, and a few more units change how rare their words are. */
const LARGE = 10_000;
const LASTS_MS = 10_000;
const SCOPES_REMEMBERED = 200;
/** Characters; a scope is named by its containers, and there may be thousands. */
const LONGEST_REMEMBERED = 20_000;

/**
 * Counts of large scopes for some seconds, where nothing tells what other services change. Counts only show how rare words are:
 * results are never missing because of them.
 */
export function createTimedCounts(now: () => number = () => performance.now()): CountCache {
  const remembered = new Map<string, { readonly counted: Counted; readonly until: number }>();
  return {
    async counted(scope, count) {
      const known = remembered.get(scope);
      if (known && now() < known.until) return known.counted;
      const counted = { total: await count(), words: new Map<string, number>() };
      remembered.delete(scope);
      if (counted.total < LARGE || scope.length > LONGEST_REMEMBERED) return counted;
      remembered.set(scope, { counted, until: now() + LASTS_MS });
      const oldest = remembered.size > SCOPES_REMEMBERED ? remembered.keys().next() : undefined;
      if (oldest && !oldest.done) remembered.delete(oldest.value);
      return counted;
    },
  };
}
