/** A text with straight quotes, single spaces and line breaks, and no ornament in front of a line. */
export function plainForm(text: string): string {
  return text
    .replace(/[‘’ʼ]/gu, "'")
    .replace(/[“”«»]/gu, '"')
    .replace(/\s+/gu, (space) => (space.includes("\n") ? "\n" : " "))
    .replace(/\*\*|__/gu, "")
    .trim();
}
