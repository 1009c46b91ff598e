import type { Kysely } from "kysely";
import type { FoundText, TextHit, TextSearchOptions, UnitScope } from "../../core/ports.js";
import { kindOf, type Unit } from "../../core/types.js";
import { readPacked, readRows } from "./fixed-query.js";
import type { Database } from "./schema.js";
import type { Counted, TextCache } from "./text-cache.js";
import { indexedForms, scopeWord } from "./text-index.js";

/** What a word counts for that stands around a unit and not in it. */
const CONTEXT_WEIGHT = 0.4;
const WORDS_REMEMBERED = 1_000;

/** From so many containers on, naming each costs more than leaving out afterwards what is of another kind or forgotten. */
const MANY_CONTAINERS = 50;

/** No limit, in SQL. */
const UNLIMITED = -1;

/**
 * Searches the text index. SQLite's `bm25` would read the length of every match and each word's postings of all other
 * containers, only to choose among candidates that are ranked afterwards. In a large scope the units, and those with a
 * common word, are counted once for many searches: such counts only say how rare a word is.
 */
export interface TextSearch {
  search(scope: UnitScope, words: readonly string[], options: TextSearchOptions): Promise<FoundText>;
}

/** @param cache absent: everything is looked up anew */
export function createTextSearch(db: Kysely<Database>, cache?: TextCache): TextSearch {
  async function countedIn(within: string): Promise<Counted> {
    const count = async () => (within === "" ? countAll(db) : ((await ask<number>(db, COUNTS, [within]))[0] ?? 0));
    return cache ? cache.counted(within, count) : { total: await count(), words: new Map() };
  }

  /** Lists that are longer than `most` are cut just behind it. */
  async function readPostings(
    containerIds: readonly number[],
    expressions: readonly string[],
    most: number,
  ): Promise<(readonly Unit[])[]> {
    const limit = most === Infinity ? UNLIMITED : most + 1;
    const read = (some: readonly string[]) => readPacked<Unit[]>(db, POSTINGS, [limit, JSON.stringify(some)]);
    if (!cache) return read(expressions);
    const keys = expressions.map((expression) => `${limit} ${expression}`);
    return cache.postings(containerIds, keys, (places) => read(places.map((place) => expressions[place] ?? "")));
  }

  async function countCommon(counted: Counted, words: readonly string[], within: string): Promise<void> {
    const unknown = words.filter((word) => !counted.words.has(word));
    if (unknown.length === 0) return;
    const counts = await ask<number>(
      db,
      COUNTS,
      unknown.map((word) => inColumn("text", [word], within)),
    );
    if (counted.words.size + unknown.length > WORDS_REMEMBERED) counted.words.clear();
    for (const [index, word] of unknown.entries()) counted.words.set(word, counts[index] ?? 0);
  }

  /** Units that have each word in their text, and of how many there are; a common word gives no more than it must. */
  async function lookUp(
    { within, containerIds }: { readonly within: string; readonly containerIds: readonly number[] },
    words: readonly string[],
    mostMatches: number,
  ) {
    const counted = await countedIn(within);
    const expressions = words.map((word) => inColumn("text", [word], within));
    const lists = await readPostings(containerIds, expressions, mostMatches);
    const isCommon = (index: number): boolean => (lists[index]?.length ?? 0) > mostMatches;
    const common = words.filter((_, index) => isCommon(index));
    await countCommon(counted, common, within);
    const counts = words.map((word, index) =>
      isCommon(index) ? (counted.words.get(word) ?? mostMatches) : (lists[index]?.length ?? 0),
    );
    return { lists, total: counted.total, counts };
  }

  return {
    async search(scope, words, { limit, among, mostMatches = Infinity }) {
      if (scope.containerIds.length === 0 || words.length === 0)
        return { hits: [], counted: { total: 0, counts: words.map(() => 0) } };
      const within = scopeExpression(scope);
      // All that there are may become more.
      const containerIds = within === "" ? [] : scope.containerIds;
      const { lists, ...counted } = await lookUp({ within, containerIds }, words, mostMatches);
      const telling = rarest(counted.counts, mostMatches);
      const around = await readPostings(
        containerIds,
        telling.map((index) => inColumn("context", [words[index] ?? ""], within)),
        mostMatches,
      );
      const matches = telling.map((index, place) => ({
        own: lists[index] ?? [],
        around: around[place] ?? [],
        rarity: rarityOf(counted, index),
      }));
      return { hits: best(matches, limit, choiceOf(scope, among)), counted };
    },
  };
}

/** What of all that has the words may be returned; everything where the index knew that. */
function choiceOf({ kinds, isEverywhere }: UnitScope, among: ReadonlySet<Unit> | undefined): (unit: Unit) => boolean {
  if (isEverywhere) return (unit) => kinds.includes(kindOf(unit)) && (!among || among.has(unit));
  return among ? (unit) => among.has(unit) : () => true;
}

function rarityOf({ total, counts }: FoundText["counted"], index: number): number {
  return Math.log(1 + total / ((counts[index] ?? 0) + 1));
}

/** A word counts by how rare it is, once for each unit. */
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
    const counted = new Set(own);
    for (const unit of around) if (!counted.has(unit)) add(unit, CONTEXT_WEIGHT * rarity);
  }
  const hits = [...scores].map(([unit, score]) => ({ unit, score }));
  hits.sort((one, other) => other.score - one.score || other.unit - one.unit);
  return hits.slice(0, limit);
}

/** The places of the rarest words that together match about `most` units or fewer, and at least one. */
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

// One statement for all expressions: each alone would cost more in calls than in searching.
const COUNTS = `select json_group_array((select count(*) from text_index where text_index match expression.value)) as packed
  from json_each(?) expression`;
const POSTINGS = `select json_group_array(json((select json_group_array(rowid) from (
    select rowid from text_index where text_index match expression.value limit ?)))) as packed
  from json_each(?) expression`;

async function ask<T>(db: Kysely<Database>, query: string, expressions: readonly string[]): Promise<T[]> {
  return readPacked<T>(db, query, [JSON.stringify(expressions)]);
}

async function countAll(db: Kysely<Database>): Promise<number> {
  const [row] = await readRows<{ total: number }>(db, "select count(*) as total from text_index");
  return row?.total ?? 0;
}

/** FTS5 query syntax (https://www.sqlite.org/fts5.html#full_text_query_syntax); a word in quotes is never syntax. */
function inColumn(column: "text" | "context", words: readonly string[], within: string): string {
  const any = words
    .flatMap(indexedForms)
    .map((word) => `"${word.replaceAll('"', '""')}"`)
    .join(" OR ");
  return `${column} : (${any})${within === "" ? "" : ` AND ${within}`}`;
}

/** Empty where the scope is the whole store. */
function scopeExpression(scope: UnitScope): string {
  if (scope.isEverywhere && scope.containerIds.length > MANY_CONTAINERS) return "";
  const words = scope.containerIds.flatMap((id) => [
    ...scope.kinds.map((kind) => scopeWord(kind, id)),
    ...(scope.includeForgotten && scope.kinds.includes("memory") ? [scopeWord("memory", id, true)] : []),
  ]);
  return `scope : (${words.map((word) => `"${word}"`).join(" OR ")})`;
}
