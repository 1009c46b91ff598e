import { zipSync } from "fflate";
import mammoth from "mammoth";
import TurndownService from "turndown";
import { cleanText } from "./clean-text.js";
import { extracted } from "./extracted.js";
import { ExtractionError } from "./extraction-error.js";
import type { FormatExtractor } from "./format-extractor.js";
import { markdownTable } from "./markdown-table.js";
import { openZip, type ZipArchive } from "./zip-archive.js";

/** What makes a part of the package large and says nothing: pictures, fonts, embedded programs. */
const READ_PARTS = /(\.xml|\.rels)$/i;
/** Parts of a package that hold text have no document types of their own; one that has is made to do harm. */
const DOCUMENT_TYPE = /<!(?:DOCTYPE|ENTITY)/i;

/** Reads DOCX: headings, lists, tables, links and notes as Markdown. Of tracked changes the accepted text counts. */
export const extractDocx: FormatExtractor = async (file, tools) => {
  const archive = openZip(file.bytes, tools.limits);
  const core = textOf(archive, "docProps/core.xml");
  const { value } = await mammoth.convertToHtml(
    { buffer: Buffer.from(withTextOnly(archive)) },
    // Pictures are left out.
    { convertImage: mammoth.images.imgElement(() => Promise.resolve({ src: "" })) },
  );
  const text = cleanText(createConverter().turndown(cleanText(value))).trim();
  if (text === "") throw new ExtractionError("empty", "The file holds no text.");
  const modified = propertyOf(core, "dcterms:modified") ?? propertyOf(core, "dcterms:created");
  return extracted("text", [{ text, place: {} }], {
    title: propertyOf(core, "dc:title"),
    author: propertyOf(core, "dc:creator"),
    date: modified,
  });
};

/** The same package without what holds no text, packed anew: what is read next can unpack nothing but what was counted here. */
function withTextOnly(archive: ZipArchive): Uint8Array {
  const parts: Record<string, Uint8Array> = {};
  for (const name of archive.names) {
    const bytes = READ_PARTS.test(name) ? archive.read(name) : null;
    if (!bytes) continue;
    if (DOCUMENT_TYPE.test(Buffer.from(bytes.subarray(0, 4_096)).toString("latin1")))
      throw new ExtractionError("damaged", "The file holds a document type, which no DOCX file has. It is not read.");
    parts[name] = bytes;
  }
  return zipSync(parts, { level: 0 });
}

function textOf(archive: ZipArchive, name: string): string {
  const bytes = archive.read(name);
  return bytes ? new TextDecoder().decode(bytes) : "";
}

const ENTITIES: Readonly<Record<string, string>> = { lt: "<", gt: ">", quot: '"', apos: "'", amp: "&" };

/** What an element without attributes that matter holds, as plain text; null for nothing. */
function propertyOf(xml: string, name: string): string | null {
  const start = xml.indexOf(`<${name}`);
  const open = start === -1 ? -1 : xml.indexOf(">", start);
  const end = open === -1 ? -1 : xml.indexOf(`</${name}>`, open);
  if (end === -1) return null;
  const text = xml
    .slice(open + 1, end)
    .replace(/&(lt|gt|quot|apos|amp);/g, (_, entity: string) => ENTITIES[entity] ?? "");
  return cleanText(text).trim() || null;
}

/** Stand in the text for the ends of cells and rows until their table is written; no text holds them. */
const CELL_END = "\u0001";
const ROW_END = "\u0002";

function createConverter(): TurndownService {
  const converter = new TurndownService({
    headingStyle: "atx",
    codeBlockStyle: "fenced",
    bulletListMarker: "-",
    blankReplacement: (_content, { nodeName }) => (isCell(nodeName) ? CELL_END : "\n\n"),
  });
  converter.escape = (text) => text.replace(/^(#{1,6}) /gm, "\\$1 ");
  converter.remove("img");
  converter.addRule("cell", { filter: ["td", "th"], replacement: (content) => `${inOneLine(content)}${CELL_END}` });
  converter.addRule("row", { filter: "tr", replacement: (content) => `${content}${ROW_END}` });
  converter.addRule("table", {
    filter: "table",
    replacement: (content) => `\n\n${markdownTable(rowsOf(content))}\n\n`,
  });
  return converter;
}

function isCell(nodeName: string): boolean {
  return nodeName === "TD" || nodeName === "TH";
}

function inOneLine(text: string): string {
  return text.trim().replace(/\s+/g, " ");
}

function rowsOf(content: string): string[][] {
  return content
    .split(ROW_END)
    .filter((row) => row.includes(CELL_END))
    .map((row) => row.split(CELL_END).slice(0, -1).map(inOneLine));
}
