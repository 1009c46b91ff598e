import { zipSync } from "fflate";
import mammoth from "mammoth";
import TurndownService from "turndown";
import { cleanText } from "./clean-text.js";
import { ExtractionError } from "./extraction-error.js";
import type { FormatExtractor } from "./format-extractor.js";
import { GatheredParts } from "./gathered-parts.js";
import { addTableRules, blankCell } from "./html/table-rules.js";
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
  const gathered = new GatheredParts(tools.limits);
  gathered.add(createConverter().turndown(cleanText(value)));
  const modified = propertyOf(core, "dcterms:modified") ?? propertyOf(core, "dcterms:created");
  return gathered.content("text", {
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

function createConverter(): TurndownService {
  const converter = new TurndownService({
    headingStyle: "atx",
    codeBlockStyle: "fenced",
    bulletListMarker: "-",
    blankReplacement: (_content, node) => blankCell(node) ?? "\n\n",
  });
  converter.remove("img");
  addTableRules(converter);
  return converter;
}
