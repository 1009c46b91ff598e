import { dropAtEnd } from "../lib/drop-at-end.js";

/**
 * A table in GitHub-flavoured Markdown, with the first row as its header. Rows may differ in length: the header is as wide as the
 * widest row, the others end with their last non-empty cell. Returns an empty text if there are no rows.
 */
export function markdownTable(rows: readonly (readonly string[])[]): string {
  const [header, ...body] = rows;
  if (!header) return "";
  const width = rows.reduce((widest, { length }) => Math.max(widest, length), 1);
  return [...tableHead(header, width), ...body.map(tableRow)].join("\n");
}

/** The header row and the delimiter row. */
export function tableHead(header: readonly string[], width: number): [header: string, line: string] {
  const cells = Array.from({ length: Math.max(width, header.length, 1) }, (_, index) => header[index] ?? "");
  return [joinCells(cells), `|${" --- |".repeat(cells.length)}`];
}

export function tableRow(cells: readonly string[]): string {
  let length = cells.length;
  while (length > 1 && cells[length - 1]?.trim() === "") length -= 1;
  return joinCells(cells.slice(0, length));
}

function joinCells(cells: readonly string[]): string {
  return `| ${cells.map(tableCell).join(" | ")} |`;
}

/** The text of a cell on one line, with pipes escaped. */
function tableCell(text: string): string {
  const line = text.replace(/[\r\n\v\f\u2028\u2029]+/g, " ");
  return dropAtEnd(line.trimStart(), /\s/).replaceAll("\\|", "|").replaceAll("|", "\\|");
}
