/** A run of text on a page, upright: x increases to the right, y downwards; lengths in points. */
export interface Fragment {
  readonly text: string;
  readonly x: number;
  readonly width: number;
  readonly baseline: number;
  /** Font size; above 0. */
  readonly size: number;
  /** Its position in the file: programs write column by column, or row by row. */
  readonly order: number;
  readonly isMonospaced: boolean;
  readonly isRightToLeft: boolean;
}

/** A line of a page, or of one of its columns, as far as text extraction needs it. */
export interface TextLine {
  readonly text: string;
  readonly left: number;
  readonly right: number;
  readonly baseline: number;
  /** Font size of most of its letters. */
  readonly size: number;
  readonly isMonospaced: boolean;
  /** The outer row of the page that begins with this line, or null. */
  readonly outerRow: OuterRow | null;
}

/** One of the rows next to the top or bottom edge of a page. */
export interface OuterRow {
  readonly edge: "top" | "bottom";
  /** 0 for the outermost row. */
  readonly depth: number;
  /** Its texts, separated at wide gaps. */
  readonly cells: readonly string[];
  /** Distance to the next row inwards, relative to the font size; infinite if there is none. */
  readonly gap: number;
  /** Typical line spacing of the page, in the same unit. */
  readonly leading: number;
  /** Font size of most letters on the page. */
  readonly bodySize: number;
}

/** A line with its fragments, from left to right. */
export interface Line extends TextLine {
  readonly fragments: readonly Fragment[];
}

export function rightOf(fragment: Fragment): number {
  return fragment.x + fragment.width;
}

export function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;
}
