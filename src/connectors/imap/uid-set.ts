/** Disjoint ranges of UIDs in ascending order, both ends included. */
export type UidSet = readonly (readonly [first: number, last: number])[];

const LARGEST = 2 ** 32 - 1;

/** Parses an IMAP sequence set, such as `1:4,9`; null for an invalid one. Ranges are not expanded, however long they are. */
export function parseUids(text: string): UidSet | null {
  const ranges: (readonly [number, number])[] = [];
  for (const part of text === "" ? [] : text.split(",")) {
    const colon = part.indexOf(":");
    const from = Number(colon < 0 ? part : part.slice(0, colon));
    const to = colon < 0 ? from : Number(part.slice(colon + 1));
    if (!isUid(from) || !isUid(to)) return null;
    ranges.push(from <= to ? [from, to] : [to, from]);
  }
  return joined(ranges);
}

export function formatUids(set: UidSet): string {
  return set.map(([first, last]) => (first === last ? String(first) : `${first}:${last}`)).join(",");
}

export function countUids(set: UidSet): number {
  return set.reduce((sum, [first, last]) => sum + last - first + 1, 0);
}

export function addUids(set: UidSet, others: UidSet): UidSet {
  return joined([...set, ...others]);
}

/** The UIDs of a set that the other one lacks. */
export function withoutUids(set: UidSet, others: UidSet): UidSet {
  const left: (readonly [number, number])[] = [];
  let at = 0;
  for (const [first, last] of set) {
    let from = first;
    while ((others[at]?.[1] ?? Infinity) < from) at += 1;
    for (let next = at; from <= last; next += 1) {
      const [start, end] = others[next] ?? [Infinity, Infinity];
      if (start > last) {
        left.push([from, last]);
        break;
      }
      if (start > from) left.push([from, start - 1]);
      from = end + 1;
    }
  }
  return left;
}

/** Splits a set into pieces of this many UIDs. */
export function* uidPieces(set: UidSet, size: number): Generator<UidSet> {
  let piece: (readonly [number, number])[] = [];
  let room = size;
  for (const [first, last] of set)
    for (let from = first; from <= last;) {
      const to = Math.min(last, from + room - 1);
      piece.push([from, to]);
      room -= to - from + 1;
      from = to + 1;
      if (room > 0) continue;
      yield piece;
      piece = [];
      room = size;
    }
  if (piece.length > 0) yield piece;
}

export function* eachUid(set: UidSet): Generator<number> {
  for (const [first, last] of set) for (let uid = first; uid <= last; uid += 1) yield uid;
}

function isUid(value: number): boolean {
  return Number.isInteger(value) && value >= 1 && value <= LARGEST;
}

function joined(ranges: UidSet): UidSet {
  const result: [number, number][] = [];
  for (const [first, last] of ranges.toSorted(([one], [other]) => one - other)) {
    const end = result.at(-1);
    if (end && first <= end[1] + 1) end[1] = Math.max(end[1], last);
    else result.push([first, last]);
  }
  return result;
}
