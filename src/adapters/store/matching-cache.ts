import type { Unit } from "../../core/types.js";
import { CHUNKS_OF, MEMORY_OF, type ChangeFeed, type Watched } from "./change-feed.js";
import { ChangedUnits } from "./changed-units.js";

/** How to find the units that satisfy a condition. */
export interface Finder {
  all(): Promise<readonly Unit[]>;
  /** Those among the given units. */
  some(units: readonly Unit[]): Promise<readonly Unit[]>;
}

/** Cached answers to conditions, kept up to date. */
export interface MatchingCache {
  /** Returns the same list as long as none of its units has changed. */
  answer(key: string, find: Finder): Promise<readonly Unit[]>;
}

/** An answer, and how many changes it includes at least. */
interface Answer {
  readonly units: readonly Unit[];
  readonly changes: number;
}

/** Units cached for all conditions together; up to 30 bytes each. */
const MOST_UNITS = 300_000;
/** Most conditions cached: one that no unit satisfies takes no units, but still an entry. */
const MOST_CONDITIONS = 5_000;
/** Longer conditions, in characters, are not cached: they list earlier results. */
const LONGEST_CONDITION = 4_000;

const ALL_OF = (documentId: string): string =>
  `${CHUNKS_OF(documentId)} union all select memories.seq * 2 + 1 from main.memory_sources sources
    join main.memories on memories.id = sources.memory_id where sources.document_id = ${documentId}`;

const WATCHED: Watched = {
  "insert on memories": "select new.seq * 2 + 1 as unit",
  "update of container_id, is_latest, is_forgotten, is_static, metadata on memories": "select new.seq * 2 + 1 as unit",
  "delete on memories": "select old.seq * 2 + 1 as unit",
  "insert on memory_sources": MEMORY_OF("new.memory_id"),
  "update on memory_sources": MEMORY_OF("new.memory_id"),
  "delete on memory_sources": MEMORY_OF("old.memory_id"),
  "update of metadata, filepath on documents": ALL_OF("new.id"),
  "delete on documents": ALL_OF("old.id"),
  "insert on chunks": "select new.seq * 2 as unit",
  "delete on chunks": "select old.seq * 2 as unit",
  "insert on document_containers": CHUNKS_OF("new.document_id"),
  "update on document_containers": `${CHUNKS_OF("new.document_id")} union ${CHUNKS_OF("old.document_id")}`,
  "delete on document_containers": CHUNKS_OF("old.document_id"),
};

/**
 * Finding the units that satisfy a condition may mean looking at every unit of the scope. Agents repeat the same filter again
 * and again, so answers are kept, and only changed units are looked at anew.
 */
export function createMatchingCache(feed: ChangeFeed, mostUnits = MOST_UNITS): MatchingCache {
  return new FollowedAnswers(feed, mostUnits);
}

class FollowedAnswers implements MatchingCache {
  readonly #mostUnits: number;
  readonly #answers = new Map<string, Promise<Answer>>();
  readonly #sizes = new Map<string, number>();
  readonly #changed = new ChangedUnits();
  #kept = 0;

  constructor(feed: ChangeFeed, mostUnits: number) {
    this.#mostUnits = mostUnits;
    feed.watch(WATCHED, (units) => (units === "all" ? this.#changed.noteAll() : this.#changed.note(units)));
  }

  async answer(key: string, find: Finder): Promise<readonly Unit[]> {
    if (key.length > LONGEST_CONDITION) return find.all();
    const wanted = this.#changed.count;
    for (;;) {
      const known = this.#answers.get(key);
      const answer = await known;
      if (answer && answer.changes >= wanted) return answer.units;
      // Another search may have begun to look meanwhile.
      if (this.#answers.get(key) !== known) continue;
      const fresh = await this.#keep(key, this.#bring(answer, find));
      if (fresh.changes >= wanted) return fresh.units;
    }
  }

  #forget(key: string): void {
    this.#answers.delete(key);
    this.#kept -= this.#sizes.get(key) ?? 0;
    this.#sizes.delete(key);
  }

  #forgetOldest(): void {
    const [oldest] = this.#answers.keys();
    if (oldest !== undefined) this.#forget(oldest);
  }

  /** Replaces an answer; callers that arrive meanwhile wait for the new one. */
  async #keep(key: string, finding: Promise<Answer>): Promise<Answer> {
    this.#forget(key);
    this.#answers.set(key, finding);
    try {
      const answer = await finding;
      if (this.#answers.get(key) !== finding) return answer;
      this.#sizes.set(key, answer.units.length);
      this.#kept += answer.units.length;
      while (this.#kept > this.#mostUnits || this.#answers.size > MOST_CONDITIONS) this.#forgetOldest();
      return answer;
    } catch (error) {
      if (this.#answers.get(key) === finding) this.#forget(key);
      throw error;
    }
  }

  /** Brings an answer up to date with all changes so far. */
  async #bring(known: Answer | undefined, find: Finder): Promise<Answer> {
    const isLost = known === undefined || this.#changed.since(known.changes) === null;
    const { units, changes } = isLost ? await this.#findAll(find) : known;
    const count = this.#changed.count;
    const since = this.#changed.since(changes);
    if (since === null || since.size === 0) return { units, changes: since ? count : changes };
    const now = await find.some([...since]);
    const others = units.filter((unit) => !since.has(unit));
    const isSame = now.length === 0 && others.length === units.length;
    return { units: isSame ? units : [...others, ...now], changes: count };
  }

  async #findAll(find: Finder): Promise<Answer> {
    const changes = this.#changed.count;
    // A copy has no spare capacity, unlike a list that grew.
    return { units: [...(await find.all())], changes };
  }
}
