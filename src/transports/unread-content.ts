const HOW = "Send the file itself: `recollect add FILE`, or POST /v3/documents/file.";
/** Characters of a text that could be a file name. */
const LONGEST_NAME = 1_024;

/**
 * Warnings about a text that only names a file, or that is a file written as a `data:` URL: it is stored as text, because a
 * service must not open files on its machine for anyone who names them.
 */
export function unreadContentWarnings(content: unknown): readonly string[] {
  if (typeof content !== "string") return [];
  const text = content.length > LONGEST_NAME ? content.slice(0, LONGEST_NAME) : content.trim();
  if (/^data:[\w/+.-]*[;,]\S+$/i.test(text))
    return [`content: is a data: URL, which was stored as text and not read as a file. ${HOW}`];
  return content.length <= LONGEST_NAME && namesFile(text)
    ? [`content: looks like a file path, which was stored as text: the server does not open files by path. ${HOW}`]
    : [];
}

/** A `file:` URL, or an absolute path that ends like a file name. */
function namesFile(text: string): boolean {
  return /^file:\/\/\S+$/i.test(text) || /^(?:~?\/|[A-Za-z]:[\\/]|\\\\)\S*\.[A-Za-z][A-Za-z0-9]{0,4}$/.test(text);
}
