import type { ExtractedContent, SourceFile } from "../../core/documents/content-ports.js";
import { ExtractionError } from "../extraction-error.js";
import type { ExtractionTools } from "../format-extractor.js";
import { GatheredParts } from "../gathered-parts.js";
import { onlyFirst } from "../only-first.js";
import { givenTitle } from "../own-title.js";
import { median, type TextLine } from "./fragment.js";
import { headingLevels, type HeadingLevel, type OutlineEntry } from "./headings.js";
import { endsInWord, hyphenatedWordsIn } from "./join-lines.js";
import { openPdf, outlineOf, traitsOf, type Pdf } from "./open-pdf.js";
import { pageMarkdown, type Block, type DocumentTraits } from "./page-markdown.js";
import { pageNames } from "./page-names.js";
import { readPdfPage, type PageBlocks } from "./read-page.js";
import { readScans } from "./read-scans.js";
import { runningLines } from "./running-lines.js";

/** A page with fewer letters may be a scan. */
const FEW_LETTERS = 50;
/** Shared fonts and pictures are released after this many pages. */
const PAGES_BETWEEN_CLEANING = 50;

/**
 * Reads a PDF page by page: text in reading order, headings, lists and tables; headers, footers and page numbers are left out,
 * and pages that are pictures are read through `tools.recogniseText`.
 * @throws ExtractionError `encrypted`, `damaged`, `empty` for one without any text, and `missing_program` where all of its text
 * is in pictures and nothing can read them
 */
export async function extractPdf(file: SourceFile, tools: ExtractionTools): Promise<ExtractedContent> {
  const pdf = await openPdf(file.bytes, tools.password);
  try {
    return await extractOpened(pdf, tools);
  } finally {
    await pdf.destroy();
  }
}

async function extractOpened(pdf: Pdf, tools: ExtractionTools): Promise<ExtractedContent> {
  const { hasForm, title, ...said } = await traitsOf(pdf);
  const read = await readPages(pdf, tools, hasForm);
  const pages = withoutRunningLines(read.pages);
  const traits = documentTraits(pages, await outlineOf(pdf));
  const sparse = pages.flatMap((regions, at) => (lettersIn(regions) < FEW_LETTERS ? [at + 1] : []));
  const written = pages.map((regions) => pageMarkdown(regions, traits));
  const { maximumTextBytes } = tools.limits;
  const scans = await readScans(pdf, tools, sparse, maximumTextBytes - bytesOf(written));
  const texts = joinAcrossPages(written.map((text, at) => scans.texts.get(at + 1) ?? text));
  if (texts.every((text) => text === ""))
    throw scans.obstacle ?? new ExtractionError("empty", "The PDF contains neither text nor pictures of text.");
  const gathered = new GatheredParts(tools.limits);
  gathered.note(...read.notes, ...scans.notes);
  texts.forEach((text, at) => void gathered.add(text, { page: at + 1 }));
  return gathered.content("pdf", {
    ...said,
    title: gathered.titled(givenTitle(title) ?? titleIn(pages[0] ?? [], traits.headingLevel)),
    metadata: { pages: pdf.numPages },
  });
}

function bytesOf(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
}

type Regions = PageBlocks["regions"];

/** Reads one page at a time, so that only the memory for the text grows with the number of pages. */
async function readPages(
  pdf: Pdf,
  tools: ExtractionTools,
  hasForm: boolean,
): Promise<{ pages: Regions[]; notes: string[] }> {
  const { limits } = tools;
  const pages: Regions[] = [];
  const damaged: number[] = [];
  const last = Math.min(pdf.numPages, limits.maximumPages);
  for (let number = 1, bytes = 0; number <= last && bytes < limits.maximumTextBytes; number += 1) {
    const blocks = await readOne(pdf, number, hasForm);
    pages.push(blocks?.regions ?? []);
    if (blocks === null) damaged.push(number);
    bytes += blocks?.bytes ?? 0;
    tools.report({ unit: "page", done: number, total: last });
    if (number % PAGES_BETWEEN_CLEANING === 0) await pdf.cleanup();
  }
  if (damaged.length === last) throw new ExtractionError("damaged", "No page of the PDF can be read: it is damaged.");
  const notes = [
    ...(damaged.length > 0 ? [`${pageNames(damaged)} could not be read: the file is damaged there.`] : []),
    ...(pages.length < pdf.numPages ? [onlyFirst(pages.length, pdf.numPages, "pages")] : []),
  ];
  return { pages, notes };
}

async function readOne(pdf: Pdf, number: number, hasForm: boolean): Promise<PageBlocks | null> {
  try {
    const page = await pdf.getPage(number);
    const blocks = await readPdfPage(page, hasForm);
    page.cleanup();
    return blocks;
  } catch {
    return null;
  }
}

function linesIn(regions: Regions): TextLine[] {
  return regions.flat().flatMap((block) => ("lines" in block ? block.lines : []));
}

function lettersIn(regions: Regions): number {
  const cells = regions.flat().flatMap((block) => ("rows" in block ? block.rows.flat() : []));
  return [...linesIn(regions).map(({ text }) => text), ...cells].reduce((sum, text) => sum + text.length, 0);
}

function withoutRunningLines(pages: readonly Regions[]): Regions[] {
  const running = runningLines(pages.map(linesIn));
  const cleaned = (block: Block): Block =>
    "lines" in block ? { lines: block.lines.filter((line) => !running.has(line)) } : block;
  return pages.map((regions) => regions.map((region) => region.map(cleaned)));
}

function documentTraits(pages: readonly Regions[], outline: readonly OutlineEntry[]): DocumentTraits {
  const lines = pages.flatMap(linesIn);
  return {
    headingLevel: headingLevels(pages.map(linesIn), outline),
    hyphenated: hyphenatedWordsIn(lines.map(({ text }) => text)),
    leading: usualLeading(lines),
  };
}

/** Median distance between consecutive lines, relative to their font size. */
function usualLeading(lines: readonly TextLine[]): number {
  const distances = lines.flatMap((line, at) => {
    const above = lines[at - 1];
    const distance = above ? (line.baseline - above.baseline) / line.size : 0;
    return distance > 0.8 && distance < 2.5 && above?.size === line.size ? [distance] : [];
  });
  return distances.length === 0 ? 1.2 : median(distances);
}

/** A word split across two pages is moved to the first. */
function joinAcrossPages(texts: readonly string[]): string[] {
  const joined = [...texts];
  for (let at = 1; at < joined.length; at += 1) {
    const above = joined[at - 1] ?? "";
    const below = joined[at] ?? "";
    if (!endsInWord(above, below)) continue;
    const end = /\s|$/.exec(below)?.index ?? below.length;
    joined[at - 1] = above.slice(0, -1) + below.slice(0, end);
    joined[at] = below.slice(end).trimStart();
  }
  return joined;
}

function titleIn(regions: Regions, headingLevel: HeadingLevel): string | null {
  return linesIn(regions).find((line) => headingLevel(line) === 1)?.text ?? null;
}
