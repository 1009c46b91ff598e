import type { ExtractionLimits } from "../format-extractor.js";
import {
  attributeOf,
  childOf,
  descendantsOf,
  elementsOf,
  elementText,
  xmlPieces,
  type XmlElement,
} from "../xml-events.js";
import { builtInFormat } from "./number-format.js";
import { isOn, relatedTarget, type OfficePackage } from "./package.js";

export interface Sheet {
  readonly name: string;
  readonly isHidden: boolean;
  readonly part: string;
}

/** Data shared by the cells of all sheets. */
export interface Workbook {
  /** In the order of the tabs, without chart sheets. */
  readonly sheets: readonly Sheet[];
  readonly is1904: boolean;
  readonly sharedTexts: readonly string[];
  /** Number format codes, by cell style. */
  readonly formats: readonly string[];
}

/** @throws ExtractionError as `readXmlTree` */
export function readWorkbook(office: OfficePackage, limits: ExtractionLimits): Workbook {
  const tree = office.tree(office.mainPart);
  const relationships = office.relationships(office.mainPart);
  const partOf = (kind: string) => [...relationships.values()].find((one) => one.kind === kind)?.target ?? "";
  const sheets = tree ? elementsOf(childOf(tree, "sheets") ?? tree, "sheet") : [];
  const styles = office.tree(partOf("styles"));
  return {
    sheets: sheets.flatMap((sheet) => {
      const target = relatedTarget(sheet, relationships);
      const isHidden = (attributeOf(sheet, "state") ?? "visible") !== "visible";
      return target?.kind === "worksheet"
        ? [{ name: attributeOf(sheet, "name") ?? "", isHidden, part: target.target }]
        : [];
    }),
    is1904: isOn(childOf(tree ?? undefined, "workbookPr"), "date1904"),
    sharedTexts: readSharedTexts(office, partOf("sharedStrings"), limits),
    formats: styles ? readFormats(styles) : [],
  };
}

function readSharedTexts(office: OfficePackage, part: string, limits: ExtractionLimits): string[] {
  const content = office.zip.stream(part);
  const texts: string[] = [];
  if (content)
    for (const piece of xmlPieces(content, new Set(["si"]), limits))
      if (piece.kind === "element") texts.push(workbookText(piece.element));
  return texts;
}

/** The text of a cell made of runs, without phonetic guides. */
export function workbookText(element: XmlElement): string {
  const pieces = elementsOf(element).map((child) => {
    if (child.name === "t") return elementText(child);
    return child.name === "r" ? elementsOf(child, "t").map(elementText).join("") : "";
  });
  return pieces.join("").replace(/_x([0-9A-Fa-f]{4})_/g, (_, code: string) => String.fromCharCode(parseInt(code, 16)));
}

function readFormats(styles: XmlElement): string[] {
  const own = new Map(
    descendantsOf(styles, "numFmt").map((format) => [
      attributeOf(format, "numFmtId"),
      attributeOf(format, "formatCode"),
    ]),
  );
  return elementsOf(childOf(styles, "cellXfs") ?? { ...styles, children: [] }, "xf").map((style) => {
    const id = attributeOf(style, "numFmtId") ?? "0";
    return own.get(id) ?? builtInFormat(Number(id));
  });
}
