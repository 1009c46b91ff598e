import type { ChangeFeed } from "./change-feed.js";
import { createDetailCache, type DetailCache } from "./detail-cache.js";
import { createMatchingCache, type MatchingCache } from "./matching-cache.js";
import { type CountCache, createTextCache, type TextCache } from "./text-cache.js";

/** What searches cache of the record, shared by all of them. */
export interface UnitCaches {
  readonly counts: CountCache;
  /** Caches that are told of every change; absent where other processes write too. */
  readonly followed?: FollowedCaches;
}

interface FollowedCaches {
  readonly details: DetailCache;
  readonly matching: MatchingCache;
  readonly texts: TextCache;
}

export function createUnitCaches(feed: ChangeFeed): UnitCaches {
  const texts = createTextCache(feed);
  return { counts: texts, followed: { details: createDetailCache(feed), matching: createMatchingCache(feed), texts } };
}
