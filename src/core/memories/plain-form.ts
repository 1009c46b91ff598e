/** A text with straight quotes, single spaces and line breaks, and no decoration at the start of lines. */
export function plainForm(text: string): string {
  return text
    .replace(/[‘’ʼ]/gu, "'")
    .replace(/[“”«»]/gu, '"')
    .replace(/\s+/gu, (space) => (space.includes("\n") ? "\n" : " "))
    .replace(/\*\*|__/gu, "")
    .trim();
}
