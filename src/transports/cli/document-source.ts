import type { DocumentHead } from "../../core/types.js";
import { truncate } from "../../lib/truncate.js";
import { oneLine } from "./style.js";

const LONGEST_NAME = 60;
const LONGEST_SOURCE = 100;

type Named = Pick<DocumentHead, "id" | "title" | "filepath" | "url" | "customId">;

/** A document as people know it: by its title, and by the path or address that tells it from others of that title. */
export function describeSource(document: Named): string {
  const { title, customId, id } = document;
  const source = sourceOf(document);
  if (title === null) return source ?? (customId === null ? `document ${id}` : `“${cut(customId)}”`);
  return `“${cut(title)}”${source === null || source === title ? "" : ` (${source})`}`;
}

function cut(name: string): string {
  const shown = oneLine(name);
  return shown.length > LONGEST_NAME ? `${truncate(shown, LONGEST_NAME)}…` : shown;
}

/** The path of its file or the address of its page; null for a text. The end of a long one tells the most. */
function sourceOf({ filepath, url, customId }: Named): string | null {
  const [, path] = /^file:(?!sha256:)(.+)$/s.exec(customId ?? "") ?? [];
  const address = url !== null && /^https?:/.test(url) ? url : null;
  const source = path ?? address ?? filepath;
  if (source === null) return null;
  const shown = oneLine(source);
  return shown.length > LONGEST_SOURCE ? `…${shown.slice(-LONGEST_SOURCE).toWellFormed()}` : shown;
}
