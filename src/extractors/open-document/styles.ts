import type { ExtractionLimits } from "../format-extractor.js";
import { attributeOf, childOf, elementsOf, xmlPieces, type XmlElement } from "../xml-events.js";
import type { Script } from "../small-signs.js";
import type { ZipArchive } from "../zip-archive.js";

/** Elements that `DocumentStyles` reads. */
export const STYLE_ELEMENTS: readonly string[] = ["style", "list-style"];

const LONGEST_CHAIN = 20;
const CODE: ReadonlySet<string> = new Set(["Preformatted_20_Text", "Source_20_Code", "Source_20_Text"]);

/** What the styles of a document say about its paragraphs, lists, sheets and slides. */
export class DocumentStyles {
  readonly #parents = new Map<string, string>();
  readonly #orderedLevels = new Map<string, ReadonlySet<number>>();
  readonly #hidden = new Set<string>();
  readonly #scripts = new Map<string, Script>();

  /** The styles of the whole document; those of its content are added later. @throws ExtractionError as `xmlPieces` */
  static of(zip: ZipArchive, limits: ExtractionLimits): DocumentStyles {
    const styles = new DocumentStyles();
    for (const piece of xmlPieces(zip.stream("styles.xml") ?? EMPTY, new Set(STYLE_ELEMENTS), limits))
      if (piece.kind === "element") styles.learn(piece.element);
    return styles;
  }

  learn(element: XmlElement): void {
    const name = attributeOf(element, "name") ?? "";
    if (element.name === "list-style") this.#orderedLevels.set(name, orderedLevels(element));
    if (element.name !== "style") return;
    this.#parents.set(name, attributeOf(element, "parent-style-name") ?? "");
    const position = attributeOf(childOf(element, "text-properties"), "text-position");
    if (position !== undefined) this.#scripts.set(name, scriptAt(position));
    if (attributeOf(childOf(element, "table-properties"), "display") === "false") this.#hidden.add(name);
    if (attributeOf(childOf(element, "drawing-page-properties"), "visibility") === "hidden") this.#hidden.add(name);
  }

  isTitle(styleName: string): boolean {
    return this.#chain(styleName).includes("Title");
  }

  isCode(styleName: string): boolean {
    return this.#chain(styleName).some((name) => CODE.has(name));
  }

  /** Whether sheets or slides of this style are hidden. */
  isHidden(styleName: string): boolean {
    return this.#hidden.has(styleName);
  }

  /** Whether text of this style is superscript or subscript. */
  scriptOf(styleName: string): Script {
    const name = this.#chain(styleName).find((one) => this.#scripts.has(one));
    return this.#scripts.get(name ?? "") ?? null;
  }

  /** Whether the items of a list are numbered. @param level from 1 */
  isOrdered(listStyleName: string, level: number): boolean {
    return this.#orderedLevels.get(listStyleName)?.has(level) === true;
  }

  #chain(styleName: string): string[] {
    const chain: string[] = [];
    for (let name = styleName; name !== "" && chain.length < LONGEST_CHAIN; name = this.#parents.get(name) ?? "")
      chain.push(name);
    return chain;
  }
}

const EMPTY = new TextEncoder().encode("<none/>");

/** @param position `super 58%`, or the shift up or down: `-33% 58%` */
function scriptAt(position: string): Script {
  if (/^(?:super|[1-9])/.test(position)) return "raised";
  return /^(?:sub|-)/.test(position) ? "lowered" : null;
}

function orderedLevels(listStyle: XmlElement): ReadonlySet<number> {
  const numbered = elementsOf(listStyle, "list-level-style-number").filter(
    (level) => (attributeOf(level, "num-format") ?? "") !== "",
  );
  return new Set(numbered.map((level) => Number(attributeOf(level, "level"))));
}
