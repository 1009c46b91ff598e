/** A text with every run of white space collapsed to one space, and none at its ends. */
export function singleSpaced(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
