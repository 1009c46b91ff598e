import { median, rightOf, type Line } from "./fragment.js";
import { innerGapsOf, WORD_GAP } from "./gaps.js";

/** Lengths are relative to the font size. */
const SAME_EDGE = 0.3;
const SAME_GAP = 0.1;
/** Width of the space in a wide font. */
const USUAL_SPACE = 0.32;
/** Not all lines need to qualify: a paragraph may end among them, and a symbol in another font may change the gaps around it. */
const MOST = 0.75;
/** A line further below belongs to another text. */
const NEXT_LINE = 2;

/**
 * Whether lines are justified text, whose spaces may be aligned by chance: each line reaches from the left margin to the right
 * one, its gaps are equal, and it has no room for the first word of the next line.
 * @param after the line below them
 */
export function areJustified(lines: readonly Line[], after: Line | undefined): boolean {
  const left = lines.reduce((least, line) => Math.min(least, line.left), Number.POSITIVE_INFINITY);
  const right = lines.reduce((most, line) => Math.max(most, line.right), Number.NEGATIVE_INFINITY);
  const stretched = lines.filter((line, at) => {
    const edge = SAME_EDGE * line.size;
    const reachesMargins = line.left - left <= edge && right - line.right <= edge;
    return reachesMargins && hasEqualGaps(line) && !hasRoomFor(lines[at + 1] ?? after, line);
  });
  return stretched.length >= MOST * lines.length;
}

function widthsOfGaps(line: Line): number[] {
  return innerGapsOf(line).map(({ from, to }) => to - from);
}

function hasEqualGaps(line: Line): boolean {
  const widths = widthsOfGaps(line);
  const usual = median(widths);
  const equal = widths.filter((width) => Math.abs(width - usual) <= SAME_GAP * line.size);
  return equal.length >= MOST * widths.length;
}

/** Whether the first word of the line below would have fitted with spaces of the usual width. */
function hasRoomFor(below: Line | undefined, line: Line): boolean {
  if (!below || below.baseline - line.baseline > NEXT_LINE * line.size) return false;
  const widths = widthsOfGaps(line);
  const room = widths.reduce((sum, width) => sum + width, 0) - (widths.length + 1) * USUAL_SPACE * line.size;
  return room > widthOfFirstWord(below) + SAME_EDGE * line.size;
}

function widthOfFirstWord(line: Line): number {
  let right = line.left;
  for (const fragment of line.fragments) {
    if (fragment.x - right > WORD_GAP * line.size) break;
    const [word = ""] = fragment.text.trimStart().split(" ", 1);
    if (word.length < fragment.text.length)
      return fragment.x + (fragment.width * word.length) / fragment.text.length - line.left;
    right = rightOf(fragment);
  }
  return right - line.left;
}
