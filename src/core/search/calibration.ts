import * as z from "zod";
import type { Calibration, Embedder } from "../ports.js";
import { interpolate } from "./similarity.js";
import { CALIBRATION_TEXTS, CALIBRATION_TEXTS_VERSION, type CalibrationTexts } from "./calibration-texts.js";

/** Cosines in one language, each list in ascending order. */
const distributionSchema = z.object({
  language: z.string(),
  pairs: z.int().min(1),
  /** Median cosine between two texts, both as documents. */
  documents: z.number().min(-1.01).max(1.01),
  unrelated: z.array(z.number().min(-1.01).max(1.01)).min(1),
  related: z.array(z.number().min(-1.01).max(1.01)).min(1),
  nearIdentical: z.array(z.number().min(-1.01).max(1.01)).min(1),
});
type Distribution = z.infer<typeof distributionSchema>;

const measurementSchema = z.object({
  version: z.literal(CALIBRATION_TEXTS_VERSION),
  languages: z.array(distributionSchema).min(1),
  /** Median cosine between two stored vectors of one container; missing until there are many. */
  stored: z.number().min(-1.01).max(1.01).optional(),
});

/**
 * What was measured in one vector space: the distributions of cosines of unrelated, related and near-identical texts. Stored
 * instead of the curve, so that a better way to derive the curve does not need the provider again.
 */
export type Measurement = z.infer<typeof measurementSchema>;

/** How many cosines of unrelated pairs are kept, spread evenly over their distribution. */
const KEPT_UNRELATED = 101;
const DIGITS = 1e5;

/** Embeds the calibration texts. @throws what the embedder throws */
export async function measureSpace(embedder: Embedder, signal?: AbortSignal): Promise<Measurement> {
  const asked = await embedAll(embedder, textsOf(0), "query", signal);
  const texts = await embedAll(embedder, textsOf(1), "document", signal);
  const languages = CALIBRATION_TEXTS.map((of) => distributionOf(of, asked, texts));
  return { version: CALIBRATION_TEXTS_VERSION, languages };
}

/** The stored measurement; null when it is invalid or was made with other texts than today's. */
export function readMeasurement(kept: string | null): Measurement | null {
  if (kept === null) return null;
  try {
    return measurementSchema.parse(JSON.parse(kept));
  } catch {
    // Whatever it is, a new measurement replaces it.
    return null;
  }
}

function textsOf(side: 0 | 1): string[] {
  return [...new Set(CALIBRATION_TEXTS.flatMap((of) => [...of.pairs, ...of.nearIdentical].map((pair) => pair[side])))];
}

type Vectors = ReadonlyMap<string, Float32Array>;

async function embedAll(
  embedder: Embedder,
  texts: readonly string[],
  purpose: "document" | "query",
  signal?: AbortSignal,
): Promise<Vectors> {
  const vectors = new Map<string, Float32Array>();
  for (let start = 0; start < texts.length; start += embedder.maxBatch) {
    const batch = texts.slice(start, start + embedder.maxBatch);
    const found = await embedder.embed(batch, purpose, signal);
    for (const [index, text] of batch.entries()) vectors.set(text, found[index] ?? new Float32Array(0));
  }
  return vectors;
}

function distributionOf({ language, pairs, nearIdentical }: CalibrationTexts, asked: Vectors, texts: Vectors) {
  const cosineOf = (one: string, other: string): number => dot(asked.get(one), texts.get(other));
  const unrelated = pairs.flatMap(([question], at) =>
    pairs.flatMap(([, text], other) => (other === at ? [] : [cosineOf(question, text)])),
  );
  const documents = pairs.flatMap(([, one], at) =>
    pairs.slice(0, at).map(([, other]) => dot(texts.get(one), texts.get(other))),
  );
  return {
    language,
    pairs: pairs.length,
    documents: medianOf(documents),
    unrelated: thin(rising(unrelated), KEPT_UNRELATED),
    related: rising(pairs.map(([question, text]) => cosineOf(question, text))),
    nearIdentical: rising(nearIdentical.map(([one, other]) => cosineOf(one, other))),
  };
}

