import type { ContentPart, ExtractedContent } from "../core/documents/content-ports.js";
import { cleanText } from "./clean-text.js";

/** Fills in defaults for what the format does not provide. */
export function extracted(
  type: string,
  parts: readonly ContentPart[],
  known: Partial<Omit<ExtractedContent, "type" | "parts">> = {},
): ExtractedContent {
  return {
    type,
    title: null,
    author: null,
    date: null,
    url: null,
    image: null,
    attachments: [],
    metadata: {},
    notes: [],
    ...known,
    ...(known.title && { title: cleanText(known.title) }),
    ...(known.author && { author: cleanText(known.author) }),
    parts,
  };
}
