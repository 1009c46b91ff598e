/** Whether a text seems to start with front matter, YAML between lines of three dashes, as site generators read it. */
export function beginsWithFrontMatter(start: string): boolean {
  return /^---[ \t]*\r?\n/.test(start);
}

/** The end of front matter is not looked for beyond this length. */
const LONGEST_FRONT_MATTER = 20_000;

/** A text split into its front matter, without the lines of dashes, and its body; the former null when there is none. */
export function splitFrontMatter(text: string): { readonly frontMatter: string | null; readonly body: string } {
  const start = text.slice(0, LONGEST_FRONT_MATTER);
  if (!beginsWithFrontMatter(start)) return { frontMatter: null, body: text };
  const begin = start.indexOf("\n") + 1;
  const end = /^(?:---|\.\.\.)[ \t]*\r?$/m.exec(start.slice(begin));
  if (end === null) return { frontMatter: null, body: text };
  return { frontMatter: start.slice(begin, begin + end.index), body: text.slice(begin + end.index + end[0].length) };
}
