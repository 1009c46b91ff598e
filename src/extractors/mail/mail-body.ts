import type { Email } from "postal-mime";
import { cleanText } from "../clean-text.js";
import { readHtml } from "../read-html.js";

/**
 * HTML that is longer than the plain text by this factor is the actual message; the plain text is only a note for old programs.
 */
const FULLER = 1.5;

/** The text of a mail as Markdown: the plain text, or the HTML if there is little or no plain text. Quotations are kept. */
export async function bodyOf({ text = "", html = "" }: Email): Promise<string> {
  const plain = cleanText(text).trim();
  if (html.trim() === "") return plain;
  const marked = plain === "" || plain.length * FULLER < html.length ? (await readHtml(html)).trim() : "";
  return plain.length * FULLER >= marked.length && plain !== "" ? plain : marked;
}
