/** Control characters but tabs and line ends, halves of pairs, and what is no character. */
const NO_TEXT = /(?![\t\n\r])\p{Cc}|\p{Cs}|[\uFFFE\uFFFF]/gu;

/** A text without characters that no reader sees and that break what keeps or shows it; line ends become `\n`. */
export function cleanText(text: string): string {
  return text.replace(/\r\n?/g, "\n").replace(NO_TEXT, "");
}

/** What makes more than a paragraph of a line: a heading, also by the line under it, a table, or code. */
const BLOCK_START = /^(?=#{1,6}(?:\s|$)|\||```|~~~|(?:=+|-+)[ \t]*$)/gm;

/** A paragraph whose lines do not become headings, tables or code by accident. */
export function paragraph(text: string): string {
  return text.replace(BLOCK_START, "\\");
}
