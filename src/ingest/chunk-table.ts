import type { Span } from "../language/sentences.js";
import { splitText, type PieceSize } from "./chunk-text.js";
import type { TextKind } from "./cut-levels.js";

/** A piece of a text; for a piece of a table that was cut, with the header rows that it lacks. */
export interface TableSpan extends Span {
  readonly header?: string;
}

/** A row of a table, and the line under its header. Matched from both ends, as a line may be long. */
const DELIMITERS = /^[ \t|:-]*$/;
/** A header that takes more than this share of a piece leaves too little room for the rows. */
const MOST_HEADER = 0.5;
const LONGEST_DELIMITERS = 10_000;

/** Cuts a text as `splitText` does, but cuts Markdown tables that are too long for one piece between rows. */
export async function splitWithTables(text: string, kind: TextKind, size: PieceSize): Promise<TableSpan[]> {
  if (kind !== "markdown") return splitText(text, kind, size);
  const spans: TableSpan[] = [];
  let start = 0;
  const cutUpTo = async (end: number): Promise<void> => {
    for (const span of await splitText(text.slice(start, end), kind, size))
      spans.push({ start: start + span.start, end: start + span.end });
  };
  for (const table of longTables(text, size)) {
    await cutUpTo(table.start);
    spans.push(...(await cutTable(text, table, size)));
    start = table.end;
  }
  await cutUpTo(text.length);
  return spans;
}

interface Table extends Span {
  /** Where the rows below the header start. */
  readonly bodyStart: number;
}

/** Tables that do not fit into one piece with their surroundings, and whose header can be repeated. */
function longTables(text: string, size: PieceSize): Table[] {
  const tables: Table[] = [];
  const lines = linesOf(text);
  for (let index = 0; index + 1 < lines.length; index += 1) {
    const [head, under] = [lines[index], lines[index + 1]];
    if (!head || !under || !isRow(text, head) || !isDelimiter(text, under)) continue;
    let last = index + 1;
    for (let next = lines[last + 1]; next && isRow(text, next); next = lines[last + 1]) last += 1;
    const end = lines[last]?.end ?? text.length;
    const header = under.end - head.start;
    if (measure(text, { start: head.start, end }, size) > size.target && header <= size.target * MOST_HEADER)
      tables.push({ start: head.start, bodyStart: under.end + 1, end });
    index = last;
  }
  return tables;
}

async function cutTable(text: string, { start, bodyStart, end }: Table, size: PieceSize): Promise<TableSpan[]> {
  const header = text.slice(start, bodyStart).trimEnd();
  const headerLength = measure(text, { start, end: bodyStart }, size);
  const room = size.target - headerLength;
  const rowSize = { ...size, target: room, most: size.most - headerLength, overlap: 0 };
  const spans: TableSpan[] = [];
  let open: Span | null = null;
  for (const line of linesOf(text.slice(bodyStart, end))) {
    const row = { start: bodyStart + line.start, end: bodyStart + line.end };
    if (open && measure(text, { start: open.start, end: row.end }, size) <= room) {
      open = { start: open.start, end: row.end };
      continue;
    }
    if (open) spans.push({ ...open, header });
    open = null;
    if (measure(text, row, size) <= room) open = row;
    // A row longer than a piece is treated as a text of its own.
    else
      for (const piece of await splitText(text.slice(row.start, row.end), "prose", rowSize))
        spans.push({ start: row.start + piece.start, end: row.start + piece.end, header });
  }
  if (open) spans.push({ ...open, header });
  return spans;
}

function linesOf(text: string): Span[] {
  const lines: Span[] = [];
  for (let start = 0; start < text.length;) {
    const newline = text.indexOf("\n", start);
    const end = newline === -1 ? text.length : newline;
    lines.push({ start, end });
    start = end + 1;
  }
  return lines;
}

function isRow(text: string, { start, end }: Span): boolean {
  return end - start > 1 && text[start] === "|";
}

function isDelimiter(text: string, { start, end }: Span): boolean {
  if (end - start > LONGEST_DELIMITERS) return false;
  const line = text.slice(start, end);
  return line.startsWith("|") && line.includes("-") && DELIMITERS.test(line);
}

function measure(text: string, { start, end }: Span, { unit }: PieceSize): number {
  return unit === "characters" ? end - start : Buffer.byteLength(text.slice(start, end));
}
