import type { Email } from "postal-mime";
import { cleanText } from "../clean-text.js";
import { readHtml } from "../read-html.js";

/** HTML that says so much more than the plain text beside it is what was written; the other is a remark for old programs. */
const FULLER = 1.5;

/** The text of a mail as Markdown: the plain one, or the HTML where there is no plain one or hardly any. What it quotes stays. */
export async function bodyOf({ text = "", html = "" }: Email): Promise<string> {
  const plain = cleanText(text).trim();
  if (html.trim() === "") return plain;
  const marked = plain === "" || plain.length * FULLER < html.length ? (await readHtml(html)).trim() : "";
  return plain.length * FULLER >= marked.length && plain !== "" ? plain : marked;
}
