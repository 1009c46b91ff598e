import type { ExtractedContent, SourceFile } from "../core/documents/content-ports.js";
import { GatheredParts } from "./gathered-parts.js";
import { columnName } from "./column-name.js";
import { decodeBytes } from "./decode-bytes.js";
import type { ExtractionTools } from "./format-extractor.js";
import { findDelimiter } from "./find-delimiter.js";
import { markdownTable } from "./markdown-table.js";

/** A row with its number in the file, from 1; a line break within quotes does not start a new row. */
interface Row {
  readonly number: number;
  readonly cells: readonly string[];
}

const ROWS_OF_PART = 100;

/**
 * Reads tables of values separated by commas, semicolons, tabs or pipes. Each part repeats the header row and gives the range of
 * its cells.
 * @throws ExtractionError `empty`
 */
export async function extractCsv(file: SourceFile, { limits }: ExtractionTools): Promise<ExtractedContent> {
  const { parse } = await import("csv-parse/sync");
  const { text, encoding, isGuess } = decodeBytes(file.bytes, [file.charset]);
  const { delimiter, rest, skipped } = findDelimiter(text);
  const options = { delimiter, relax_column_count: true, relax_quotes: true, to: limits.maximumEntries + 1 };
  const gathered = new GatheredParts(limits);
  let rows: Row[];
  try {
    rows = numberRows(parse(rest, options), skipped);
  } catch {
    rows = numberRows(parse(rest, { ...options, quote: false }), skipped);
    gathered.note("A quotation mark is missing in the file, so all of them were read as text.");
  }
  if (isGuess) gathered.note(`The file does not state its encoding; it was read as ${encoding}.`);
  const full = rows.slice(0, limits.maximumEntries);
  if (full.length < rows.length) gathered.note(`Only the first ${full.length} rows were read.`);
  addTable(full, gathered);
  return gathered.content("text", { metadata: encoding === "utf-8" ? {} : { encoding } });
}

function numberRows(records: readonly (readonly string[])[], skipped: number): Row[] {
  return records.flatMap((cells, index) => {
    const width = cells.findLastIndex((cell) => cell.trim() !== "") + 1;
    return width === 0 ? [] : { number: index + 1 + skipped, cells: cells.slice(0, width) };
  });
}

function addTable(rows: readonly Row[], gathered: GatheredParts): void {
  const start = startOfTable(rows);
  const above = rows.slice(0, start);
  gathered.add(above.map(({ cells }) => cells.join(" ").trim()).join("\n\n"), rangeOf(above));
  const [first] = rows.slice(start);
  const hasHeader = first !== undefined && looksLikeHeader(first.cells, rows.slice(start + 1));
  const body = rows.slice(start + Number(hasHeader));
  if (first !== undefined && body.length === 0) gathered.add(markdownTable([first.cells]), rangeOf([first]));
  for (let at = 0; at < body.length; at += ROWS_OF_PART) {
    const group = body.slice(at, at + ROWS_OF_PART);
    const header = hasHeader ? first.cells : columnLetters(widthOf(group));
    if (!gathered.add(markdownTable([header, ...group.map(({ cells }) => cells)]), rangeOf(group))) return;
  }
}

const ROWS_LOOKED_AT = 12;

/** Lines above a table, such as its title, fill fewer than half of its columns. */
function startOfTable(rows: readonly Row[]): number {
  const head = rows.slice(0, ROWS_LOOKED_AT);
  const widths = rows.slice(0, 200).map(({ cells }) => cells.length);
  const usual = widths.toSorted((one, other) => one - other)[Math.floor(widths.length / 2)] ?? 0;
  return Math.max(
    0,
    head.findIndex(({ cells }) => cells.length * 2 > usual),
  );
}

const LONGEST_HEADING = 100;

/**
 * A header consists of distinct texts, in which only years may be numbers. A table of nothing but text is assumed to have one.
 */
function looksLikeHeader(cells: readonly string[], below: readonly Row[]): boolean {
  const names = cells.map((cell) => cell.trim());
  if (below.length === 0) return false;
  if (new Set(names.filter((name) => name !== "")).size < Math.max(1, names.length - 1)) return false;
  return names.every((name) => name.length <= LONGEST_HEADING && !name.includes("@") && !isValue(name));
}

/** A number, a date or an address, but not a year. */
function isValue(cell: string): boolean {
  if (/^(?:19|20)\d\d$/.test(cell)) return false;
  return /^[-+(]?[\p{Sc}]?\d[\d.,:/'T Z+-]*[%)]?[\p{Sc}]?$/u.test(cell) || /^https?:\/\//.test(cell);
}

function rangeOf(rows: readonly Row[]): { range?: string } {
  const [first] = rows;
  const last = rows.at(-1);
  if (!first || !last) return {};
  return { range: `A${first.number}:${columnName(widthOf(rows))}${last.number}` };
}

function widthOf(rows: readonly Row[]): number {
  return rows.reduce((widest, { cells }) => Math.max(widest, cells.length), 1);
}

function columnLetters(width: number): string[] {
  return Array.from({ length: width }, (_, index) => columnName(index + 1));
}