/** The median of some numbers, in any order; 0 when there are none. */
export function medianOf(values: readonly number[]): number {
  return quantile(rising(values), 0.5);
}

/** Cosine of two vectors of length 1, to five digits. */
export function dot(one: Float32Array | undefined, other: Float32Array | undefined): number {
  let sum = 0;
  for (const [index, value] of (one ?? new Float32Array(0)).entries()) sum += value * (other?.[index] ?? 0);
  return Math.round(Math.min(1, Math.max(-1, sum)) * DIGITS) / DIGITS;
}

function rising(values: readonly number[]): number[] {
  return [...values].sort((one, other) => one - other);
}

/** `count` values of an ascending list, including the first and the last. */
function thin(values: readonly number[], count: number): number[] {
  if (values.length <= count) return [...values];
  return Array.from({ length: count }, (_, at) => quantile(values, at / (count - 1)));
}

function quantile(values: readonly number[], share: number): number {
  return values[Math.round(share * (values.length - 1))] ?? 0;
}

/** Landmarks of a space's own scale, as cosines. */
interface Anchors {
  /** Median between two documents. */
  readonly documents: number;
  /** Half of the unrelated pairs lie below. */
  readonly unrelated: number;
  /** Nine of ten unrelated pairs lie below. */
  readonly mostUnrelated: number;
  /** At or above this, the vector alone suffices to call two texts related. */
  readonly related: number;
  readonly nearIdentical: number;
  /** Share of related pairs that lie above nearly all unrelated ones, 0 to 1. */
  readonly separation: number;
}

/** A language counts when a related pair lies above an unrelated one in at least this share of all comparisons. */
const KNOWN_LANGUAGE = 0.8;
/** Similarity by the vector alone at these landmarks. The words of a text may raise it; see `similarityOf`. */
const AT = { unrelated: 0.2, mostUnrelated: 0.26, related: 0.446, nearIdentical: 0.9 };
/** The quantile below which nearly all unrelated pairs lie, and how much farther a space that separates badly has to go. */
const UNRELATED_END = 0.98;
const WEAKNESS = 2.5;
/** Share of related pairs that may fall short when the space separates well. */
const SHORT = 0.15;
/** Distance between the median and the 90 % quantile of a normal distribution, in standard deviations. */
const NINETY = 1.2816;
/** Points closer than this have no reliable order. */
const LEAST_STEP = 1e-4;
/** At or above this separation, words need no more weight than beside the built-in embedder, whose separation is about this. */
const GOOD_SEPARATION = 0.6;
const MOST_WORD_WEIGHT = 1.5;
/** Below a separation of `DOUBT_FROM`, words are believed fully; a perfect space takes away a fifth of their weight. */
const DOUBT_FROM = 0.3;
const DOUBT_FULL = 0.95;
const MOST_DOUBT = 0.2;
/** How much of the extra closeness of stored texts, compared with everyday texts, is treated as unrelated. */
const BELIEVED = 0.5;
/** The most that this may take of the way from unrelated to near-identical. */
const MOST_OF_ROOM = 0.6;
/**
 * Weight in ranking by separation. At the separation of the built-in embedder it is the weight measured for that embedder; for
 * averaged word vectors (0.34), about half of that was best. The better the vectors, the more weight pays off, but models do
 * worse on real questions than on these texts.
 */
const VECTOR_WEIGHTS = [
  [0, 0],
  [0.6, 0.1],
  [1, 0.5],
] as const;

/** Derives from a measurement how the cosines of its space are to be read. */
export function calibrationFrom({ languages, stored }: Measurement): Calibration {
  const known = average(knownLanguages(languages));
  const anchors = stored === undefined ? known : moveUp(known, stored - known.documents);
  const { unrelated, mostUnrelated, related, nearIdentical, separation } = anchors;
  const lowest = unrelated - 3 * ((mostUnrelated - unrelated) / NINETY);
  return {
    points: risingPoints([
      [lowest, 0.1],
      [unrelated, AT.unrelated],
      [mostUnrelated, AT.mostUnrelated],
      [related, AT.related],
      [nearIdentical, AT.nearIdentical],
    ]),
    wordWeight: 1 + (MOST_WORD_WEIGHT - 1) * Math.max(0, 1 - separation / GOOD_SEPARATION),
    doubt: MOST_DOUBT * within01((separation - DOUBT_FROM) / (DOUBT_FULL - DOUBT_FROM)),
    vectorWeight: interpolate(separation, VECTOR_WEIGHTS),
  };
}

