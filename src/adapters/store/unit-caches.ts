import type { ChangeFeed } from "./change-feed.js";
import { createDetailCache, type DetailCache } from "./detail-cache.js";
import { createMatchingCache, type MatchingCache } from "./matching-cache.js";
import { createTextCache, type TextCache } from "./text-cache.js";

/** What searches cache of the record, shared by all of them. */
export interface UnitCaches {
  readonly details: DetailCache;
  readonly matching: MatchingCache;
  readonly texts: TextCache;
}

export function createUnitCaches(feed: ChangeFeed): UnitCaches {
  return {
    details: createDetailCache(feed),
    matching: createMatchingCache(feed),
    texts: createTextCache(feed),
  };
}
