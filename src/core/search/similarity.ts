import type { Calibration } from "../ports.js";
import type { Query } from "./query.js";
import type { Evidence } from "./evidence.js";

/** The similarity of unrelated text. */
const UNRELATED = 0.2;
/** The rise from unrelated to nearly certain, for a vector alone. */
const VECTOR_RANGE = 0.6;
/** The rise from unrelated to the point where a vector alone suffices for 0.5. */
const RELATED_RANGE = 0.246;
/** Extra weight of words when there is no vector. */
const WORDS_ALONE = 1.5;
/** Sharing a name says little: most texts about a person do. */
const MOST_NAME_WEIGHT = 3;
/** Weight of a date named by the query, relative to its words. */
export const DATE_WEIGHT = 2.5;
/** Maps the summed evidence of words and vector to a similarity; ascending. */
const CURVE: Calibration["points"] = [
  [0, 0.12],
  [0.2, 0.28],
  [0.41, 0.5],
  [0.75, 0.68],
  [1.2, 0.84],
  [1.6, 0.93],
  [2.1, 1],
];

/**
 * How similar a unit is to a query, 0 to 1, whatever else was found: unrelated near 0.2, related above 0.5, near-identical
 * above 0.9. Adds the share of the query's subject that the unit covers to what its vector says; where vectors are known to
 * separate related from unrelated well, a vector that says unrelated reduces what the words say.
 * @param share see `coverageOf`
 * @param near the similarity by the vector alone; null when no vector is known; the words then count for both
 */
export function similarityOf(share: number, near: number | null, calibration: Calibration): number {
  if (near === null) return interpolate(share * WORDS_ALONE, CURVE);
  const rise = Math.max(0, near - UNRELATED);
  const believed = 1 - calibration.doubt * (1 - Math.min(1, rise / RELATED_RANGE));
  return Math.max(near, interpolate(calibration.wordWeight * believed * share + rise / VECTOR_RANGE, CURVE));
}

/**
 * The share of a query's subject that each candidate covers, by weight, 0 to 1.
 * @returns a function of a candidate's index and of how well it fits a date named by the query, 0 to 1
 */
export function coverageOf(
  { terms, date }: Query,
  { presences }: Evidence,
): (candidate: number, dateMatch: number) => number {
  const weights = Float64Array.from(terms, ({ weight, isName }) =>
    isName ? Math.min(weight, MOST_NAME_WEIGHT) : weight,
  );
  const dateWeight = date ? DATE_WEIGHT : 0;
  const total = weights.reduce((sum, weight) => sum + weight, dateWeight);
  if (total === 0) return () => 0;
  return (candidate, dateMatch) => {
    const first = candidate * weights.length;
    let found = dateWeight * dateMatch;
    for (let term = 0; term < weights.length; term++) found += weights[term]! * presences[first + term]!;
    return found / total;
  };
}

/** The highest cosine that a curve's points place among the unrelated. */
export function unrelatedCosine(points: Calibration["points"]): number {
  return points.findLast(([, similarity]) => similarity <= UNRELATED)?.[0] ?? points[0]?.[0] ?? 0;
}

/** The value of an ascending piecewise-linear curve given by its points; flat beyond its ends. */
export function interpolate(x: number, points: Calibration["points"]): number {
  let [previousX, previousY] = points[0] ?? [0, 0];
  if (!(x > previousX)) return previousY;
  for (let at = 1; at < points.length; at++) {
    const pointX = points[at]![0];
    const pointY = points[at]![1];
    if (x <= pointX) return previousY + ((x - previousX) / (pointX - previousX)) * (pointY - previousY);
    previousX = pointX;
    previousY = pointY;
  }
  return previousY;
}
