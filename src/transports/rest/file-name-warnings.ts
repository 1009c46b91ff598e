import { unreadContentWarnings } from "../unread-content.js";
import { documentsIn } from "./documents-in.js";
import type { Endpoint } from "./endpoint.js";

/** The warning about documents whose content is only a file name; once, however many of a batch are. */
export function fileNameWarnings({ path }: Endpoint, body: unknown): readonly string[] {
  if (!path.startsWith("/v3/documents")) return [];
  return [...new Set(documentsIn(body).flatMap((part) => unreadContentWarnings(contentOf(part))))];
}

function contentOf(part: unknown): unknown {
  return typeof part === "string" ? part : (Object(part) as { content?: unknown }).content;
}
