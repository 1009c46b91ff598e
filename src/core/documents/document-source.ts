import type { DocumentHead } from "../types.js";

/** The source of a document as people know it: the path of its file or the address of its page; null for a text. */
export function documentSource({
  filepath,
  url,
  customId,
}: Pick<DocumentHead, "filepath" | "url" | "customId">): string | null {
  const [, path] = /^file:(?!sha256:)(.+)$/s.exec(customId ?? "") ?? [];
  const address = url !== null && /^https?:/.test(url) ? url : null;
  return path ?? address ?? filepath;
}
