import { regionsOf } from "./columns.js";
import type { Fragment, Line, TextLine } from "./fragment.js";
import { linesOf } from "./lines.js";
import type { PdfPage } from "./open-pdf.js";
import { fragmentsOf } from "./page-fragments.js";
import type { Block } from "./page-markdown.js";
import { findTables } from "./tables.js";

/** The text of a page, in regions that are read one after the other. */
export interface PageBlocks {
  readonly regions: readonly (readonly Block[])[];
  /** Letters, figures and other signs, without spaces. */
  readonly letters: number;
}

/** Reads the text of a page and finds its columns and tables. @param hasForm what was filled into a form is read too */
export async function readPage(page: PdfPage, hasForm: boolean): Promise<PageBlocks> {
  const { items, styles } = await page.getTextContent();
  const filled = hasForm ? await filledFields(page) : [];
  const { transform } = page.getViewport({ scale: 1 });
  const directions = fragmentsOf({ items: [...items, ...filled], styles, transform });
  const outerRows = outerRowsOf(directions[0] ?? []);
  const regions = directions.flatMap((fragments) => regionsOf(fragments)).map((region) => blocksOf(region, outerRows));
  return { regions, letters: lettersIn(directions.flat().map(({ text }) => text)) };
}

function lettersIn(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + text.replaceAll(" ", "").length, 0);
}

/** Parts of the written page above and below in which headers and footers stand. */
const MARGIN = 0.15;
/** So many of the outermost rows of a margin are looked at. */
const OUTERMOST = 3;

type OuterRows = ReadonlyMap<Fragment, string>;

/** Texts of the outermost rows of a page, across its columns. */
function outerRowsOf(fragments: readonly Fragment[]): OuterRows {
  const rows = linesOf(fragments);
  const [top, bottom] = [rows[0]?.baseline ?? 0, rows.at(-1)?.baseline ?? 0];
  const margin = MARGIN * (bottom - top);
  const outer = [
    ...rows.slice(0, OUTERMOST).filter(({ baseline }) => baseline <= top + margin),
    ...rows.slice(-OUTERMOST).filter(({ baseline }) => baseline >= bottom - margin),
  ];
  return new Map(outer.flatMap((row) => row.fragments.map((fragment) => [fragment, row.text] as const)));
}

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

/** All pages are kept until the last one was read: only what is needed of them. */
function withoutFragments({ fragments, ...line }: Line, outerRows: OuterRows): TextLine {
  const [first] = fragments;
  return { ...line, outerRow: (first && outerRows.get(first)) ?? null };
}

/** What was filled into the fields of a form, as text where the fields are. */
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
