/** A run of text on a page, upright: x grows to the right, y grows down; lengths in points. */
export interface Fragment {
  readonly text: string;
  readonly x: number;
  readonly width: number;
  /** Where the letters stand. */
  readonly baseline: number;
  /** Size of its letters; above 0. */
  readonly size: number;
  /** Its number in the file: programs write column by column, and row by row. */
  readonly order: number;
  readonly isMonospaced: boolean;
  readonly isRightToLeft: boolean;
}

/** A line of a page, or of one of its columns, as far as it matters for text. */
export interface TextLine {
  readonly text: string;
  readonly left: number;
  readonly right: number;
  readonly baseline: number;
  /** Size of most of its letters. */
  readonly size: number;
  readonly isMonospaced: boolean;
  /** The row of the page that it begins, where that is one of the outermost; else null. */
  readonly outerRow: OuterRow | null;
}

/** One of the rows that are next to the upper or lower edge of a page. */
export interface OuterRow {
  readonly edge: "top" | "bottom";
  /** 0 for the outermost one. */
  readonly depth: number;
  /** Its texts, apart where there is a wide gap. */
  readonly cells: readonly string[];
  /** Distance to the next row away from the edge, in parts of the size of the letters; infinite where there is none. */
  readonly gap: number;
  /** Usual distance of the rows of the page, in the same. */
  readonly leading: number;
  /** Size of most letters of the page. */
  readonly bodySize: number;
}

/** The same with what stands in it, from left to right. */
export interface Line extends TextLine {
  readonly fragments: readonly Fragment[];
}

export function rightOf(fragment: Fragment): number {
  return fragment.x + fragment.width;
}

export function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;
}
