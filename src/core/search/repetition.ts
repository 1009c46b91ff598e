import type { UnitWords } from "./evidence.js";
import { rarityOf } from "../../language/english/common-words.js";
import type { Root } from "./roots.js";
import { meaningKey } from "../memories/near-duplicates.js";
import type { UnitDetail } from "../ports.js";
import { SameTexts } from "./same-texts.js";
import type { UnitKind } from "../types.js";

/** At or above this share of its words in another unit, a unit only repeats that one. */
const REPEATED = 0.8;

/** A ranked candidate that may repeat another one. */
export interface Listed {
  readonly words: UnitWords;
  readonly similarity: number;
  readonly score: number;
  /** See `Levelled`. */
  readonly isFurther: boolean;
  /** See `RankedUnit`. */
  readonly isOutOfDate: boolean;
}

/** Candidates that say the same. */
export interface Repetition {
  /** Best first; never empty. */
  readonly members: readonly Listed[];
  /** The highest of its members. */
  readonly similarity: number;
  /** That of the best. */
  readonly score: number;
  /** True when all of them are. */
  readonly isFurther: boolean;
}

/** Does not depend on the question, so it is computed once for each detail that the store keeps. */
const meanings = new WeakMap<UnitDetail, string>();

/** See `meaningKey`. */
function meaningOf(detail: UnitDetail): string {
  const known = meanings.get(detail);
  if (known !== undefined) return known;
  const meaning = meaningKey(detail.text);
  meanings.set(detail, meaning);
  return meaning;
}

interface Gathered extends Repetition {
  readonly members: Listed[];
  similarity: number;
  /** The member that represents the group when others are compared. */
  shown: Listed;
}

/**
 * Groups repetitions: texts that say the same (`isSameFact`), and chunks that say no more than a memory taken from them. A
 * memory that says only part of a chunk stays separate: callers need its id to update or forget it, and some read only
 * memories. Texts that differ in a number or a negation are never grouped.
 * @param ranked best first
 * @returns best first, by the best of each
 */
export function gatherRepetitions(ranked: readonly Listed[]): Repetition[] {
  const all: Gathered[] = [];
  const sameTexts = new SameTexts<Gathered>();
  const byDocument = new Map<string, Gathered[]>();
  const hasFurther = ranked.some(({ isFurther }) => isFurther);
  // Units that only some searches come to see must not affect the others.
  const ordered = hasFurther
    ? ranked.toSorted((one, other) => Number(one.isFurther) - Number(other.isFurther))
    : ranked;
  for (const item of ordered) {
    const { signature, detail } = item.words;
    const group = sameTexts.getOrMake(
      { signature, meaning: () => meaningOf(detail) },
      () => findSource(item, byDocument) ?? begin(item, all, byDocument),
    );
    if (group.shown !== item) join(group, item);
  }
  return hasFurther ? all.sort((one, other) => other.score - one.score) : all;
}

/** The member to show when these kinds are wanted: memories first, because they have versions and can be forgotten. */
export function standIn({ members }: Repetition, kinds: readonly UnitKind[]): Listed | undefined {
  const wanted = members.filter(({ words }) => kinds.includes(kindOf(words)));
  return wanted.find(({ words }) => isMemory(words)) ?? wanted[0];
}

function begin(item: Listed, all: Gathered[], byDocument: Map<string, Gathered[]>): Gathered {
  const { similarity, score, isFurther } = item;
  const group: Gathered = { members: [item], similarity, score, isFurther, shown: item };
  all.push(group);
  for (const id of item.words.detail.documentIds) push(byDocument, id, group);
  return group;
}

function join(group: Gathered, item: Listed): void {
  group.members.push(item);
  if (item.isFurther && !group.isFurther) return;
  group.similarity = Math.max(group.similarity, item.similarity);
  if (isMemory(item.words) && !isMemory(group.shown.words)) group.shown = item;
}

/** The chunk of a memory's document, or the memory of a chunk, that says no more and no less. */
function findSource({ words }: Listed, byDocument: ReadonlyMap<string, readonly Gathered[]>): Gathered | undefined {
  for (const id of words.detail.documentIds) {
    for (const group of byDocument.get(id) ?? []) {
      const other = group.shown.words;
      if (isMemory(other) === isMemory(words)) continue;
      const [memory, chunk] = isMemory(words) ? [words, other] : [other, words];
      if (isPartOf(memory, chunk) && isPartOf(chunk, memory) && tellsAllOf(memory, chunk)) return group;
    }
  }
  return undefined;
}

function isMemory(words: UnitWords): boolean {
  return words.detail.memory !== null;
}

function kindOf(words: UnitWords): UnitKind {
  return isMemory(words) ? "memory" : "chunk";
}

/** True when nearly every word and every number of one is in the other, and neither negates the other. */
function isPartOf(part: UnitWords, whole: UnitWords): boolean {
  if (part.isNegated !== whole.isNegated) return false;
  // Most passages have far more words than a fact taken from them.
  if (whole.roots.length < REPEATED * (part.roots.length - part.speakers.length)) return false;
  let found = 0;
  let total = 0;
  for (const { text: root } of part.roots) {
    if (part.speakers.includes(root)) continue;
    total += 1;
    if (whole.roots.some(({ text }) => text === root)) found += 1;
    else if (/\d/.test(root)) return false;
  }
  return total > 0 && found >= REPEATED * total;
}

/** Function words that change the meaning: a fact that lacks one says less than its sentence. */
const CHANGING =
  /\b(?:off|on hold|out of|down|only|except|unless|without|until|till|but|because|if|instead|rather|no longer|not any ?more)\b/giu;

/** True when a fact omits no word by which the passage would be found, and none that changes its meaning. */
function tellsAllOf(memory: UnitWords, chunk: UnitWords): boolean {
  const isLeftOut = ({ text }: Root) =>
    rarityOf(text) === 1 && !chunk.speakers.includes(text) && !memory.roots.some((root) => root.text === text);
  if (chunk.roots.some(isLeftOut)) return false;
  const said = memory.detail.text.toLowerCase();
  return (chunk.detail.text.match(CHANGING) ?? []).every((word) => said.includes(word.toLowerCase()));
}

function push<K, V>(map: Map<K, V[]>, key: K, value: V): void {
  const list = map.get(key);
  if (list) list.push(value);
  else map.set(key, [value]);
}
