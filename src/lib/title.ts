import { truncate } from "./truncate.js";

const TITLE_LENGTH = 80;

/** What a text can be called: its first heading or line that has words in it, shortened; null when none has. */
export function titleOf(text: string): string | null {
  for (const line of text.slice(0, 4_000).split("\n")) {
    const words = line.replace(/^[\s#>*\-=[{"]+/u, "").trim();
    if (/\p{L}|\p{N}/u.test(words)) return truncate(words, TITLE_LENGTH);
  }
  return null;
}
