import { posix } from "node:path";
import { ExtractionError } from "../extraction-error.js";
import type { ExtractionLimits } from "../format-extractor.js";
import { attributeOf, childOf, elementsOf, readXmlTree, elementText, type XmlElement } from "../xml-events.js";
import { openZip, type ZipArchive } from "../zip-archive.js";

/** A reference from one part of a package to another. */
export interface Relationship {
  /** The last word of its type, such as `worksheet`. */
  readonly kind: string;
  /** Name of a part, or an address outside the package. */
  readonly target: string;
  readonly isExternal: boolean;
}

/** An Office Open XML file: parts that refer to each other. */
export interface OfficePackage {
  readonly zip: ZipArchive;
  /** Name of the part where reading starts. */
  readonly mainPart: string;
  /** The references of a part, by id; empty if it has none. @throws ExtractionError as `readXmlTree` */
  relationships(part: string): ReadonlyMap<string, Relationship>;
  /** A part in memory, or null if it is missing. @throws ExtractionError as `readXmlTree` */
  tree(part: string): XmlElement | null;
}

/**
 * Opens a package whose main part is in `xl`, `ppt` or `word`.
 * @throws ExtractionError as `openZip`, `damaged` if the main part is missing
 */
export function openPackage(bytes: Uint8Array, usualMainPart: string, limits: ExtractionLimits): OfficePackage {
  const zip = openZip(bytes, limits);
  const tree = (part: string): XmlElement | null => {
    const content = zip.stream(part);
    return content && readXmlTree(content, limits);
  };
  const relationships = (part: string) => readRelationships(tree(relationshipsPart(part)), posix.dirname(part));
  const declared = [...relationships("").values()].find(({ kind }) => kind === "officeDocument")?.target;
  const mainPart = [declared, usualMainPart].find((part) => part !== undefined && zip.has(part));
  if (mainPart === undefined) throw new ExtractionError("damaged", "The file is damaged, or not what its name says.");
  return { zip, mainPart, relationships, tree };
}

function relationshipsPart(part: string): string {
  return part === "" ? "_rels/.rels" : posix.join(posix.dirname(part), "_rels", `${posix.basename(part)}.rels`);
}

function readRelationships(tree: XmlElement | null, folder: string): ReadonlyMap<string, Relationship> {
  const entries = tree ? elementsOf(tree, "Relationship") : [];
  return new Map(entries.map(({ attributes }) => [attributes["Id"] ?? "", relationship(attributes, folder)]));
}

function relationship(attributes: XmlElement["attributes"], folder: string): Relationship {
  const { Target: target = "", Type: type = "", TargetMode: mode } = attributes;
  const isExternal = mode === "External";
  const part = target.startsWith("/") ? target.slice(1) : posix.join(folder, target);
  return { kind: type.slice(type.lastIndexOf("/") + 1), target: isExternal ? target : part, isExternal };
}

/** Metadata of a package; empty where it is missing or unreadable. */
export function packageProperties(office: OfficePackage): {
  readonly title: string | null;
  readonly author: string | null;
  readonly date: string | null;
} {
  const tree = readLeniently(office) ?? { name: "", attributes: {}, children: [] };
  const value = (name: string) => elementText(childOf(tree, name)).trim() || null;
  const date = value("modified") ?? value("created");
  return {
    title: value("title"),
    author: value("creator"),
    date: date && Number.isNaN(Date.parse(date)) ? null : date,
  };
}

/** Damaged metadata must not cost the text. */
function readLeniently(office: OfficePackage): XmlElement | null {
  try {
    const part = [...office.relationships("").values()].find(({ kind }) => kind === "core-properties")?.target;
    return office.tree(part ?? "docProps/core.xml");
  } catch (error) {
    if (error instanceof ExtractionError && error.reason === "damaged") return null;
    throw error;
  }
}

/** The part that an attribute such as `r:id` refers to. */
export function relatedTarget(
  element: XmlElement,
  relationships: ReadonlyMap<string, Relationship>,
  attribute = "id",
): Relationship | undefined {
  const prefixed = Object.keys(element.attributes).find((key) => key.endsWith(`:${attribute}`));
  return relationships.get(prefixed === undefined ? "" : (element.attributes[prefixed] ?? ""));
}

/** Whether a Boolean attribute is true. */
export function isOn(element: XmlElement | undefined, name: string): boolean {
  const value = attributeOf(element, name);
  return value === "1" || value === "true" || value === "on";
}
