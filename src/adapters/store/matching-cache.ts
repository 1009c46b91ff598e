import type { Unit } from "../../core/types.js";
import type { ChangeFeed, Watched } from "./change-feed.js";

/** Answers to conditions, as long as nothing can have changed. */
export interface MatchingCache {
  /** @param find asked where the answer is not known */
  answer(key: string, find: () => Promise<readonly Unit[]>): Promise<readonly Unit[]>;
}

/** Units that are remembered for all conditions together; up to 30 bytes each. */
const MOST_UNITS = 300_000;
/** Conditions of more than so many characters are asked once: they list what was found before. */
const LONGEST_CONDITION = 4_000;

const TABLES = ["memories", "memory_sources", "documents", "chunks", "document_containers"];
const ANYTHING = "select 0 as unit";
const WATCHED: Watched = Object.fromEntries(
  TABLES.flatMap((table) => ["insert", "update", "delete"].map((kind) => [`${kind} on ${table}`, ANYTHING])),
);

/**
 * To find the units that satisfy a condition, every unit of the scope is looked at, so that the answers are kept until
 * something changes: the same agent asks with the same filter again and again.
 */
export function createMatchingCache(feed: ChangeFeed): MatchingCache {
  let answers = new Map<string, readonly Unit[]>();
  let kept = 0;

  function forget(): void {
    answers = new Map();
    kept = 0;
  }

  feed.watch(WATCHED, forget);

  return {
    async answer(key, find) {
      if (key.length > LONGEST_CONDITION) return find();
      const into = answers;
      const known = into.get(key);
      if (known) return known;
      const found = await find();
      if (kept + found.length > MOST_UNITS) forget();
      // What was asked before a change belongs to what was forgotten with it.
      if (into === answers) {
        into.set(key, found);
        kept += found.length;
      }
      return found;
    },
  };
}
