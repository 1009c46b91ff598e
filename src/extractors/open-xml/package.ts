import { posix } from "node:path";
import { ExtractionError } from "../extraction-error.js";
import type { ExtractionLimits } from "../format-extractor.js";
import { attributeOf, childOf, elementsOf, readXmlTree, textOf, type XmlElement } from "../xml-events.js";
import { openZip, type ZipArchive } from "../zip-archive.js";

/** What a part of a package points to. */
export interface Relationship {
  /** The last word of its type, such as `worksheet`. */
  readonly kind: string;
  /** Name of a part, or an address where it is outside of the package. */
  readonly target: string;
  readonly isExternal: boolean;
}

/** A file of Office Open XML: parts that point to each other. */
export interface OfficePackage {
  readonly zip: ZipArchive;
  /** Name of the part that everything begins with. */
  readonly mainPart: string;
  /** What a part points to, by id; nothing where it says nothing. @throws ExtractionError as `readXmlTree` */
  relationships(part: string): ReadonlyMap<string, Relationship>;
  /** A part in memory, or null where it is missing. @throws ExtractionError as `readXmlTree` */
  tree(part: string): XmlElement | null;
}

/**
 * Opens a package whose main part is of one kind of the folders `xl`, `ppt` or `word`.
 * @throws ExtractionError as `openZip`, `damaged` where the main part is missing
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

/** What a package says about itself; nothing where that is missing or cannot be read. */
export function packageProperties(office: OfficePackage): {
  readonly title: string | null;
  readonly author: string | null;
  readonly date: string | null;
} {
  const tree = readLeniently(office) ?? { name: "", attributes: {}, children: [] };
  const value = (name: string) => textOf(childOf(tree, name)).trim() || null;
  const date = value("modified") ?? value("created");
  return {
    title: value("title"),
    author: value("creator"),
    date: date && Number.isNaN(Date.parse(date)) ? null : date,
  };
}

/** Nobody's text is lost for a broken title. */
function readLeniently(office: OfficePackage): XmlElement | null {
  try {
    const part = [...office.relationships("").values()].find(({ kind }) => kind === "core-properties")?.target;
    return office.tree(part ?? "docProps/core.xml");
  } catch (error) {
    if (error instanceof ExtractionError && error.reason === "damaged") return null;
    throw error;
  }
}

/** The part that an attribute of the kind `r:id` names. */
export function relatedTarget(
  element: XmlElement,
  relationships: ReadonlyMap<string, Relationship>,
  attribute = "id",
): Relationship | undefined {
  const prefixed = Object.keys(element.attributes).find((key) => key.endsWith(`:${attribute}`));
  return relationships.get(prefixed === undefined ? "" : (element.attributes[prefixed] ?? ""));
}

/** Whether an attribute of yes and no says yes. */
export function isOn(element: XmlElement | undefined, name: string): boolean {
  const value = attributeOf(element, name);
  return value === "1" || value === "true" || value === "on";
}
