/** An entry that two lists share: its index in each. */
export type TurnPair = readonly [one: number, other: number];

/**
 * Entries that two lists have in the same order: the common beginning, entries that occur exactly once in each, and equal
 * entries adjacent to these. Takes time proportional to the lists and the logarithm of what they share.
 */
export function alignEntries(one: readonly string[], other: readonly string[]): TurnPair[] {
  const start = commonStart(one, other);
  const matches: TurnPair[] = Array.from({ length: start }, (_, index) => [index, index]);
  for (const anchor of [...inOrder(anchorsOf(one, other, start)), [one.length, other.length] as const]) {
    const [left, right] = matches.at(-1) ?? [-1, -1];
    const behind = extend(one, other, [left, right], anchor);
    const before = retreat(one, other, behind.at(-1) ?? [left, right], anchor);
    for (const match of [...behind, ...before]) matches.push(match);
    if (anchor[0] < one.length) matches.push(anchor);
  }
  return matches;
}

function commonStart(one: readonly string[], other: readonly string[]): number {
  let length = 0;
  while (length < one.length && length < other.length && one[length] === other[length]) length += 1;
  return length;
}

/** Entries that occur once in each list, by their index in the first. */
function anchorsOf(one: readonly string[], other: readonly string[], start: number): TurnPair[] {
  const places = indexOfEach(other, start);
  return [...indexOfEach(one, start)].flatMap(([entry, place]): TurnPair[] => {
    const found = places.get(entry) ?? -1;
    return place === -1 || found === -1 ? [] : [[place, found]];
  });
}

/** The index of each entry, -1 for one that occurs more than once. */
function indexOfEach(list: readonly string[], start: number): Map<string, number> {
  const places = new Map<string, number>();
  for (let place = start; place < list.length; place += 1) {
    const entry = list[place] ?? "";
    places.set(entry, places.has(entry) ? -1 : place);
  }
  return places;
}

/** The most of these matches that do not cross (a longest increasing subsequence, by patience sorting). */
function inOrder(matches: readonly TurnPair[]): TurnPair[] {
  const piles: { readonly match: TurnPair; readonly below: number | null }[] = [];
  const tops: number[] = [];
  for (const match of matches) {
    let low = 0;
    let high = tops.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((piles[tops[middle] ?? 0]?.match[1] ?? 0) < match[1]) low = middle + 1;
      else high = middle;
    }
    tops[low] = piles.length;
    piles.push({ match, below: low === 0 ? null : (tops[low - 1] ?? null) });
  }
  const kept: TurnPair[] = [];
  for (let at = tops.at(-1) ?? null; at !== null; at = piles[at]?.below ?? null) {
    const pile = piles[at];
    if (pile) kept.push(pile.match);
  }
  return kept.reverse();
}

/** Matches right after a match, up to the next one. */
function extend(one: readonly string[], other: readonly string[], from: TurnPair, to: TurnPair): TurnPair[] {
  const matches: TurnPair[] = [];
  let [left, right] = [from[0] + 1, from[1] + 1];
  while (left < to[0] && right < to[1] && one[left] === other[right]) matches.push([left++, right++]);
  return matches;
}

/** Matches right before a match, back to the previous one. */
function retreat(one: readonly string[], other: readonly string[], from: TurnPair, to: TurnPair): TurnPair[] {
  const matches: TurnPair[] = [];
  let [left, right] = [to[0] - 1, to[1] - 1];
  while (left > from[0] && right > from[1] && one[left] === other[right]) matches.push([left--, right--]);
  return matches.reverse();
}
