import type { Span } from "../language/sentences.js";

/** The part of a Markdown text under one heading, including the heading itself. */
export interface Section extends Span {
  /** The headings above the section and its own, outermost first. */
  readonly headings: readonly string[];
}

const LONGEST_HEADING = 200;

/** Cuts a Markdown text at its headings. Headings with nothing below them stay with the next section. */
export function markdownSections(text: string): Section[] {
  const sections: Section[] = [];
  const path: { level: number; title: string }[] = [];
  let start = 0;
  let isBare = false;
  let fence: string | null = null;
  let lineStart = 0;
  const close = (end: number): void => {
    if (end > start) sections.push({ start, end, headings: path.map((heading) => heading.title) });
    start = end;
  };
  while (lineStart < text.length) {
    const newline = text.indexOf("\n", lineStart);
    const lineEnd = newline === -1 ? text.length : newline;
    const head = text.slice(lineStart, Math.min(lineEnd, lineStart + LONGEST_HEADING));
    const mark = /^ {0,3}(```|~~~)/.exec(head)?.[1] ?? null;
    if (mark !== null && (fence === null || fence === mark)) fence = fence === null ? mark : null;
    const heading = fence === null ? /^(#{1,6})[ \t]+(\S.*)$/.exec(head.trimEnd()) : null;
    if (heading) {
      if (!isBare) close(lineStart);
      const level = heading[1]?.length ?? 1;
      while ((path.at(-1)?.level ?? 0) >= level) path.pop();
      path.push({ level, title: (heading[2] ?? "").replace(/\s+#+$/, "").trim() });
      isBare = true;
    } else if (head.trim() !== "") isBare = false;
    lineStart = lineEnd + 1;
  }
  close(text.length);
  return sections;
}
