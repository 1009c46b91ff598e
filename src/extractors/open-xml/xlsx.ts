import type { ExtractionLimits, FormatExtractor } from "../format-extractor.js";
import { GatheredParts } from "../gathered-parts.js";
import { onlyFirst } from "../only-first.js";
import { SheetParts } from "../sheet-parts.js";
import { childOf, elementsOf, elementText, xmlPieces, type XmlElement } from "../xml-events.js";
import { showNumber } from "./number-format.js";
import { openPackage, packageProperties, type OfficePackage } from "./package.js";
import { readWorkbook, workbookText, type Sheet, type Workbook } from "./workbook.js";

const MOST_COLUMNS = 16_384;
const MOST_ROWS = 1_048_576;

/** Excel workbooks: each sheet is a table with dates and numbers as displayed, in parts that repeat its header row. */
export const extractXlsx: FormatExtractor = (file, tools) => {
  const office = openPackage(file.bytes, "xl/workbook.xml", tools.limits);
  const workbook = readWorkbook(office, tools.limits);
  const gathered = new GatheredParts(tools.limits);
  const sheets = workbook.sheets.slice(0, tools.limits.maximumPages);
  for (const [index, sheet] of sheets.entries()) {
    readSheet({ office, workbook, sheet, gathered, limits: tools.limits });
    tools.report({ unit: "sheet", done: index + 1, total: sheets.length });
    if (gathered.isFull) break;
  }
  if (sheets.length < workbook.sheets.length) gathered.note(onlyFirst(sheets.length, workbook.sheets.length, "sheets"));
  const hidden = sheets.filter(({ isHidden }) => isHidden);
  gathered.note(...hidden.map(({ name }) => `The sheet “${name}” is hidden.`));
  const whenEmpty = "The workbook has no cell with text or numbers.";
  return Promise.resolve(gathered.content("text", packageProperties(office), whenEmpty));
};

interface Reading {
  readonly office: OfficePackage;
  readonly workbook: Workbook;
  readonly sheet: Sheet;
  readonly gathered: GatheredParts;
  readonly limits: ExtractionLimits;
}

const ROWS: ReadonlySet<string> = new Set(["row"]);

function readSheet({ office, workbook, sheet, gathered, limits }: Reading): void {
  const parts = new SheetParts(sheet.name, gathered);
  let number = 0;
  for (const piece of xmlPieces(office.zip.stream(sheet.part) ?? [], ROWS, limits)) {
    if (piece.kind !== "element") continue;
    number = placeOf(piece.element.attributes["r"], MOST_ROWS) ?? number + 1;
    if (!parts.add(number, cellsOf(piece.element, workbook))) break;
  }
  parts.end();
}

function placeOf(written: string | undefined, most: number): number | null {
  const number = Number(written);
  return Number.isInteger(number) && number >= 1 && number <= most ? number : null;
}

function* cellsOf(row: XmlElement, workbook: Workbook): Generator<[column: number, text: string]> {
  let column = 0;
  for (const cell of elementsOf(row, "c")) {
    column = columnOf(cell.attributes["r"]) ?? column + 1;
    yield [column, showCell(cell, workbook)];
  }
}

function columnOf(reference: string | undefined): number | null {
  const letters = /^[A-Z]{1,3}/.exec(reference ?? "")?.[0];
  if (letters === undefined) return null;
  const column = Array.from(letters).reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0);
  return column <= MOST_COLUMNS ? column : null;
}

function showCell(cell: XmlElement, workbook: Workbook): string {
  const { t: type = "n", s: style } = cell.attributes;
  if (type === "inlineStr") return workbookText(childOf(cell, "is") ?? cell);
  const value = childOf(cell, "v");
  if (!value) return formulaOf(cell);
  const text = elementText(value);
  if (type === "s") return workbook.sharedTexts[Number(text)] ?? "";
  if (type === "b") return text.trim() === "1" ? "TRUE" : "FALSE";
  if (type !== "n") return text;
  const number = text.trim() === "" ? Number.NaN : Number(text);
  return Number.isFinite(number) ? showNumber(number, workbook.formats[Number(style)] ?? "General", workbook) : text;
}

/** Used for a cell that no program has calculated yet. */
function formulaOf(cell: XmlElement): string {
  const formula = elementText(childOf(cell, "f"));
  return formula === "" ? "" : `=${formula}`;
}
