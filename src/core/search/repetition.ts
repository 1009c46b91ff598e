import type { UnitWords } from "./evidence.js";
import { meaningKey } from "../memories/near-duplicates.js";

/** From this share of its words on, a unit only repeats the other. */
const REPEATED = 0.8;

/** A ranked candidate that may repeat another one. */
export interface Listed {
  readonly words: UnitWords;
  readonly similarity: number;
  readonly score: number;
}

/**
 * Leaves out what only repeats something listed before: texts that say the same (`isSameFact`), and chunks that say no more
 * than a memory that was taken from them. A memory that says part of a chunk stays beside it: callers need its id to update
 * or forget it, and some read memories alone. Texts that differ in a number or a negation never stand for each other.
 * @param ranked best first
 * @param limit how many are wanted
 */
export function dropRepetitions<T extends Listed>(ranked: readonly T[], limit = Infinity): T[] {
  const kept: T[] = [];
  const bySignature = new Map<number, T[]>();
  const byDocument = new Map<string, number[]>();
  for (const item of ranked) {
    if (kept.length >= limit) break;
    if (repeatsSame(item, kept, bySignature)) continue;
    if (meetsSource(item, kept, byDocument)) continue;
    for (const id of item.words.detail.documentIds) push(byDocument, id, kept.length);
    kept.push(item);
  }
  return kept;
}

/**
 * True when an item with the same meaning is listed already; otherwise the item is noted. Of a memory and a chunk that say
 * the same the memory is listed: it has versions, and can be forgotten.
 */
function repeatsSame<T extends Listed>(item: T, kept: T[], bySignature: Map<number, T[]>): boolean {
  const { signature } = item.words;
  const alike = bySignature.get(signature) ?? [];
  const key = alike.length > 0 ? meaningKey(item.words.detail.text) : "";
  const twin = alike.find((other) => meaningKey(other.words.detail.text) === key);
  if (!twin) {
    push(bySignature, signature, item);
    return false;
  }
  const place =
    isMemory(item.words) && !isMemory(twin.words) ? kept.findIndex(({ words }) => words === twin.words) : -1;
  const listed = kept[place];
  if (listed) kept[place] = { ...item, score: listed.score, similarity: Math.max(listed.similarity, item.similarity) };
  return true;
}

/** True when a memory meets a chunk of its document that says no more: the memory takes the earlier place. */
function meetsSource<T extends Listed>(
  item: T,
  kept: T[],
  byDocument: ReadonlyMap<string, readonly number[]>,
): boolean {
  for (const id of item.words.detail.documentIds) {
    for (const place of byDocument.get(id) ?? []) {
      const other = kept[place];
      if (!other || isMemory(other.words) === isMemory(item.words)) continue;
      const [memory, chunk] = isMemory(item.words) ? [item, other] : [other, item];
      if (!isPartOf(memory.words, chunk.words)) continue;
      if (!isPartOf(chunk.words, memory.words)) continue;
      kept[place] = { ...memory, score: other.score, similarity: Math.max(other.similarity, item.similarity) };
      return true;
    }
  }
  return false;
}

function isMemory(words: UnitWords): boolean {
  return words.detail.memory !== null;
}

/** True when nearly every word of the one is in the other, and every number, and both say yes or both say no. */
function isPartOf(part: UnitWords, whole: UnitWords): boolean {
  if (part.isNegated !== whole.isNegated) return false;
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

function push<K, V>(map: Map<K, V[]>, key: K, value: V): void {
  const list = map.get(key);
  if (list) list.push(value);
  else map.set(key, [value]);
}
