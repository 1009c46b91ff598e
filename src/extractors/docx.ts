import { zipSync } from "fflate";
import mammoth from "mammoth";
import TurndownService from "turndown";
import { cleanText } from "./clean-text.js";
import { ExtractionError } from "./extraction-error.js";
import type { ExtractionLimits, FormatExtractor } from "./format-extractor.js";
import { GatheredParts } from "./gathered-parts.js";
import { parsePage } from "./html/page-dom.js";
import { spreadTables } from "./html/page-tables.js";
import { addTableRules, blankCell } from "./html/table-rules.js";
import { openPackage, packageProperties } from "./open-xml/package.js";
import { withEquationsAsText } from "./open-xml/word-equations.js";
import type { ZipArchive } from "./zip-archive.js";
import { singleSpaced } from "../lib/single-spaced.js";

/** Leaves out the large parts of the package that have no text: pictures, fonts, embedded programs. */
const READ_PARTS = /(\.xml|\.rels)$/i;
/** Text parts of a package normally have no document type declaration; one that has is malicious. */
const DOCUMENT_TYPE = /<!(?:DOCTYPE|ENTITY)/i;

/** Reads DOCX: headings, lists, tables, links and notes as Markdown. Tracked changes are read as accepted. */
export const extractDocx: FormatExtractor = async (file, tools) => {
  const office = openPackage(file.bytes, "word/document.xml", tools.limits);
  const { value } = await mammoth.convertToHtml(
    { buffer: Buffer.from(withTextOnly(office.zip, tools.limits)) },
    // Pictures are left out.
    {
      convertImage: mammoth.images.imgElement(() => Promise.resolve({ src: "" })),
      styleMap: ["p[style-name='Title'] => h1.title:fresh"],
    },
  );
  const gathered = new GatheredParts(tools.limits);
  gathered.add(await markdownOf(value));
  const properties = packageProperties(office);
  // The visible title takes precedence over what a template may have left in the properties.
  return gathered.content("text", { ...properties, title: gathered.titled(titleIn(value) ?? properties.title) });
};

async function markdownOf(html: string): Promise<string> {
  const document = await parsePage(cleanText(html));
  spreadTables(document);
  return document.body ? createConverter().turndown(document.body as never) : "";
}

/** The text of the first paragraph in the title style. */
function titleIn(html: string): string | null {
  const words = /<h1 class="title">(.{1,4000}?)<\/h1>/s.exec(html)?.[1];
  return words === undefined
    ? null
    : singleSpaced(createConverter().turndown(words.replace(/<a [^<>]*>\[\d+\]<\/a>/g, "")));
}

/** Repacks the package without parts that have no text, so that the next reader can unpack only what was counted here. */
function withTextOnly(archive: ZipArchive, limits: ExtractionLimits): Uint8Array {
  const parts: Record<string, Uint8Array> = {};
  for (const name of archive.names) {
    const bytes = READ_PARTS.test(name) ? archive.read(name) : null;
    if (!bytes) continue;
    if (DOCUMENT_TYPE.test(Buffer.from(bytes.subarray(0, 4_096)).toString("latin1")))
      throw new ExtractionError(
        "damaged",
        "The file declares a document type, which no DOCX file does. It was not read.",
      );
    parts[name] = name.startsWith("word/") ? withReadableEquations(withNamedScripts(bytes), limits) : bytes;
  }
  return zipSync(parts, { level: 0 });
}

/** Letters shifted up or down by a number of points are also superscripts or subscripts, which the library does not detect. */
function withNamedScripts(bytes: Uint8Array): Uint8Array {
  const part = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (!part.includes("<w:position ")) return bytes;
  const named = part
    .toString("utf8")
    .replace(/<w:position w:val="(-?)[1-9]\d{0,3}"\/>/g, (_moved, sign) =>
      sign === "-" ? '<w:vertAlign w:val="subscript"/>' : '<w:vertAlign w:val="superscript"/>',
    );
  return Buffer.from(named);
}

/** The library ignores equations. */
function withReadableEquations(bytes: Uint8Array, limits: ExtractionLimits): Uint8Array {
  const part = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return part.includes("<m:oMath") ? Buffer.from(withEquationsAsText(part.toString("utf8"), limits)) : bytes;
}

function createConverter(): TurndownService {
  const converter = new TurndownService({
    headingStyle: "atx",
    codeBlockStyle: "fenced",
    bulletListMarker: "-",
    blankReplacement: (_content, node) => blankCell(node) ?? "\n\n",
  });
  converter.remove("img");
  addNoteRules(converter);
  addTableRules(converter);
  return converter;
}

/** A note reference or a note itself, as the library names them. */
const NOTE = /^#?(?:foot|end)note-\d/;
const BACK_TO_MARK = /^#(?:foot|end)note-ref-/;

/**
 * Notes are referenced as `[1]` and listed under the same mark at the end. Links within the file would lead nowhere outside it.
 */
function addNoteRules(converter: TurndownService): void {
  converter.addRule("link within the file", {
    filter: (node) => node.nodeName === "A" && node.getAttribute("href")?.startsWith("#") === true,
    replacement: (content, node) => {
      const target = node instanceof Object && "getAttribute" in node ? String(node.getAttribute("href")) : "";
      if (BACK_TO_MARK.test(target)) return "";
      return NOTE.test(target) ? (node.textContent ?? "") : content;
    },
  });
  converter.addRule("note", {
    filter: (node) => node.nodeName === "LI" && NOTE.test(node.getAttribute("id") ?? ""),
    replacement: (content, node) => {
      const entries = [...(node.parentNode?.childNodes ?? [])].filter(({ nodeName }) => nodeName === "LI");
      return `[${entries.findIndex((entry) => entry === node) + 1}] ${content.trim()}\n\n`;
    },
  });
}
