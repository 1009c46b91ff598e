import { withoutEmbeddedBytes } from "../../language/embedded-bytes.js";
import { hasSubject, isOpeningOf, titleOf } from "../../language/title.js";
import type { Document } from "../types.js";

type Named = Pick<Document, "title" | "content" | "turns" | "filepath">;

/** A title from a document's text and file name; for a conversation, from the first turn with content. */
export function titleFromText({ content, turns, filepath }: Omit<Named, "title">): string | null {
  return titleOf(
    turns?.find(({ text }) => hasSubject(text))?.text ?? turns?.[0]?.text ?? withoutKinds(content),
    filepath,
  );
}

/** Message and part types say nothing about a conversation that was sent as JSON. */
const KINDS =
  /"(?:role|type|media_type)" ?: ?"[\w/.+-]{0,60}",? ?|"(?:image_url|image|source|url|data|text|content)" ?: ?|"data:[\w/.+-]{1,60};base64,"/g;
const STARTS_AS_JSON = /^\s*[[{]/;

function withoutKinds(content: string): string {
  return STARTS_AS_JSON.test(content) ? withoutEmbeddedBytes(content).replaceAll(KINDS, "") : content;
}

/** True for a title that nobody chose: there is none, or it was taken from the text. */
export function isTitleFromText(document: Named): boolean {
  const { title, content, turns } = document;
  return title === null || title === titleFromText(document) || isOpeningOf(turns?.[0]?.text ?? content, title);
}
