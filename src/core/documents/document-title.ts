import { titleOf } from "../../lib/title.js";
import type { Document } from "../types.js";

/** What a document is called by its text, a conversation by what was said first; null when nothing has words in it. */
export function titleFromText({ content, turns }: Pick<Document, "content" | "turns">): string | null {
  return titleOf(turns?.[0]?.text ?? content);
}
