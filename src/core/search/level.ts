/** Something in an order, with how similar it is by itself. */
export interface Levelled {
  readonly similarity: number;
  /** True for what must not change what others are shown with, because not every search for the same comes to see it. */
  readonly isFurther?: boolean;
}

/**
 * The similarities of an order, so that none is higher than one before it: where a later one is more similar, it and those
 * that stand before it get their mean, as few of them as possible (isotonic regression by pool adjacent violators, Ayer et
 * al. 1955). An order that is right already keeps its numbers.
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

interface Pool {
  sum: number;
  size: number;
}

function pool(values: readonly number[]): number[] {
  const pools: Pool[] = [];
  for (const value of values) {
    let last: Pool = { sum: value, size: 1 };
    for (let before = pools.at(-1); before && meanOf(last) > meanOf(before); before = pools.at(-1)) {
      last = { sum: before.sum + last.sum, size: before.size + last.size };
      pools.pop();
    }
    pools.push(last);
  }
  return pools.flatMap((each) => Array<number>(each.size).fill(meanOf(each)));
}

function meanOf({ sum, size }: Pool): number {
  return sum / size;
}
