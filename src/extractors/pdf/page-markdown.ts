import type { TextLine } from "./fragment.js";
import { isSameHeading, type HeadingLevel } from "./headings.js";
import { endsInWord, joinLines, type HyphenatedWords } from "./join-lines.js";
import { markdownTable } from "../markdown-table.js";

/** A block of a region: lines of text, or the rows of a table. */
export type Block = { readonly lines: readonly TextLine[] } | { readonly rows: readonly (readonly string[])[] };

/** What is known about the document that a page belongs to. */
export interface DocumentTraits {
  readonly headingLevel: HeadingLevel;
  readonly hyphenated: HyphenatedWords;
  /** Typical line spacing, relative to the font size. */
  readonly leading: number;
}

interface Paragraph {
  readonly kind: "text" | "item" | "heading" | "code" | "table";
  text: string;
  readonly lines: TextLine[];
}

/** Spacing between paragraphs exceeds the line spacing by this factor. */
const WIDER = 1.35;
const BULLET = /^[•◦▪▫‣⁃●○■□➢❖*\uf0b7\uf0a7·–—-] +(?=\S)/u;
const ENDS_SENTENCE = /[.!?:;…"”’)\]]$/u;

/** Converts the blocks of a page to Markdown, region by region. */
export function pageMarkdown(regions: readonly (readonly Block[])[], traits: DocumentTraits): string {
  const paragraphs: Paragraph[] = [];
  for (const region of regions) {
    for (const [at, block] of region.entries()) {
      const found = "rows" in block ? [tableOf(block.rows)] : paragraphsOf(block.lines, traits);
      const [first, ...others] = found;
      if (first && !((at === 0 || first.kind === "heading") && goesOn(paragraphs.at(-1), first, traits)))
        paragraphs.push(first);
      paragraphs.push(...others);
    }
  }
  return paragraphs.reduce(
    (text, paragraph, at) => text + between(paragraphs[at - 1], paragraph) + markdownOf(paragraph, traits),
    "",
  );
}

/** Joins a paragraph that continues in the next column, and a heading that continues above the columns. */
function goesOn(above: Paragraph | undefined, below: Paragraph, traits: DocumentTraits): boolean {
  if (above && isOneHeading(above, below)) {
    above.text = joinLines(above.text, below.text, traits.hyphenated);
    above.lines.push(...below.lines);
    return true;
  }
  if (!above || below.kind !== "text" || (above.kind !== "text" && above.kind !== "item")) return false;
  const isCut = endsInWord(above.text, below.text);
  if (!isCut && (ENDS_SENTENCE.test(above.text.slice(-1)) || !/^[\p{Ll},]/u.test(below.text.slice(0, 2)))) return false;
  above.text = joinLines(above.text, below.text, traits.hyphenated);
  return true;
}

function isOneHeading(above: Paragraph, below: Paragraph): boolean {
  const [last, first] = [above.lines.at(-1), below.lines[0]];
  const areHeadings = above.kind === "heading" && below.kind === "heading";
  return areHeadings && last !== undefined && first !== undefined && isSameHeading(last, first);
}

function tableOf(rows: readonly (readonly string[])[]): Paragraph {
  return { kind: "table", text: markdownTable(rows), lines: [] };
}

function paragraphsOf(lines: readonly TextLine[], traits: DocumentTraits): Paragraph[] {
  // A header with a title on the left and a number on the right spans the page, whatever is below.
  const filling = lines.filter(({ outerRow }) => outerRow === null || outerRow.cells.length === 1);
  const right = filling.reduce((most, line) => Math.max(most, line.right), Number.NEGATIVE_INFINITY);
  return passagesOf(lines, traits).flatMap((passage) => {
    const left = passage.reduce((least, line) => Math.min(least, line.left), Number.POSITIVE_INFINITY);
    const paragraphs: Paragraph[] = [];
    for (const line of passage) {
      const kind = kindOf(line, traits);
      const open = paragraphs.at(-1);
      if (open && continuesParagraph(open, { line, kind, left, right })) add(open, line, traits, right);
      else paragraphs.push({ kind, text: startOf(line, kind), lines: [line] });
    }
    return paragraphs;
  });
}

/** Consecutive lines of one size with the usual line spacing. */
function passagesOf(lines: readonly TextLine[], { leading }: DocumentTraits): TextLine[][] {
  const passages: TextLine[][] = [];
  let before: TextLine | undefined;
  for (const line of lines) {
    const isNear = before && line.baseline - before.baseline <= WIDER * leading * Math.max(line.size, before.size);
    const isAlike = before && Math.abs(line.size - before.size) <= 0.08 * line.size;
    if (isNear && isAlike) passages.at(-1)?.push(line);
    else passages.push([line]);
    before = line;
  }
  return passages;
}

function kindOf(line: TextLine, { headingLevel }: DocumentTraits): Paragraph["kind"] {
  if (headingLevel(line) !== null) return "heading";
  if (line.isMonospaced) return "code";
  return BULLET.test(line.text) ? "item" : "text";
}

function startOf({ text }: TextLine, kind: Paragraph["kind"]): string {
  if (kind === "item") return `- ${text.replace(BULLET, "")}`;
  return kind === "text" ? plain(text) : text;
}

/** Escapes text that only looks like a heading, a quotation, a table or code. */
function plain(text: string): string {
  return /^(?:#{1,6} |[|>]|```|~~~)/.test(text) ? `\\${text}` : text;
}

interface Candidate {
  readonly line: TextLine;
  readonly kind: Paragraph["kind"];
  /** Edges of the passage, and of all lines of its block. */
  readonly left: number;
  readonly right: number;
}

function continuesParagraph(open: Paragraph, { line, kind, left, right }: Candidate): boolean {
  const above = open.lines.at(-1);
  if (!above || kind === "item") return false;
  if (kind !== "text" || open.kind === "heading") return kind === open.kind;
  if (open.kind === "code") return false;
  const indent = 0.8 * line.size;
  if (open.kind === "item") return line.left > (open.lines[0]?.left ?? 0) + 0.3 * line.size;
  const isIndented = line.left > above.left + indent && above.left < left + indent;
  return !isIndented && !(endsEarly(above, line, right) && ENDS_SENTENCE.test(above.text.slice(-1)));
}

/** Whether the first word of a line would have fitted on the line above, which was therefore ended on purpose. */
function endsEarly(above: TextLine, line: TextLine, right: number): boolean {
  const letters = line.text.slice(0, 60).split(" ", 1)[0]?.length ?? 0;
  const width = ((line.right - line.left) / Math.max(1, line.text.length)) * (letters + 1);
  return above.right + 1.2 * width + line.size < right;
}

function add(open: Paragraph, line: TextLine, { hyphenated }: DocumentTraits, right: number): void {
  const above = open.lines.at(-1);
  const isBroken = open.kind === "text" && above !== undefined && endsEarly(above, line, right);
  if (open.kind === "code") open.text += `\n${line.text}`;
  else if (isBroken && !endsInWord(open.text, line.text)) open.text += `\n${plain(line.text)}`;
  else open.text = joinLines(open.text, line.text, hyphenated);
  open.lines.push(line);
}

function between(above: Paragraph | undefined, below: Paragraph): string {
  if (!above) return "";
  return above.kind === "item" && below.kind === "item" ? "\n" : "\n\n";
}

function markdownOf({ kind, text, lines }: Paragraph, { headingLevel }: DocumentTraits): string {
  if (kind === "heading") return `${"#".repeat((lines[0] && headingLevel(lines[0])) ?? 1)} ${text}`;
  return kind === "code" ? codeMarkdown(lines) : text;
}

/** Lines of code, indented as on the page. */
function codeMarkdown(lines: readonly TextLine[]): string {
  if (lines.length === 1) return lines[0]?.text ?? "";
  const left = lines.reduce((least, line) => Math.min(least, line.left), Number.POSITIVE_INFINITY);
  const indented = lines.map((line) => {
    const letter = (line.right - line.left) / Math.max(1, line.text.length);
    return " ".repeat(Math.min(80, Math.round((line.left - left) / Math.max(1, letter)))) + line.text;
  });
  return ["```", ...indented.map((line) => line.replaceAll("```", "'''")), "```"].join("\n");
}
