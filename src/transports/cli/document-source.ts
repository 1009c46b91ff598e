import { truncate } from "../../lib/truncate.js";
import { printableLine } from "./style.js";

const LONGEST_NAME = 60;
const LONGEST_SOURCE = 100;

interface Named {
  readonly id: string;
  readonly title: string | null;
  /** The path of its file or the address of its page; null for a text. */
  readonly source: string | null;
  readonly customId?: string | null;
}

/** A document as people know it: by its title, and by the path or address that distinguishes it from others of that title. */
export function describeSource(document: Named): string {
  const { title, customId = null, id } = document;
  const source = document.source === null ? null : cutSource(document.source);
  if (title === null) return source ?? (customId === null ? `document ${id}` : `“${cut(customId)}”`);
  return `“${cut(title)}”${source === null || source === title ? "" : ` (${source})`}`;
}

function cut(name: string): string {
  const shown = printableLine(name);
  return shown.length > LONGEST_NAME ? `${truncate(shown, LONGEST_NAME)}…` : shown;
}

/** The end of a long source says the most. */
function cutSource(source: string): string {
  const shown = printableLine(source);
  return shown.length > LONGEST_SOURCE ? `…${shown.slice(-LONGEST_SOURCE).toWellFormed()}` : shown;
}
