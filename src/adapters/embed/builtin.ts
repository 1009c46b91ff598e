import type { Embedder } from "../../core/ports.js";
import { backgroundShare } from "../../language/english/common-words.js";
import { conceptsOf, rootOf } from "../../language/english/relations.js";
import { foldedRuns, isStopWord } from "../../language/words.js";

/** Increment whenever the same text would get another vector. */
const VERSION = 1;
const DIMENSIONS = 384;
/** Texts are read up to here: the rest would add noise and cost time. */
const MAX_WORDS = 4_000;

const WORD_WEIGHT = 1;
const CONCEPT_WEIGHT = 1.8;
/** A word of several groups leans towards those it names rather than those that only mention it. */
const CONCEPT_POWER = 3;
const GRAM_WEIGHT = 0.45;
const STOP_WORD_WEIGHT = 0.1;
const RARITY_POWER = 0.7;
/** Scripts without spaces between words: their characters and pairs of characters count as words. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

/**
 * An embedder that needs no model: words, groups of related English words and character trigrams, weighted by how rare they are
 * in English and hashed into 384 dimensions. Other languages are compared only by words and characters.
 */
export function createBuiltinEmbedder(): Embedder {
  return {
    name: "builtin",
    fingerprint: `builtin v${VERSION} ${DIMENSIONS}`,
    maxBatch: 256,
    calibration: [
      [0, 0.17],
      [0.1, 0.28],
      [0.2, 0.41],
      [0.4, 0.53],
      [0.7, 0.72],
      [0.9, 0.9],
      [1, 1],
    ],
    isCalibrated: true,
    isOfWords: true,
    async embed(texts, _purpose, signal) {
      const vectors: Float32Array[] = [];
      for (const text of texts) {
        signal?.throwIfAborted();
        vectors.push(embedText(text));
      }
      return vectors;
    },
  };
}

function embedText(text: string): Float32Array {
  const vector = new Float32Array(DIMENSIONS);
  for (const [word, count] of countWords(text)) addWord(vector, word, 1 + Math.log(count));
  return normalise(vector, text);
}

function countWords(text: string): Map<string, number> {
  const counts = new Map<string, number>();
  // A prefix that surely holds enough words, so that a text of megabytes costs no more than a long one.
  const words = foldedRuns(text.slice(0, MAX_WORDS * 12)).slice(0, MAX_WORDS);
  for (const word of words) {
    if (UNSPACED.test(word)) for (const piece of pieces(word)) counts.set(piece, (counts.get(piece) ?? 0) + 1);
    else counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  return counts;
}

function pieces(word: string): string[] {
  const characters = Array.from(word);
  return characters.flatMap((character, index) =>
    index === 0 ? [character] : [character, `${characters[index - 1]}${character}`],
  );
}

function addWord(vector: Float32Array, word: string, times: number): void {
  const root = rootOf(word);
  const rarity = isStopWord(word)
    ? STOP_WORD_WEIGHT
    : (Math.log(1 / backgroundShare(root)) / Math.log(1000)) ** RARITY_POWER;
  const weight = rarity * times;
  addFeature(vector, `w${root}`, WORD_WEIGHT * weight);
  if (isStopWord(word)) return;
  addConcepts(vector, root, CONCEPT_WEIGHT * weight);
  addGrams(vector, word, GRAM_WEIGHT * weight);
}

function addConcepts(vector: Float32Array, root: string, weight: number): void {
  const shares = conceptsOf(root).map((concept) => ({ ...concept, share: concept.weight ** CONCEPT_POWER }));
  const length = Math.sqrt(shares.reduce((sum, { share }) => sum + share * share, 0));
  for (const { group, share } of shares) addFeature(vector, `c${group}`, (weight * share) / length);
}

function addGrams(vector: Float32Array, word: string, weight: number): void {
  const padded = `^${word.slice(0, 32)}$`;
  if (padded.length < 5) return;
  const share = weight / Math.sqrt(padded.length - 2);
  for (let index = 0; index + 3 <= padded.length; index++)
    addFeature(vector, `g${padded.slice(index, index + 3)}`, share);
}

/** Each feature uses two dimensions, so that two features that collide in one can still be told apart. */
function addFeature(vector: Float32Array, feature: string, weight: number): void {
  let hash = 0x811c9dc5;
  for (let index = 0; index < feature.length; index++) hash = Math.imul(hash ^ feature.charCodeAt(index), 0x01000193);
  const first = scatter(hash);
  const second = scatter(hash ^ 0x5bd1e995);
  const share = weight * Math.SQRT1_2;
  add(vector, first, share);
  add(vector, second, share);
}

function add(vector: Float32Array, hash: number, weight: number): void {
  const index = (hash >>> 1) % DIMENSIONS;
  vector[index] = (vector[index] ?? 0) + (hash & 1 ? weight : -weight);
}

/** Mixes a hash so that its information reaches all 32 bits. */
function scatter(hash: number): number {
  let value = hash;
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35);
  return (value ^ (value >>> 16)) >>> 0;
}

function normalise(vector: Float32Array, text: string): Float32Array {
  let sum = 0;
  for (const value of vector) sum += value * value;
  if (sum === 0) {
    // No word at all (empty, punctuation, emoji): the text itself becomes the only feature, so that equal texts still match.
    addFeature(vector, `t${text.trim().slice(0, 200)}`, 1);
    return normaliseLength(vector);
  }
  return normaliseLength(vector);
}

function normaliseLength(vector: Float32Array): Float32Array {
  let sum = 0;
  for (const value of vector) sum += value * value;
  if (sum === 0) vector[0] = sum = 1;
  const scale = 1 / Math.sqrt(sum);
  for (let index = 0; index < vector.length; index++) vector[index] = (vector[index] ?? 0) * scale;
  return vector;
}
