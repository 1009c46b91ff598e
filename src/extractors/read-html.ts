import { decodeEntities } from "../lib/html-entities.js";
import { cleanText } from "./clean-text.js";
import { readWholePage } from "./html/main-content.js";

/** Converts HTML inside another file to Markdown, keeping all words. If that fails, the text is read without its markup. */
export async function readHtml(html: string): Promise<string> {
  const plain = withoutMarkup(html);
  try {
    const text = await readWholePage(cleanText(html));
    return recall(plain, text) >= LEAST_RECALL ? text : plain;
  } catch {
    return plain;
  }
}

/** Minimum share of the words that must survive the conversion. */
const LEAST_RECALL = 0.95;

function recall(source: string, text: string): number {
  const found = new Set(wordsOf(text));
  const wanted = new Set(wordsOf(source));
  let kept = 0;
  for (const word of wanted) kept += Number(found.has(word));
  return wanted.size === 0 ? 1 : kept / wanted.size;
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

const UNSEEN = new Set(["script", "style", "head", "template", "noscript", "svg"]);
const BLOCKS = new Set(
  "address article aside blockquote br dd div dl dt fieldset figure footer form h1 h2 h3 h4 h5 h6 header hr li main nav ol p pre section table tr ul".split(
    " ",
  ),
);

/** The text of HTML, line by line, in time proportional to its length. */
function withoutMarkup(html: string): string {
  const pieces: string[] = [];
  const lower = html.toLowerCase();
  // Elements with no further end tag; searching for it repeatedly would take long.
  const unended = new Set<string>();
  let at = 0;
  while (at < html.length) {
    const start = html.indexOf("<", at);
    pieces.push(decodeEntities(html.slice(at, start === -1 ? html.length : start)));
    if (start === -1) break;
    const name = /^<\/?([a-z][a-z0-9]{0,20})/.exec(lower.slice(start, start + 24))?.[1];
    const isRemark = html.startsWith("<!", start);
    if (name === undefined && !isRemark) {
      pieces.push("<");
      at = start + 1;
      continue;
    }
    const isComment = html.startsWith("<!--", start);
    const end = html.indexOf(isComment ? "-->" : ">", start + (isComment ? 4 : 1));
    if (end === -1) break;
    at = end + (isComment ? 3 : 1);
    if (name === undefined) continue;
    if (BLOCKS.has(name)) pieces.push("\n");
    else if (name === "td" || name === "th") pieces.push(" ");
    if (UNSEEN.has(name) && !unended.has(name) && html[start + 1] !== "/") {
      const close = lower.indexOf(`</${name}`, at);
      if (close === -1) unended.add(name);
      else at = close;
    }
  }
  return cleanText(pieces.join(""))
    .replace(/[^\S\n]+/g, " ")
    .replace(/ ?\n ?/g, "\n")
    .replace(/\n{3,}/g, "\n\n")
    .trim();
}
