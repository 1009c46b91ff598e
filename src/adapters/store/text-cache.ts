import type { Unit } from "../../core/types.js";
import type { ChangeFeed, IndexChange, Watched } from "./change-feed.js";
import { createScopeMembers, type ScopeMembers } from "./scope-members.js";

/** Counts of one scope. */
export interface Counted {
  /** Number of units. */
  readonly total: number;
  /** How many of them have a word; the reader adds what it counts. */
  readonly words: Map<string, number>;
}

/** Caches how many units of a scope there are, and how many have a word. */
export interface CountCache {
  /**
   * Counts of a scope, as long as they are about right: they only show how rare words are.
   * @param count gives the number of units; called where it is not cached
   */
  counted(scope: string, count: () => Promise<number>): Promise<Counted>;
}

/** Caches answers of the text index across searches. */
export interface TextCache extends CountCache {
  /**
   * The units for each key, as long as nothing has changed in these containers; an empty list means all containers.
   * @param read gives the units for keys by position; called for those that are not cached
   */
  postings(
    containerIds: readonly number[],
    keys: readonly string[],
    read: (places: readonly number[]) => Promise<readonly (readonly Unit[])[]>,
  ): Promise<(readonly Unit[])[]>;
  readonly members: Pick<ScopeMembers, "of">;
}

/** The share of a scope that may change before its counts are taken again. */
const TOLERATED_CHANGE = 0.01;
const SCOPES_REMEMBERED = 200;
/** Scopes of hundreds of containers are rarely searched. */
const LONGEST_REMEMBERED = 2_000;

/** Units in all lists together; about 8 bytes each. */
const POSTINGS_REMEMBERED = 250_000;

/** What is cached for some containers together. */
interface Group {
  readonly containerIds: ReadonlySet<number>;
  readonly lists: Map<string, readonly Unit[]>;
  /** Units in its lists, plus the number of lists. */
  held: number;
}

/** Permanent deletion removes from the index in bulk. */
const WATCHED: Watched = {
  "delete on memories": "select old.seq * 2 + 1 as unit",
  "delete on chunks": "select old.seq * 2 as unit",
};

export function createTextCache(feed: ChangeFeed): TextCache {
  return new FollowedTexts(feed);
}

class FollowedTexts implements TextCache {
  readonly members = createScopeMembers();
  readonly #remembered = new Map<string, Counted & { readonly changes: number }>();
  #groups = new Map<string, Group>();
  #held = 0;
  #changes = 0;

  constructor(feed: ChangeFeed) {
    feed.watchIndex((change) => this.#noteIndexed(change));
    feed.watch(WATCHED, (units) => this.#noteRemoved(units));
  }

  async counted(scope: string, count: () => Promise<number>): Promise<Counted> {
    const known = this.#remembered.get(scope);
    if (known && this.#changes - known.changes <= known.total * TOLERATED_CHANGE) return known;
    const before = this.#changes;
    const counted = { changes: before, total: await count(), words: new Map<string, number>() };
    this.#remembered.delete(scope);
    if (scope.length > LONGEST_REMEMBERED) return counted;
    this.#remembered.set(scope, counted);
    const oldest = this.#remembered.size > SCOPES_REMEMBERED ? this.#remembered.keys().next() : undefined;
    if (oldest && !oldest.done) this.#remembered.delete(oldest.value);
    return counted;
  }

  async postings(
    containerIds: readonly number[],
    keys: readonly string[],
    read: (places: readonly number[]) => Promise<readonly (readonly Unit[])[]>,
  ): Promise<(readonly Unit[])[]> {
    if (keys.some((key) => key.length > LONGEST_REMEMBERED)) return [...(await read([...keys.keys()]))];
    const { key: groupKey, group } = this.#groupOf(containerIds);
    const unknown = [...keys.keys()].filter((place) => !group.lists.has(keys[place] ?? ""));
    const found = unknown.length > 0 ? await read(unknown) : [];
    const fresh = new Map(unknown.map((place, index) => [place, found[index] ?? []]));
    const answer = keys.map((key, place) => fresh.get(place) ?? group.lists.get(key) ?? []);
    // What was read before a change belongs to the group dropped because of it.
    if (this.#groups.get(groupKey) !== group) return answer;
    for (const [place, units] of fresh) {
      this.#held += units.length + 1;
      group.held += units.length + 1;
      group.lists.set(keys[place] ?? "", units);
    }
    if (this.#held > POSTINGS_REMEMBERED) this.#forgetLists();
    return answer;
  }

  #noteIndexed(change: IndexChange): void {
    const { units, containerIds } = change;
    this.#changes += units.length;
    this.members.note(change);
    if (containerIds.includes(0)) return this.#forgetLists();
    for (const [key, group] of this.#groups)
      if (group.containerIds.size === 0 || containerIds.some((id) => group.containerIds.has(id)))
        this.#forgetGroup(key, group);
  }

  #noteRemoved(units: readonly Unit[] | "all"): void {
    if (units === "all") {
      this.#remembered.clear();
      this.members.forget();
    } else {
      this.#changes += units.length;
      this.members.note({ units, containerIds: [0] });
    }
    this.#forgetLists();
  }

  #forgetLists(): void {
    this.#groups = new Map();
    this.#held = 0;
  }

  #forgetGroup(key: string, group: Group): void {
    this.#groups.delete(key);
    this.#held -= group.held;
  }

  #groupOf(containerIds: readonly number[]): { readonly key: string; readonly group: Group } {
    const key = containerIds.join();
    const group = this.#groups.get(key) ?? { containerIds: new Set(containerIds), lists: new Map(), held: 0 };
    this.#groups.set(key, group);
    return { key, group };
  }
}
