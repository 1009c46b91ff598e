import { unreadContentWarnings } from "../unread-content.js";
import { documentsIn } from "./documents-in.js";
import type { Endpoint } from "./endpoint.js";

/** What is said of a document whose content only names a file; once, however many of a batch are such. */
export function fileNameWarnings({ path }: Endpoint, body: unknown): readonly string[] {
  if (!path.startsWith("/v3/documents")) return [];
  return [...new Set(documentsIn(body).flatMap((part) => unreadContentWarnings(contentOf(part))))];
}

function contentOf(part: unknown): unknown {
  return typeof part === "string" ? part : (Object(part) as { content?: unknown }).content;
}
