/** Control characters other than tabs and line ends, lone surrogates, and noncharacters. */
const NO_TEXT = /(?![\t\n])\p{Cc}|\p{Cs}|[\uFFFE\uFFFF]/gu;
const LINE_ENDS = /\r\n?|[\v\f]/g;

/**
 * What Windows-1252 has at 80 to 9F, where Unicode has control characters that never occur in text: they show that the text was
 * decoded as ISO 8859-1, as some versions of Node do when asked for Windows-1252.
 */
const WINDOWS_1252 = "€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008DŽ\u008F\u0090‘’“”•–—˜™š›œ\u009DžŸ";

/** Removes characters that no reader sees and that break storage or display; lines end with `\n`. */
export function cleanText(text: string): string {
  return text
    .replace(LINE_ENDS, "\n")
    .replace(/[\u0080-\u009F]/g, (control) => WINDOWS_1252.charAt(control.charCodeAt(0) - 0x80))
    .replace(NO_TEXT, "");
}

/**
 * What would turn a line into something other than a paragraph: a heading, including one marked by the line below, a table, or
 * code.
 */
const BLOCK_START = /^(?=#{1,6}(?:\s|$)|\||```|~~~|(?:=+|-+)[ \t]*$)/gm;

/** A paragraph, escaped so that its lines do not accidentally become headings, tables or code. */
export function paragraph(text: string): string {
  return text.replace(BLOCK_START, "\\");
}
