import { declaredEncoding, decodeBytes } from "./decode-bytes.js";
import type { FormatExtractor } from "./format-extractor.js";
import { GatheredParts } from "./gathered-parts.js";
import { readHtmlPage } from "./html/main-content.js";

/** Reads web pages: the main text as Markdown, and the page's metadata. Scripts do not run. */
export const extractHtml: FormatExtractor = async (file, { limits }) => {
  const { text } = decodeBytes(file.bytes, [file.charset, declaredEncoding(file.bytes)]);
  const { markdown, description } = await readHtmlPage(text, file.url);
  const gathered = new GatheredParts(limits);
  gathered.add(markdown, {});
  const whenEmpty = "The page contains no text. Pages that are filled in by a script are not supported.";
  return gathered.content(
    "webpage",
    { ...description, title: gathered.titled(description.title), isByStranger: true },
    whenEmpty,
  );
};
