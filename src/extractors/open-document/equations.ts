import { equationText } from "../equation-text.js";
import { ExtractionError } from "../extraction-error.js";
import type { ExtractionLimits } from "../format-extractor.js";
import { attributeOf, childOf, localName, readXmlTree, xmlEvents, type XmlElement } from "../xml-events.js";
import type { ZipArchive } from "../zip-archive.js";

/** Reads the equation in a frame; null if the frame holds anything else. */
export type EquationReader = (frame: XmlElement) => string | null;

/** Equations are separate MathML files, named by the frame that shows them (OpenDocument 1.3, part 3, 10.4.6 and 14.1). */
export function createEquationReader(zip: ZipArchive, limits: ExtractionLimits): EquationReader {
  const known = new Map<string, string | null>();
  const textOfFile = (name: string): string | null => {
    const text = known.get(name);
    if (text !== undefined) return text;
    const math = readMath(zip, name, limits);
    const read = math && equationText(math);
    known.set(name, read);
    return read;
  };
  return (frame) => {
    const object = childOf(frame, "object");
    const inner = childOf(object, "math");
    if (inner) return equationText(inner);
    const folder = attributeOf(object, "href")?.replace(/^\.\//, "").replace(/\/$/, "");
    return folder === undefined ? null : textOfFile(`${folder}/content.xml`);
  };
}

/** A damaged equation must not make the document unreadable. */
function readMath(zip: ZipArchive, name: string, limits: ExtractionLimits): XmlElement | null {
  const open = () => zip.stream(name) ?? [];
  try {
    return isMath(open(), limits) ? readXmlTree(open(), limits) : null;
  } catch (error) {
    if (error instanceof ExtractionError && error.reason === "damaged") return null;
    throw error;
  }
}

/** Decided by the first element: other embedded objects, such as sheets, may be large. */
function isMath(source: Iterable<Uint8Array>, limits: ExtractionLimits): boolean {
  for (const event of xmlEvents(source, limits)) if (event.kind === "open") return localName(event.name) === "math";
  return false;
}
