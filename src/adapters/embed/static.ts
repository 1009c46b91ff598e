import { basename, isAbsolute } from "node:path";
import { AppError } from "../../core/errors.js";
import type { Embedder, Log, Waiting } from "../../core/ports.js";
import { yieldTurn } from "../../lib/time.js";
import { STATIC_CALIBRATION } from "./calibration.js";
import { fetchModel, type Hub } from "./hub/model-hub.js";
import { openModel, type StaticModel } from "./static/model.js";
import type { TokenIds } from "./static/tokens.js";

/** Increment whenever the same model would give a text another vector. */
const VERSION = 1;
const MAX_BATCH = 256;
/** Texts are read up to here: the rest would add noise and cost time. */
const LONGEST_TEXT = 40_000;
/** Texts whose rows are fetched together. */
const GROUP = 32;
/** Milliseconds after which other work gets its turn. */
const LONGEST_TURN = 4;

export interface StaticEmbedderOptions {
  /** Absolute path of a folder, or a name on the hub: `owner/name`, or `owner/name@revision`. */
  readonly model: string;
  /** Where downloaded models are stored. */
  readonly modelsDirectory: string;
  /** Never download. */
  readonly offline: boolean;
  readonly hub: Hub;
  readonly log: Log;
}

/** An embedder whose table of numbers stays open until it is closed. */
export interface StaticEmbedder extends Embedder {
  /** Closes the files; no text can be embedded afterwards. */
  close(): Promise<void>;
}

/**
 * Vectors from a static model (Model2Vec): the mean of the table rows for a text's tokens. Resolves when the model is present
 * and checked; it is downloaded if needed and allowed.
 * @throws AppError `unavailable` (or `storage_full`) when trying again later may help: what has arrived is kept; `invalid` when
 *   only a person can help: a broken model, one that the hub lacks or refuses, none without a network
 */
export async function prepareStaticEmbedder(
  options: StaticEmbedderOptions,
  waiting: Waiting = {},
): Promise<StaticEmbedder> {
  const { model, modelsDirectory } = options;
  const folder = isAbsolute(model) ? model : await fetchModel(options, waiting);
  const opened = await openModel(folder, modelsDirectory, waiting.signal);
  return createEmbedder(opened, isAbsolute(model) ? basename(model) : model);
}

function createEmbedder(model: StaticModel, name: string): StaticEmbedder {
  const { tokens, table, digest } = model;
  let isClosed = false;

  async function embedGroup(texts: readonly string[]): Promise<Float32Array[]> {
    const tokenised = texts.map((text) => tokens.encode(beginningOf(text)));
    const rows = await table.read(rowsOf(tokenised, model));
    return tokenised.map((tokenIds, at) => vectorOf(texts[at] ?? "", tokenIds, rows, model));
  }

  return {
    name: `static ${name}`,
    fingerprint: `static/${VERSION} ${digest} ${table.columns}`,
    maxBatch: MAX_BATCH,
    calibration: STATIC_CALIBRATION,
    async embed(texts, _purpose, signal) {
      signal?.throwIfAborted();
      if (isClosed) throw new AppError("unavailable", `The embedding model ${name} was closed.`);
      const vectors: Float32Array[] = [];
      let turn = performance.now();
      for (let start = 0; start < texts.length; start += GROUP) {
        vectors.push(...(await embedGroup(texts.slice(start, start + GROUP))));
        if (performance.now() - turn < LONGEST_TURN) continue;
        await yieldTurn(signal);
        turn = performance.now();
      }
      return vectors;
    },
    async close() {
      if (isClosed) return;
      isClosed = true;
      await model.close();
    },
  };
}

type Rows = ReadonlyMap<number, Float32Array>;

/** Marks on one letter. Real text in any script has shorter runs, and normalising longer ones takes forever. */
const MARK_HEAPS = /(\p{M}{32})\p{M}+/gu;

