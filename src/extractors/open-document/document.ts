import { ExtractionError } from "../extraction-error.js";
import type { ExtractionLimits } from "../format-extractor.js";
import { childOf, elementsOf, readXmlTree, elementText, type XmlElement } from "../xml-events.js";
import { openZip, type ZipArchive } from "../zip-archive.js";

/** Metadata of an OpenDocument file. */
export interface DocumentProperties {
  readonly title: string | null;
  readonly author: string | null;
  readonly date: string | null;
}

export interface OpenDocument {
  readonly zip: ZipArchive;
  /** Its content, piece by piece. */
  readonly content: Iterable<Uint8Array>;
  readonly properties: DocumentProperties;
}

/** Opens an OpenDocument file. @throws ExtractionError as `openZip`, `encrypted`, `damaged` if its content is missing */
export function openDocument(bytes: Uint8Array, limits: ExtractionLimits): OpenDocument {
  const zip = openZip(bytes, limits);
  const manifest = zip.read("META-INF/manifest.xml");
  if (manifest && Buffer.from(manifest).includes("encryption-data"))
    throw new ExtractionError(
      "encrypted",
      "The file is protected with a password. Save a copy without the password and send that.",
    );
  const content = zip.stream("content.xml");
  if (!content) throw new ExtractionError("damaged", "The file is damaged, or not what its name says.");
  return { zip, content, properties: readProperties(zip, limits) };
}

function readProperties(zip: ZipArchive, limits: ExtractionLimits): DocumentProperties {
  const entries = metaEntries(zip, limits);
  const value = (name: string) => elementText(entries.find((entry) => entry.name === name)).trim() || null;
  const date = value("date") ?? value("creation-date");
  return {
    title: value("title"),
    author: value("initial-creator") ?? value("creator"),
    date: date && Number.isNaN(Date.parse(date)) ? null : date,
  };
}

/** Damaged metadata must not cost the text. */
function metaEntries(zip: ZipArchive, limits: ExtractionLimits): XmlElement[] {
  const bytes = zip.stream("meta.xml");
  if (!bytes) return [];
  try {
    const tree = readXmlTree(bytes, limits);
    return elementsOf(childOf(tree, "meta") ?? tree);
  } catch (error) {
    if (error instanceof ExtractionError && error.reason === "damaged") return [];
    throw error;
  }
}
