import type { Unit } from "../../core/types.js";
import { BitSet } from "../../lib/bit-set.js";
import type { IndexChange } from "./change-feed.js";

/** The units of a scope in the text index. */
export interface Members {
  has(unit: Unit): boolean;
}

/** Asks the text index for the units of a scope. */
export interface MemberReader {
  /** The next `limit` units after one, in ascending order. */
  page(afterUnit: Unit, limit: number): Promise<readonly Unit[]>;
  /** Those of some units that are in the scope. */
  among(units: readonly Unit[]): Promise<readonly Unit[]>;
}

/** Caches which units large scopes have, and follows their changes. */
export interface ScopeMembers {
  /** The units of a scope, with every change noted before the call. */
  of(scope: string, containerIds: readonly number[], read: MemberReader): Promise<Members>;
  note(change: IndexChange): void;
  /** Forgets all scopes: anything may have changed. */
  forget(): void;
}

const SCOPES_REMEMBERED = 16;
/** Reading this many takes less than a millisecond. */
const UNITS_A_PAGE = 5_000;
/** From this many changed units on, reading all of them again is quicker than looking each up. */
const MOST_CHANGED = 500;

interface Entry {
  readonly containerIds: ReadonlySet<number>;
  readonly units: BitSet;
  /** Units that may have been added or removed since they were read. */
  changed: Set<Unit>;
  /** The reading in progress. */
  reading: Promise<void> | undefined;
  isWhole: boolean;
}

export function createScopeMembers(): ScopeMembers {
  const entries = new Map<string, Entry>();

  function entryOf(scope: string, containerIds: readonly number[]): Entry {
    const known = entries.get(scope);
    const entry = known ?? emptyEntry(containerIds);
    entries.delete(scope);
    entries.set(scope, entry);
    const oldest = entries.size > SCOPES_REMEMBERED ? entries.keys().next() : undefined;
    if (oldest && !oldest.done) entries.delete(oldest.value);
    return entry;
  }

  return {
    async of(scope, containerIds, read) {
      const known = entryOf(scope, containerIds);
      // It began before the call, so it may have read what has changed since.
      await known.reading;
      const entry = known.changed.size > MOST_CHANGED ? replace(entries, scope, known) : known;
      while (!entry.isWhole || entry.changed.size > 0) {
        entry.reading ??= readInto(entry, read).finally(() => (entry.reading = undefined));
        await entry.reading;
      }
      return entry.units;
    },

    note({ units, containerIds }) {
      const isAnywhere = containerIds.includes(0);
      for (const entry of entries.values())
        if (isAnywhere || containerIds.some((id) => entry.containerIds.has(id)))
          for (const unit of units) entry.changed.add(unit);
    },

    forget: () => entries.clear(),
  };
}

function emptyEntry(containerIds: Iterable<number>): Entry {
  return {
    containerIds: new Set(containerIds),
    units: new BitSet(),
    changed: new Set(),
    reading: undefined,
    isWhole: false,
  };
}

function replace(entries: Map<string, Entry>, scope: string, entry: Entry): Entry {
  if (entries.get(scope) !== entry) return entry;
  const fresh = emptyEntry(entry.containerIds);
  entries.set(scope, fresh);
  return fresh;
}

async function readInto(entry: Entry, read: MemberReader): Promise<void> {
  if (!entry.isWhole) {
    for (let after = -1; ;) {
      const page = await read.page(after, UNITS_A_PAGE);
      for (const unit of page) entry.units.add(unit);
      if (page.length < UNITS_A_PAGE) break;
      after = page.at(-1) ?? after;
    }
    entry.isWhole = true;
  }
  // What changes during this reading is looked up by the next one.
  const { changed } = entry;
  entry.changed = new Set();
  if (changed.size > 0) await lookUp(entry, changed, read);
}

async function lookUp(entry: Entry, changed: ReadonlySet<Unit>, read: MemberReader): Promise<void> {
  try {
    const held = new Set(await read.among([...changed]));
    for (const unit of changed)
      if (held.has(unit)) entry.units.add(unit);
      else entry.units.delete(unit);
  } catch (error) {
    for (const unit of changed) entry.changed.add(unit);
    throw error;
  }
}
