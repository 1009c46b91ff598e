import { rightOf, type Fragment, type Line } from "./fragment.js";

/** Maximum vertical offset of fragments within a line, such as exponents, relative to the font size. */
const SAME_LINE = 0.45;
/** Minimum width of a space, relative to the font size. */
const SPACE = 0.12;

/** Groups fragments into lines, from the top of the page to the bottom. */
export function linesOf(fragments: readonly Fragment[]): Line[] {
  const lines: Fragment[][] = [];
  let current: Fragment[] = [];
  let top = Number.NEGATIVE_INFINITY;
  let largest = 0;
  for (const fragment of fragments.toSorted((one, other) => one.baseline - other.baseline)) {
    if (fragment.baseline - top > SAME_LINE * Math.max(largest, fragment.size)) {
      current = [];
      lines.push(current);
      top = fragment.baseline;
      largest = 0;
    }
    current.push(fragment);
    largest = Math.max(largest, fragment.size);
  }
  return lines.map(lineOfFragments);
}

/** Builds one line from its fragments. */
export function lineOfFragments(fragments: readonly Fragment[]): Line {
  const inOrder = fragments.toSorted((one, other) => one.x - other.x);
  const main = mainFragment(inOrder);
  const read = isRightToLeft(inOrder) ? inOrder.toReversed() : inOrder;
  return {
    fragments: inOrder,
    text: joinFragments(read),
    left: inOrder[0]?.x ?? 0,
    right: inOrder.reduce((most, fragment) => Math.max(most, rightOf(fragment)), Number.NEGATIVE_INFINITY),
    baseline: main?.baseline ?? 0,
    size: main?.size ?? 1,
    outerRow: null,
    isMonospaced: inOrder.every(({ isMonospaced }) => isMonospaced),
  };
}

function isRightToLeft(fragments: readonly Fragment[]): boolean {
  const letters = fragments.reduce((sum, { text, isRightToLeft: is }) => sum + (is ? text.length : -text.length), 0);
  return letters > 0;
}

/** The font size of most letters is the size of the line. */
function mainFragment(fragments: readonly Fragment[]): Fragment | undefined {
  const letters = new Map<number, number>();
  for (const { text, size } of fragments) letters.set(size, (letters.get(size) ?? 0) + text.trim().length);
  const [size] = [...letters].reduce((most, one) => (one[1] > most[1] ? one : most), [0, -1]);
  return fragments.find((fragment) => fragment.size === size);
}

/** The text of fragments in the given order, with a space for each gap. */
export function joinFragments(fragments: readonly Fragment[]): string {
  let text = "";
  let before: Fragment | undefined;
  for (const fragment of fragments) {
    if (before && gapBetween(before, fragment) > SPACE * Math.min(before.size, fragment.size)) text += " ";
    text += fragment.text;
    before = fragment;
  }
  return text.replace(/ {2,}/g, " ").trim();
}

function gapBetween(one: Fragment, other: Fragment): number {
  return Math.max(other.x - rightOf(one), one.x - rightOf(other));
}
