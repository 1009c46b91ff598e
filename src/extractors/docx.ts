import { zipSync } from "fflate";
import mammoth from "mammoth";
import TurndownService from "turndown";
import { cleanText } from "./clean-text.js";
import { ExtractionError } from "./extraction-error.js";
import type { FormatExtractor } from "./format-extractor.js";
import { GatheredParts } from "./gathered-parts.js";
import { addTableRules, blankCell } from "./html/table-rules.js";
import { openPackage, packageProperties } from "./open-xml/package.js";
import type { ZipArchive } from "./zip-archive.js";

/** What makes a part of the package large and says nothing: pictures, fonts, embedded programs. */
const READ_PARTS = /(\.xml|\.rels)$/i;
/** Parts of a package that hold text have no document types of their own; one that has is made to do harm. */
const DOCUMENT_TYPE = /<!(?:DOCTYPE|ENTITY)/i;

/** Reads DOCX: headings, lists, tables, links and notes as Markdown. Of tracked changes the accepted text counts. */
export const extractDocx: FormatExtractor = async (file, tools) => {
  const office = openPackage(file.bytes, "word/document.xml", tools.limits);
  const { value } = await mammoth.convertToHtml(
    { buffer: Buffer.from(withTextOnly(office.zip)) },
    // Pictures are left out.
    { convertImage: mammoth.images.imgElement(() => Promise.resolve({ src: "" })) },
  );
  const gathered = new GatheredParts(tools.limits);
  gathered.add(createConverter().turndown(cleanText(value)));
  return gathered.content("text", packageProperties(office));
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
