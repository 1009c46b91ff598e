/** Control characters but tabs and line ends, halves of pairs, and what is no character. */
const NO_TEXT = /(?![\t\n\r])\p{Cc}|\p{Cs}|[\uFFFE\uFFFF]/gu;

/** A text without characters that no reader sees and that break what keeps or shows it; line ends become `\n`. */
export function cleanText(text: string): string {
  return text.replace(/\r\n?/g, "\n").replace(NO_TEXT, "");
}
