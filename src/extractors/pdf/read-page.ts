import { regionsOf } from "./columns.js";
import type { Fragment, Line, OuterRow, TextLine } from "./fragment.js";
import type { PdfPage } from "./open-pdf.js";
import { outerRowsOf } from "./outer-rows.js";
import { fragmentsOf } from "./page-fragments.js";
import type { Block } from "./page-markdown.js";
import { findTables } from "./tables.js";

/** The text of a page, in regions in reading order. */
export interface PageBlocks {
  readonly regions: readonly (readonly Block[])[];
  /** UTF-8 size of its text. */
  readonly bytes: number;
}

/** Reads the text of a page and finds its columns and tables. @param hasForm whether to read form fields as well */
export async function readPdfPage(page: PdfPage, hasForm: boolean): Promise<PageBlocks> {
  const { items, styles } = await page.getTextContent();
  const filled = hasForm ? await filledFields(page) : [];
  const { transform, height } = page.getViewport({ scale: 1 });
  const directions = fragmentsOf({ items: [...items, ...filled], styles, transform });
  const outerRows = outerRowsOf(directions[0] ?? [], height);
  const regions = directions.flatMap((fragments) => regionsOf(fragments)).map((region) => blocksOf(region, outerRows));
  return { regions, bytes: bytesOf(directions.flat()) };
}

function bytesOf(fragments: readonly Fragment[]): number {
  return fragments.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);
}

type OuterRows = ReadonlyMap<Fragment, OuterRow>;

function blocksOf(region: readonly Line[], outerRows: OuterRows): Block[] {
  const kept = (lines: readonly Line[]) => ({ lines: lines.map((line) => withoutFragments(line, outerRows)) });
  const blocks: Block[] = [];
  let from = 0;
  for (const { first, count, rows } of findTables(region)) {
    if (first > from) blocks.push(kept(region.slice(from, first)));
    blocks.push({ rows });
    from = first + count;
  }
  if (from < region.length) blocks.push(kept(region.slice(from)));
  return blocks;
}

/** All pages stay in memory until the last one has been read, so only what is needed is kept. */
function withoutFragments({ fragments, ...line }: Line, outerRows: OuterRows): TextLine {
  const [first] = fragments;
  return { ...line, outerRow: (first && outerRows.get(first)) ?? null };
}

/** The contents of form fields, as text at the position of each field. */
async function filledFields(page: PdfPage): Promise<object[]> {
  const annotations: unknown[] = await page.getAnnotations();
  return annotations.flatMap((annotation) => {
    if (typeof annotation !== "object" || annotation === null) return [];
    const { fieldValue, rect } = { fieldValue: undefined, rect: undefined, ...annotation };
    const text: unknown = Array.isArray(fieldValue) ? (fieldValue as unknown[]).join(", ") : fieldValue;
    const corners: readonly unknown[] = Array.isArray(rect) ? rect : [];
    const [left, bottom, right, top] = corners.map(Number);
    if (typeof text !== "string" || text === "Off" || text.trim() === "") return [];
    if (left === undefined || bottom === undefined || right === undefined || top === undefined) return [];
    const size = Math.min(10, Math.max(4, top - bottom));
    return text.split(/\r\n|\r|\n/).map((line, at) => ({
      str: line,
      dir: "ltr",
      transform: [size, 0, 0, size, left, Math.max(bottom, top - (at + 1) * 1.2 * size)],
      width: Math.min(right - left, 0.5 * size * line.length),
      fontName: "",
    }));
  });
}