/**
 * Stored texts may all be about one subject, or of a kind that a model places close together: then texts unrelated to a
 * question have higher cosines than everyday texts do. Only half of that is believed, because such texts are in fact slightly
 * related.
 */
function moveUp(anchors: Anchors, by: number): Anchors {
  const { unrelated, nearIdentical } = anchors;
  const room = nearIdentical - unrelated;
  const share = room > 0 ? Math.min(MOST_OF_ROOM, Math.max(0, BELIEVED * by) / room) : 0;
  const moved = (cosine: number): number => cosine + share * (nearIdentical - cosine);
  return {
    ...anchors,
    unrelated: moved(unrelated),
    mostUnrelated: moved(anchors.mostUnrelated),
    related: moved(anchors.related),
  };
}

/** The languages in which the model can tell texts apart; if there is none, the one where it fails least. */
function knownLanguages(languages: readonly Distribution[]): Distribution[] {
  const judged = languages.map((of) => ({ of, order: orderOf(of) })).sort((one, other) => other.order - one.order);
  const known = judged.filter(({ order }, at) => at === 0 || order >= KNOWN_LANGUAGE);
  return known.map(({ of }) => of);
}

/** How often a related pair lies above an unrelated one, 0 to 1; 0.5 is chance level. */
function orderOf({ related, unrelated }: Distribution): number {
  let above = 0;
  for (const one of related) for (const other of unrelated) above += one > other ? 1 : one === other ? 0.5 : 0;
  return above / (related.length * unrelated.length);
}

function anchorsOf({ documents, unrelated, related, nearIdentical }: Distribution): Anchors {
  const middle = quantile(unrelated, 0.5);
  const most = quantile(unrelated, 0.9);
  const end = quantile(unrelated, UNRELATED_END);
  const separation = related.filter((cosine) => cosine > end).length / related.length;
  const same = quantile(nearIdentical, 0.1);
  const safe = end + (WEAKNESS * (1 - separation) * (most - middle)) / NINETY;
  return {
    documents,
    unrelated: middle,
    mostUnrelated: most,
    related: Math.min(Math.max(safe, quantile(related, SHORT)), middle + 0.8 * (same - middle)),
    nearIdentical: same,
    separation,
  };
}

/** Languages are weighted by how much was measured in them. */
function average(languages: readonly Distribution[]): Anchors {
  const total = languages.reduce((sum, { pairs }) => sum + pairs, 0);
  const parts = languages.map((of) => ({ anchors: anchorsOf(of), weight: of.pairs / total }));
  const mean = (name: keyof Anchors): number =>
    parts.reduce((sum, { anchors, weight }) => sum + weight * anchors[name], 0);
  return {
    documents: mean("documents"),
    unrelated: mean("unrelated"),
    mostUnrelated: mean("mostUnrelated"),
    related: mean("related"),
    nearIdentical: mean("nearIdentical"),
    separation: mean("separation"),
  };
}

/** Drops points that do not lie above the previous one, and always ends with 1. */
function risingPoints(points: readonly (readonly [number, number])[]): Calibration["points"] {
  const kept: (readonly [number, number])[] = [];
  for (const [cosine, similarity] of points) {
    const before = kept.at(-1)?.[0] ?? -1 - LEAST_STEP;
    if (cosine >= before + LEAST_STEP && cosine <= 1 - LEAST_STEP) kept.push([cosine, similarity]);
  }
  return [...kept, [1, 1]];
}

function within01(value: number): number {
  return Math.min(1, Math.max(0, value));
}
