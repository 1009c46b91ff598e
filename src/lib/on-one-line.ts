/** A text on one line, with single spaces. */
export function onOneLine(text: string): string {
  return text.replace(/\s+/gu, " ").trim();
}
