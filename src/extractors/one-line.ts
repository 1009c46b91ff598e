/** A text with every run of white space as one space, and none at its ends. */
export function inOneLine(text: string): string {
  return text.trim().replace(/\s+/g, " ");
}
