import { quantise } from "./quantise.js";
import { RowScores } from "./row-scores.js";

/** How many clusters a large container is divided into. Finding the nearest one of a vector of 384 numbers takes about 25 µs. */
export const CLUSTERS = 256;
/** Rows from which each cluster is learned. */
const SAMPLES_PER_CLUSTER = 64;
/** Later rounds hardly move the centres. */
const ROUNDS = 8;
/** Rows per turn, so that one takes a millisecond at most with thousands of dimensions. */
const ROWS_PER_TURN = 8;

/** The number of rows from which clusters are learned. */
export const SAMPLED_ROWS = CLUSTERS * SAMPLES_PER_CLUSTER;

/** Directions around which vectors gather: spherical k-means, the coarse half of an inverted file index. */
export class Clusters {
  readonly #stride: number;
  readonly #centres: Int8Array;
  readonly #scales: Float64Array;

  /** @param centres one vector of `stride` numbers per cluster, of any length above 0 */
  constructor(centres: Float32Array, stride: number) {
    const count = centres.length / stride;
    this.#stride = stride;
    this.#centres = new Int8Array(centres.length);
    this.#scales = Float64Array.from({ length: count }, (_, cluster) => {
      const [from, to] = [cluster * stride, (cluster + 1) * stride];
      return quantise(centres.subarray(from, to), this.#centres.subarray(from, to), null);
    });
  }

  /** The cluster whose centre is nearest to a vector of any length. */
  nearest(vector: Float64Array): number {
    const cosines = this.#score(vector);
    let best = 0;
    for (let cluster = 1; cluster < cosines.length; cluster++) if (cosines[cluster]! > cosines[best]!) best = cluster;
    return best;
  }

  /** The `count` clusters whose centres are nearest to a vector, of those that count. */
  nearestOnes(vector: Float64Array, count: number, counts: (cluster: number) => boolean): number[] {
    const cosines = this.#score(vector);
    const clusters = Array.from(cosines, (_, cluster) => cluster).filter(counts);
    return clusters.sort((left, right) => cosines[right]! - cosines[left]!).slice(0, count);
  }

  #score(vector: Float64Array): Float64Array {
    const sums = new RowScores(vector, this.#stride).ofAll(this.#centres, this.#scales.length);
    const cosines = new Float64Array(sums.length);
    for (let cluster = 0; cluster < sums.length; cluster++) cosines[cluster] = sums[cluster]! * this.#scales[cluster]!;
    return cosines;
  }
}

/**
 * Learns clusters from sampled rows of `stride` 8-bit numbers each. Yields several times per millisecond.
 * @param samples at least `CLUSTERS` rows
 */
export function* learnClusters(samples: readonly Int8Array[], stride: number): Generator<void, Clusters> {
  const centres = new Float32Array(CLUSTERS * stride);
  const spacing = samples.length / CLUSTERS;
  for (let cluster = 0; cluster < CLUSTERS; cluster++)
    centres.set(samples[Math.floor(cluster * spacing)]!, cluster * stride);
  let clusters = new Clusters(centres, stride);
  for (let round = 0; round < ROUNDS; round++) {
    const sums = new Float64Array(centres.length);
    for (const [at, sample] of samples.entries()) {
      if (at % ROWS_PER_TURN === 0) yield;
      const vector = new Float64Array(sample);
      addUnitVector(sums, clusters.nearest(vector) * stride, vector);
    }
    moveCentres(centres, sums, stride);
    clusters = new Clusters(centres, stride);
  }
  return clusters;
}

function addUnitVector(sums: Float64Array, offset: number, vector: Float64Array): void {
  const length = lengthOf(vector);
  if (length === 0) return;
  for (let at = 0; at < vector.length; at++) sums[offset + at]! += vector[at]! / length;
}

/** Places each centre in the middle of its vectors; one that has none stays. */
function moveCentres(centres: Float32Array, sums: Float64Array, stride: number): void {
  for (let from = 0; from < sums.length; from += stride) {
    const sum = sums.subarray(from, from + stride);
    const length = lengthOf(sum);
    if (length > 0) for (let at = 0; at < stride; at++) centres[from + at] = sum[at]! / length;
  }
}

function lengthOf(vector: Float64Array): number {
  let sum = 0;
  for (let at = 0; at < vector.length; at++) sum += vector[at]! * vector[at]!;
  return Math.sqrt(sum);
}
