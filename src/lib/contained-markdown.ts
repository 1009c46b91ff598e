const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const HEADING = /^ {0,3}#/;
const UNDERLINE = /^ {0,3}[=-]/;

/**
 * A stranger's Markdown, made safe to put below a second-level heading: its own headings are of the third level or
 * lower, and code blocks end within it. So nobody can speak in another's name.
 */
export function containedMarkdown(markdown: string): string {
  let fence: string | null = null;
  const lines = markdown.split(/\r\n?|\n/).map((line) => {
    const mark = FENCE.exec(line)?.[1];
    if (fence !== null) {
      // Closed by at least as many of the same, with nothing after them (CommonMark 4.5).
      if (mark !== undefined && mark.startsWith(fence) && line.trim() === mark) fence = null;
      return line;
    }
    if (mark !== undefined && !(mark.startsWith("`") && line.trim().slice(mark.length).includes("`"))) {
      fence = mark;
      // A fence inside a list item would end with the item.
      return line.trimStart();
    }
    if (HEADING.test(line)) return lowered(line);
    if (UNDERLINE.test(line) && isUnderline(line.trim())) return line.replace(/[=-]/, "\\$&");
    return line;
  });
  return [...lines, ...(fence === null ? [] : [fence])].join("\n");
}

function lowered(line: string): string {
  const text = line.trimStart();
  const level = text.length - text.replace(/^#{1,6}/, "").length;
  return level > 2 ? line : `##${text}`;
}

/** An underline that would turn the previous line into a heading. */
function isUnderline(text: string): boolean {
  const [mark = ""] = text;
  return text === mark.repeat(text.length);
}
