import { rightOf, type Line } from "./fragment.js";

/** A horizontal range of a line, in points. */
export interface Interval {
  readonly from: number;
  readonly to: number;
}

/** Narrower gaps are within a word; relative to the font size. */
export const WORD_GAP = 0.2;

/** The empty ranges of a line, including everything to its left and right. */
export function gapsOf(line: Line): Interval[] {
  const gaps: Interval[] = [];
  let from = Number.NEGATIVE_INFINITY;
  for (const fragment of line.fragments) {
    if (fragment.x - from > WORD_GAP * line.size) gaps.push({ from, to: fragment.x });
    from = Math.max(from, rightOf(fragment));
  }
  return [...gaps, { from, to: Number.POSITIVE_INFINITY }];
}

/** The empty ranges between the words of a line. */
export function innerGapsOf(line: Line): Interval[] {
  return gapsOf(line).filter(isInner);
}

/** Whether a gap has text on both sides. */
export function isInner({ from, to }: Interval): boolean {
  return Number.isFinite(to - from);
}

/** The intersections of two sorted lists of intervals that are at least this wide. */
export function common(some: readonly Interval[], others: readonly Interval[], width: number): Interval[] {
  const found: Interval[] = [];
  let one = 0;
  let other = 0;
  while (one < some.length && other < others.length) {
    const mine = some[one];
    const yours = others[other];
    if (!mine || !yours) break;
    const from = Math.max(mine.from, yours.from);
    const to = Math.min(mine.to, yours.to);
    if (to - from >= width) found.push({ from, to });
    if (mine.to < yours.to) one += 1;
    else other += 1;
  }
  return found;
}
