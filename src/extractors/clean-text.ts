/** Control characters but tabs and line ends, halves of pairs, and what is no character. */
const NO_TEXT = /(?![\t\n])\p{Cc}|\p{Cs}|[\uFFFE\uFFFF]/gu;
const LINE_ENDS = /\r\n?|[\v\f]/g;

/**
 * What Windows-1252 has at 80 to 9F, where Unicode has control characters that no text holds: they come of a text that was
 * decoded as ISO 8859-1, as some versions of Node do with the one that is asked for the other.
 */
const WINDOWS_1252 = "€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008DŽ\u008F\u0090‘’“”•–—˜™š›œ\u009DžŸ";

/** A text without characters that no reader sees and that break what keeps or shows it; lines end with `\n`. */
export function cleanText(text: string): string {
  return text
    .replace(LINE_ENDS, "\n")
    .replace(/[\u0080-\u009F]/g, (control) => WINDOWS_1252.charAt(control.charCodeAt(0) - 0x80))
    .replace(NO_TEXT, "");
}

/** What makes more than a paragraph of a line: a heading, also by the line under it, a table, or code. */
const BLOCK_START = /^(?=#{1,6}(?:\s|$)|\||```|~~~|(?:=+|-+)[ \t]*$)/gm;

/** A paragraph whose lines do not become headings, tables or code by accident. */
export function paragraph(text: string): string {
  return text.replace(BLOCK_START, "\\");
}
