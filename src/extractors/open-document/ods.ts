import type { FormatExtractor } from "../format-extractor.js";
import { GatheredParts } from "../gathered-parts.js";
import { onlyFirst } from "../only-first.js";
import { SheetParts } from "../sheet-parts.js";
import { attributeOf, elementsOf, elementText, xmlPieces, type XmlElement } from "../xml-events.js";
import { openDocument } from "./document.js";
import { inlineText } from "./inline-text.js";
import { DocumentStyles, STYLE_ELEMENTS } from "./styles.js";

const CHOSEN: ReadonlySet<string> = new Set([...STYLE_ELEMENTS, "table-row", "tracked-changes", "dde-links", "shapes"]);
const MOST_ROWS = 1_048_576;
const MOST_COLUMNS = 16_384;

/**
 * LibreOffice and other OpenDocument spreadsheets as tables, with dates and numbers as displayed, in parts that repeat their
 * header row.
 */
export const extractOds: FormatExtractor = (file, tools) => {
  const { limits } = tools;
  const { zip, content, properties } = openDocument(file.bytes, limits);
  const styles = DocumentStyles.of(zip, limits);
  const gathered = new GatheredParts(limits);
  let sheets = 0;
  let sheet: SheetReader | null = null;
  for (const piece of xmlPieces(content, CHOSEN, limits)) {
    if (piece.kind === "element") {
      styles.learn(piece.element);
      if (piece.element.name === "table-row") sheet?.row(piece.element);
    } else if (piece.kind === "open" && piece.name === "table") {
      if (sheets === limits.maximumPages) {
        gathered.note(onlyFirst(sheets, null, "sheets"));
        break;
      }
      const name = attributeOf(piece, "name") ?? "";
      if (styles.isHidden(attributeOf(piece, "style-name") ?? "")) gathered.note(`The sheet “${name}” is hidden.`);
      sheet = new SheetReader(new SheetParts(name, gathered));
    } else if (piece.kind === "close" && piece.name === "table") {
      sheet?.end();
      sheet = null;
      tools.report({ unit: "sheet", done: (sheets += 1), total: null });
    }
    if (gathered.isFull) break;
  }
  return Promise.resolve(gathered.content("text", properties, "The file has no cell with text or numbers."));
};

/** Counts the rows and columns of one sheet, in which runs of equal ones are written once. */
class SheetReader {
  readonly #parts: SheetParts;
  #row = 0;

  constructor(parts: SheetParts) {
    this.#parts = parts;
  }

  row(element: XmlElement): void {
    const last = Math.min(MOST_ROWS, this.#row + repeated(element, "number-rows-repeated"));
    const cells = cellsOf(element);
    for (let row = this.#row + 1; cells.length > 0 && row <= last; row += 1) if (!this.#parts.add(row, cells)) break;
    this.#row = last;
  }

  end(): void {
    this.#parts.end();
  }
}

function repeated(element: XmlElement, attribute: string): number {
  const times = Number(attributeOf(element, attribute) ?? 1);
  return times >= 1 ? Math.floor(times) : 1;
}

function cellsOf(row: XmlElement): [column: number, text: string][] {
  const cells: [number, string][] = [];
  let column = 0;
  for (const cell of elementsOf(row)) {
    if (cell.name !== "table-cell" && cell.name !== "covered-table-cell") continue;
    const last = Math.min(MOST_COLUMNS, column + repeated(cell, "number-columns-repeated"));
    const text = cell.name === "table-cell" ? shown(cell) : "";
    if (text.trim() !== "") for (let place = column + 1; place <= last; place += 1) cells.push([place, text]);
    column = last;
  }
  return cells;
}

const NOTHING_BESIDE = { frame: () => undefined, equation: () => null, note: () => "", scriptOf: () => null };

/** The displayed text of a cell, which every common program writes next to the value. */
function shown(cell: XmlElement): string {
  const text = elementsOf(cell, "p")
    .map((one) => inlineText(one, NOTHING_BESIDE))
    .join("\n");
  if (text.trim() !== "" || elementText(cell).trim() !== "") return text;
  const values = ["string-value", "date-value", "time-value", "boolean-value", "value"];
  return values.map((name) => cell.attributes[`office:${name}`]).find((value) => value !== undefined) ?? "";
}
