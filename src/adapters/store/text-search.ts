import type { Kysely } from "kysely";
import type { FoundText, TextHit, TextSearchOptions, UnitScope } from "../../core/ports.js";
import { kindOf, type Unit, type UnitSet } from "../../core/types.js";
import { readPacked, readRows } from "./fixed-query.js";
import { listParameter } from "./json.js";
import type { Database } from "./schema.js";
import type { Members } from "./scope-members.js";
import type { CountCache, Counted, TextCache } from "./text-cache.js";
import { askedForms } from "./indexed-text.js";
import { scopeWord } from "./text-index.js";
import { type TextIndexDialect, textIndexDialect, type Within } from "./text-index-dialects.js";
import type { UnitCaches } from "./unit-caches.js";

/** The weight of a word that stands around a unit rather than in it. */
const CONTEXT_WEIGHT = 0.4;
const WORDS_REMEMBERED = 1_000;

/** From this many containers on, listing each costs more than filtering out other kinds and forgotten units afterwards. */
const MANY_CONTAINERS = 50;

/**
 * From this share of all units on, a scope is searched by filtering what the whole index finds: reading the scope's units for
 * every word, as the index does where the scope is part of the query, costs several times what the words cost.
 */
const LARGE_SHARE = 1 / 4;
/** How much more is read from the whole index than should suffice to find enough in the scope. */
const WIDENING = 1.3;

const EVERYWHERE: Within = { expression: "", groups: [] };

/** No limit, in SQL. */
const UNLIMITED = -1;

/** How to read the units of a scope that have a word. */
interface Place {
  readonly within: Within;
  /** Containers on whose changes the answers depend; empty for all. */
  readonly containerIds: readonly number[];
  /** How many times more than needed is read, because some of it is outside the scope. */
  readonly factor: number;
  /** Null when all of it is inside. */
  readonly members: Members | null;
}

/** Units, and whether there may be more. */
interface Found {
  readonly units: readonly Unit[];
  readonly isCut: boolean;
}

/**
 * Searches the text index. SQLite's `bm25` would read the length of every match and each word's postings in all other
 * containers, only to choose candidates that are ranked afterwards. In a large scope, the units and those with a common word are
 * counted once for many searches: such counts only show how rare a word is.
 */
export interface TextSearch {
  search(scope: UnitScope, words: readonly string[], options: TextSearchOptions): Promise<FoundText>;
}

/** @param caches absent: everything is looked up anew */
export function createTextSearch(db: Kysely<Database>, caches?: UnitCaches): TextSearch {
  return new IndexSearch(db, caches);
}

class IndexSearch implements TextSearch {
  readonly #db: Kysely<Database>;
  readonly #counts: CountCache | undefined;
  readonly #cache: TextCache | undefined;
  readonly #dialect: TextIndexDialect;

  constructor(db: Kysely<Database>, caches: UnitCaches | undefined) {
    this.#db = db;
    this.#counts = caches?.counts;
    this.#cache = caches?.followed?.texts;
    this.#dialect = textIndexDialect(db);
  }

