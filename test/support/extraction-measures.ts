import type { ExtractedContent } from "../../src/core/documents/content-ports.js";
import type { SampleDocument } from "./sample-documents.js";

export function textOfAll({ parts }: Pick<ExtractedContent, "parts">): string {
  return parts.map(({ text }) => text).join("\n\n");
}

/** Shares from 0 to 1. */
export interface Measures {
  /** Share of the words that are found. */
  readonly recall: number;
  /** Share of the words that follow the previous word of the source. */
  readonly order: number;
  readonly headings: number;
  /** Share of the cells in their row and column. */
  readonly cells: number;
}

/** How much of a known document was extracted, and in its place. */
export function measure(text: string, { words, headings, tables }: SampleDocument): Measures {
  const places = new Map([...text.matchAll(/[\p{L}\p{N}]+/gu)].map((match) => [match[0], match.index]));
  const found = words.map((word) => places.get(word) ?? -1);
  const lines = new Set(text.split("\n").map((line) => line.trim()));
  const cells = cellsOf(text);
  const expected = tables.flatMap((rows) => rows.map((row) => row.join("\u0000")));
  return {
    recall: share(found, (place) => place >= 0),
    order: share(found.slice(1), (place, index) => place > (found[index] ?? -1)),
    headings: share(headings, (heading) => lines.has(heading)),
    cells: share(expected, (row) => cells.has(row)),
  };
}

function cellsOf(text: string): Set<string> {
  return new Set(tableRows(text).map((cells) => cells.join("\u0000")));
}

/** Cells of every table line except the one under the header. */
export function tableRows(text: string): string[][] {
  const rows = text.split("\n").filter((line) => line.startsWith("| ") && !/^[|\s-]+$/.test(line));
  return rows.map((line) =>
    line
      .slice(2, -2)
      .split(/(?<!\\) ?\| /)
      .map((cell) => cell.trim().replaceAll("\\|", "|")),
  );
}

function share<T>(all: readonly T[], isGood: (one: T, index: number) => boolean): number {
  return all.length === 0 ? 1 : all.filter(isGood).length / all.length;
}
