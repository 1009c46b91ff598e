/** A ranked item with its own similarity. */
export interface Levelled {
  readonly similarity: number;
  /** True if it must not affect the shown similarity of others, because not every search for the same comes to see it. */
  readonly isFurther?: boolean;
}

/**
 * Similarities for a ranking, so that none exceeds one before it: where a later one is more similar, it and those before it get
 * their mean, as few of them as possible (isotonic regression by pool adjacent violators, Ayer et al. 1955). A ranking that is
 * already in order keeps its numbers.
 * @param ranked best first
 * @returns 0 to 1 for each, never rising
 */
export function levelSimilarities(ranked: readonly Levelled[]): number[] {
  const pooled = pool(ranked.filter(({ isFurther }) => !isFurther).map(({ similarity }) => similarity));
  let next = 0;
  let highest = 1;
  return ranked.map(({ similarity, isFurther }) => {
    if (!isFurther) return (highest = pooled[next++] ?? 0);
    const lowest = pooled[next] ?? 0;
    return (highest = Math.min(highest, Math.max(lowest, similarity)));
  });
}

function pool(values: readonly number[]): Float64Array {
  const sums = new Float64Array(values.length);
  const sizes = new Uint32Array(values.length);
  const meanOf = (place: number): number => sums[place]! / sizes[place]!;
  let last = -1;
  for (const value of values) {
    last += 1;
    sums[last] = value;
    sizes[last] = 1;
    for (; last > 0 && meanOf(last) > meanOf(last - 1); last--) {
      sums[last - 1]! += sums[last]!;
      sizes[last - 1]! += sizes[last]!;
    }
  }
  const pooled = new Float64Array(values.length);
  for (let place = 0, from = 0; place <= last; from += sizes[place++]!)
    pooled.fill(meanOf(place), from, from + sizes[place]!);
  return pooled;
}