  async search(
    scope: UnitScope,
    words: readonly string[],
    { limit, among, mostMatches = Infinity }: TextSearchOptions,
  ): Promise<FoundText> {
    if (scope.containerIds.length === 0 || words.length === 0)
      return { hits: [], counted: { total: 0, counts: words.map(() => 0) } };
    const within = withinScope(this.#dialect, scope);
    const counting = this.#countedIn(within);
    const finding = async () => {
      const place = await this.#placeOf(scope, within, counting);
      const inText = words.map((word) => this.#inColumn("text", word, place.within));
      return { place, found: await this.#find(place, inText, mostMatches) };
    };
    const [all, { place, found }] = await Promise.all([counting, finding()]);
    const counted = { total: all.total, counts: await this.#count(all, { words, found, within }) };
    const telling = rarest(counted.counts, mostMatches);
    const inContext = telling.map((index) => this.#inColumn("context", words[index] ?? "", place.within));
    // A memory has no context around it.
    const around = scope.kinds.includes("chunk") ? await this.#find(place, inContext, mostMatches) : [];
    const matches = telling.map((index, at) => ({
      own: found[index]?.units ?? [],
      around: around[at]?.units ?? [],
      rarity: rarityOf(counted, index),
    }));
    return { hits: best(matches, limit, choiceOf(scope, among)), counted };
  }

  #inColumn(column: "text" | "context", word: string, { expression }: Within): string {
    return this.#dialect.anyOf(column, askedForms(word), expression);
  }

  async #countedIn(within: Within): Promise<Counted> {
    const count = () => this.#sizeOf(within);
    if (!this.#counts) return { total: await count(), words: new Map() };
    return this.#counts.counted(within.expression || within.groups.join(), count);
  }

  async #sizeOf(within: Within): Promise<number> {
    if (within.expression === "" && within.groups.length === 0) return countAll(this.#db);
    const { inGroups } = this.#dialect;
    const [size] =
      inGroups && within.groups.length > 0
        ? await readPacked<number>(this.#db, inGroups.size, [JSON.stringify(within.groups)])
        : await this.#ask<number>("counts", within, [JSON.stringify([within.expression])]);
    return size ?? 0;
  }

  #ask<Item>(what: "counts" | "postings", { groups }: Within, parameters: (string | number)[]): Promise<Item[]> {
    const { inGroups } = this.#dialect;
    if (!inGroups || groups.length === 0) return readPacked<Item>(this.#db, this.#dialect[what], parameters);
    return readPacked<Item>(this.#db, inGroups[what], [JSON.stringify(groups), ...parameters]);
  }

  /** At most `most` units of the scope for each expression. */
  async #find(place: Place, expressions: readonly string[], most: number): Promise<Found[]> {
    const { factor, members } = place;
    const limit = most === Infinity ? UNLIMITED : Math.ceil(most * factor) + 1;
    const lists = await this.#readPostings(place, expressions, limit);
    return lists.map((list) => {
      const units = members ? list.filter((unit) => members.has(unit)) : list;
      return { units: units.slice(0, most), isCut: units.length > most || list.length === limit };
    });
  }

  async #readPostings(
    { containerIds, within }: Place,
    expressions: readonly string[],
    limit: number,
  ): Promise<(readonly Unit[])[]> {
    const read = (some: readonly string[]) => this.#ask<Unit[]>("postings", within, [limit, JSON.stringify(some)]);
    if (!this.#cache) return read(expressions);
    const keys = expressions.map((expression) => `${limit} ${expression}`);
    return this.#cache.postings(containerIds, keys, (places) => read(places.map((place) => expressions[place] ?? "")));
  }

  /** How to read a scope whose units are being counted. */
  async #placeOf({ containerIds }: UnitScope, within: Within, counting: Promise<Counted>): Promise<Place> {
    if (within === EVERYWHERE) return { within, containerIds: [], factor: 1, members: null };
    const narrow = { within, containerIds, factor: 1, members: null };
    if (!this.#cache) return narrow;
    const share = (await counting).total / Math.max(1, (await this.#countedIn(EVERYWHERE)).total);
    if (share < LARGE_SHARE) return narrow;
    const { expression } = within;
    const members = await this.#cache.members.of(expression, containerIds, {
      page: (after, limit) => readPacked<Unit>(this.#db, this.#dialect.page, [expression, after, limit]),
      among: (units) => readAmong(this.#db, expression, units),
    });
    // In coarse steps, so that a growing scope asks for the same as before.
    const factor = 2 ** Math.ceil(Math.log2(WIDENING / share));
    return { within: EVERYWHERE, containerIds: [], factor, members };
  }

  async #countCommon(counted: Counted, words: readonly string[], within: Within): Promise<void> {
    const unknown = words.filter((word) => !counted.words.has(word));
    if (unknown.length === 0) return;
    const expressions = unknown.map((word) => this.#inColumn("text", word, within));
    const counts = await this.#ask<number>("counts", within, [JSON.stringify(expressions)]);
    if (counted.words.size + unknown.length > WORDS_REMEMBERED) counted.words.clear();
    for (const [index, word] of unknown.entries()) counted.words.set(word, counts[index] ?? 0);
  }

  /** How many units of the scope have each word; `found` already tells for all but common words. */
  async #count(
    counted: Counted,
    { words, found, within }: { words: readonly string[]; found: readonly Found[]; within: Within },
  ): Promise<number[]> {
    const common = words.filter((_, index) => found[index]?.isCut);
    await this.#countCommon(counted, common, within);
    return words.map((word, index) => {
      const { units, isCut } = found[index] ?? NOTHING;
      return isCut ? (counted.words.get(word) ?? units.length) : units.length;
    });
  }
}

const NOTHING: Found = { units: [], isCut: false };

/** Decides which units with the words may be returned; all of them where the index applied the scope. */
function choiceOf({ kinds, isEverywhere }: UnitScope, among: UnitSet | undefined): (unit: Unit) => boolean {
  if (isEverywhere) return (unit) => kinds.includes(kindOf(unit)) && (!among || among.has(unit));
  return among ? (unit) => among.has(unit) : () => true;
}

function rarityOf({ total, counts }: FoundText["counted"], index: number): number {
  return Math.log(1 + total / ((counts[index] ?? 0) + 1));
}

/** Ranks by word rarity, counting each word once per unit. */
function best(
  matches: readonly { own: readonly Unit[]; around: readonly Unit[]; rarity: number }[],
  limit: number,
  isChosen: (unit: Unit) => boolean,
): TextHit[] {
  const scores = new Map<Unit, number>();
  const add = (unit: Unit, score: number): void => {
    if (isChosen(unit)) scores.set(unit, (scores.get(unit) ?? 0) + score);
  };
  for (const { own, around, rarity } of matches) {
    for (const unit of own) add(unit, rarity);
    if (around.length === 0) continue;
    const counted = new Set(own);
    for (const unit of around) if (!counted.has(unit)) add(unit, CONTEXT_WEIGHT * rarity);
  }
  const hits: TextHit[] = [];
  scores.forEach((score, unit) => hits.push({ unit, score }));
  hits.sort((one, other) => other.score - one.score || other.unit - one.unit);
  return hits.slice(0, limit);
}

/** The positions of the rarest words that together match about `most` units or fewer; at least one. */
function rarest(counts: readonly number[], most: number): number[] {
  let matched = 0;
  return counts
    .map((count, index) => ({ count, index }))
    .sort((first, second) => first.count - second.count)
    .filter(({ count }, place) => {
      matched += count;
      return place === 0 || matched <= most;
    })
    .map(({ index }) => index);
}

/**
 * Those of some units that are in a scope. Looking one up costs as much as reading hundreds in a row, and what was written
 * together lies side by side.
 */
async function readAmong(db: Kysely<Database>, within: string, units: readonly Unit[]): Promise<readonly Unit[]> {
  const [first, last] = units.reduce(([least, most], unit) => [Math.min(least, unit), Math.max(most, unit)], NOWHERE);
  if (last - first > UNITS_A_LOOK * units.length)
    return readPacked<Unit>(db, textIndexDialect(db).among, [within, listParameter(units)]);
  const wanted = new Set(units);
  const found = await readPacked<Unit>(db, textIndexDialect(db).between, [within, first, last]);
  return found.filter((unit) => wanted.has(unit));
}

const UNITS_A_LOOK = 200;
const NOWHERE = [Infinity, -Infinity] as const;

async function countAll(db: Kysely<Database>): Promise<number> {
  const [row] = await readRows<{ total: number }>(db, "select count(*) as total from text_index");
  return row?.total ?? 0;
}

/** Everywhere if the scope is the whole store and has too many containers to list. */
function withinScope(dialect: TextIndexDialect, scope: UnitScope): Within {
  if (scope.isEverywhere && scope.containerIds.length > MANY_CONTAINERS) return EVERYWHERE;
  const words = scope.containerIds.flatMap((id) => [
    ...scope.kinds.map((kind) => scopeWord(kind, id)),
    ...(scope.includeForgotten ? scope.kinds.map((kind) => scopeWord(kind, id, true)) : []),
  ]);
  return dialect.inScope(words);
}