/** Without lone surrogates, which a cut may leave too, and without heaps of marks. */
function beginningOf(text: string): string {
  const beginning = text.length > LONGEST_TEXT ? text.slice(0, LONGEST_TEXT) : text;
  return beginning.replace(/\p{Surrogate}/gu, " ").replace(MARK_HEAPS, "$1");
}

function* rowsOf(tokenised: readonly TokenIds[], { rowOf }: StaticModel): Iterable<number> {
  for (const { ids } of tokenised) for (const id of ids) yield rowOf === undefined ? id : (rowOf[id] ?? 0);
}

/**
 * The mean alone for texts of which the model knows at least half, by weight. The less it knows below that, the more a direction
 * of the text's own counts: otherwise all texts in a foreign language would equal their commas.
 */
function vectorOf(text: string, { ids, unknown }: TokenIds, rows: Rows, model: StaticModel): Float32Array {
  const mean = toLengthOne(sumOf(ids, rows, model));
  const known = unknown === 0 ? ids.length : weightOf(ids, rows, model);
  if (mean !== undefined && unknown <= known) return mean;
  const own = directionOf(text, model.table.columns);
  if (mean === undefined) return own;
  const share = (unknown - known) / (unknown + known);
  const mixed = Float64Array.from(mean, (value, index) => (1 - share) * value + share * (own[index] ?? 0));
  return toLengthOne(mixed) ?? own;
}

/** How much tokens say, an ordinary one counting 1: punctuation and stop words have short rows. */
function weightOf(ids: readonly number[], rows: Rows, model: StaticModel): number {
  return ids.reduce((sum, id) => sum + Math.min(1, Math.hypot(...sumOf([id], rows, model)) / model.usualLength), 0);
}

function sumOf(ids: readonly number[], rows: Rows, { weights, rowOf, table }: StaticModel): Float64Array {
  const sum = new Float64Array(table.columns);
  for (const id of ids) {
    const row = rows.get(rowOf === undefined ? id : (rowOf[id] ?? 0));
    if (row === undefined) continue;
    const weight = weights === undefined ? 1 : (weights[id] ?? 1);
    for (let index = 0; index < sum.length; index++) sum[index] = (sum[index] ?? 0) + weight * (row[index] ?? 0);
  }
  return sum;
}

/** Undefined when the numbers have no direction. */
function toLengthOne(numbers: Float64Array): Float32Array | undefined {
  let largest = 0;
  for (let index = 0; index < numbers.length; index++) largest = Math.max(largest, Math.abs(numbers[index] ?? 0));
  if (largest === 0 || !Number.isFinite(largest)) return undefined;
  // Divided first, so that very large and very small numbers can be squared.
  let squares = 0;
  for (let index = 0; index < numbers.length; index++) squares += ((numbers[index] ?? 0) / largest) ** 2;
  const scale = 1 / Math.sqrt(squares);
  const unit = new Float32Array(numbers.length);
  for (let index = 0; index < unit.length; index++) unit[index] = ((numbers[index] ?? 0) / largest) * scale;
  return unit;
}

/** For texts without a known token: a direction of their own, so that only equal ones match. */
function directionOf(text: string, columns: number): Float32Array {
  let state = 0x811c9dc5;
  for (const character of text.trim().slice(0, 200))
    state = Math.imul(state ^ (character.codePointAt(0) ?? 0), 0x01000193);
  const numbers = Float64Array.from({ length: columns }, () => {
    state = (state + 0x6d2b79f5) | 0;
    let value = Math.imul(state ^ (state >>> 15), state | 1);
    value ^= value + Math.imul(value ^ (value >>> 7), value | 61);
    return ((value ^ (value >>> 14)) >>> 0) / 2 ** 31 - 1;
  });
  return toLengthOne(numbers) ?? Float32Array.from({ length: columns }, (_, index) => (index === 0 ? 1 : 0));
}
