/** Whether a text begins like one with front matter, YAML between lines of three dashes, as generators of web pages read it. */
export function beginsWithFrontMatter(start: string): boolean {
  return /^---[ \t]*\r?\n/.test(start);
}
