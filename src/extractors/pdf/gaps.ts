import { rightOf, type Line } from "./fragment.js";

/** From one place of a line to another one, in points. */
export interface Interval {
  readonly from: number;
  readonly to: number;
}

/** What is narrower stands within a word, in parts of the size of the letters. */
export const WORD_GAP = 0.2;

/** What is empty in a line, with all to its left and to its right. */
export function gapsOf(line: Line): Interval[] {
  const gaps: Interval[] = [];
  let from = Number.NEGATIVE_INFINITY;
  for (const fragment of line.fragments) {
    if (fragment.x - from > WORD_GAP * line.size) gaps.push({ from, to: fragment.x });
    from = Math.max(from, rightOf(fragment));
  }
  return [...gaps, { from, to: Number.POSITIVE_INFINITY }];
}

/** What is empty between words of a line. */
export function innerGapsOf(line: Line): Interval[] {
  return gapsOf(line).filter(isInner);
}

/** Whether something stands on both sides of a gap. */
export function isInner({ from, to }: Interval): boolean {
  return Number.isFinite(to - from);
}

/** What two ordered lists of intervals have in common, where it is wide enough. */
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
