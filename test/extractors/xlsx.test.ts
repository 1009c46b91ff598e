import { parse } from "csv-parse/sync";
import { strToU8, unzipSync, zipSync } from "fflate";
import { describe, expect, test } from "vitest";
import { showNumber } from "../../src/extractors/open-xml/number-format.js";
import { extractXlsx } from "../../src/extractors/open-xml/xlsx.js";
import { tableRows, textOfAll } from "../support/extraction-measures.js";
import { extractionTools, sourceFile } from "../support/extraction-tools.js";
import { extractorFixture } from "../support/extractor-fixtures.js";
import { describeHostileFiles, ZIP_MAGIC } from "../support/hostile-files.js";
import { madeBySoffice } from "../support/made-by-programs.js";
import { isInstalled } from "../support/pdf-producers.js";
import { sampleSheets } from "../support/sample-sheets.js";

const read = (bytes: Uint8Array) => extractXlsx(sourceFile(bytes), extractionTools());

test("a workbook becomes a table per sheet, with numbers and dates as shown", async () => {
  const { parts, notes, type } = await read(extractorFixture("prices.xlsx"));
  expect(type).toBe("text");
  expect(parts.map(({ place }) => place)).toEqual([
    { sheet: "Sales & more", range: "A1:L13" },
    { sheet: "Archive", range: "A1:L4" },
  ]);
  expect(notes).toEqual(["The sheet “Archive” is hidden."]);
  expect(parts[0]?.text.split("\n").slice(0, 5)).toEqual([
    "## Sales & more",
    "",
    "| Item | Price | Share | Day | Moment | Weekday | Length | Tiny | Count | Code | Plain | Note |",
    `|${" --- |".repeat(12)}`,
    "| amber 0 | 1,435.05 € | 59.4% | 2 May 2014 | 2014-05-02 12:38 | Friday, May 02 | 37:16:15 | 9.56E-01 | 3,069,275 | 74666 | 107.893 | note 0 |",
  ]);
});

test.skipIf(!isInstalled("soffice"))(
  "450 rows show what LibreOffice shows, in parts that repeat the header (needs soffice)",
  { timeout: 120_000 },
  async () => {
    const workbook = madeBySoffice("sheets.fods", sampleSheets(450), "xlsx");
    const csv = madeBySoffice("sheets.xlsx", workbook, "csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,true,true");
    const expected: string[][] = parse(Buffer.from(csv));
    const { parts } = await read(workbook);
    const sales = parts.filter(({ place }) => place.sheet === "Sales & more");
    expect(sales.map(({ place }) => place.range)).toEqual(["A1:L201", "A202:L401", "A402:L451"]);
    const [header, ...rows] = sales
      .map(({ text }) => tableRows(text))
      .flatMap((rows, part) => (part === 0 ? rows : rows.slice(1)));
    expect(sales.map(({ text }) => tableRows(text)[0])).toEqual(Array(3).fill(header));
    const cells = [header ?? [], ...rows].flat();
    const wrong = expected.flat().filter((cell, index) => cell !== cells[index]);
    expect({ cells: cells.length, wrong }).toEqual({ cells: 451 * 12, wrong: [] });
  },
);

describe("numbers are shown as Excel does", () => {
  const cases: readonly (readonly [value: number, code: string, shown: string])[] = [
    [0.1 + 0.2, "General", "0.3"],
    [1234567.891, "#,##0.00", "1,234,567.89"],
    [-5, "0.00;[Red](0.00)", "(5.00)"],
    [0, '0;-0;"none"', "none"],
    [0, '#,##0.00;;"none"', "none"],
    [-5, '#,##0.00;;"none"', ""],
    [7, '#,##0.00;;"none"', "7.00"],
    [-0.4, "0", "0"],
    [0.256, "0%", "26%"],
    [12, "# ?/?", "12"],
    [2.75, "# ?/?", "2 3/4"],
    [5551234, "000-0000", "555-1234"],
    [1500000, '0.0,,"M"', "1.5M"],
    [1234.5, "_-[$€-2]* #,##0.00_-", "€1,234.50"],
    [12.5, '#,##0.##" kg"', "12.5 kg"],
    [46082, "d mmmm yyyy", "1 March 2026"],
    [46082.75, "yyyy-mm-dd h:mm AM/PM", "2026-03-01 6:00 PM"],
    [1.5, "[h]:mm:ss", "36:00:00"],
    [0.000011574, "mm:ss.00", "00:01.00"],
    [59, "d/m/yyyy", "28/2/1900"],
    [-1, "yyyy-mm-dd", "-1"],
    [150, '[>=100]"much";[<100]"little"', "much"],
    [0.00012345, "0.00E+00", "1.23E-04"],
    [1e300, "#,##0.00", "1E+300"],
  ];
  test.each(cases)("%d as %s is %s", (value, code, shown) => {
    expect(showNumber(value, code, { is1904: false })).toBe(shown);
  });

  test("dates count from 1904 when the workbook says so", () => {
    expect(showNumber(0, "yyyy-mm-dd", { is1904: true })).toBe("1904-01-01");
  });
});

/** The fixture with a different first sheet. */
function withSheet(rows: string): Uint8Array {
  const entries = unzipSync(extractorFixture("prices.xlsx"));
  return zipSync({
    ...entries,
    "xl/worksheets/sheet1.xml": strToU8(
      `<x:worksheet xmlns:x="urn:x"><x:sheetData>${rows.replaceAll("<", "<x:").replaceAll("<x:/", "</x:")}</x:sheetData></x:worksheet>`,
    ),
  });
}
const inline = (place: string, text: string) => `<c r="${place}" t="inlineStr"><is><r><t>${text}</t></r></is></c>`;

test("all kinds of cells, a title above the table, empty rows and columns, and another prefix are read", async () => {
  const rows = [
    `<row r="2">${inline("C2", "Report of May")}</row>`,
    `<row r="4">${inline("C4", "Name")}${inline("E4", "Value")}</row>`,
    `<row r="6">${inline("C6", "a|b")}<c r="E6" t="b"><v>1</v></c></row>`,
    `<row>${inline("C7", "two")}<c r="E7" t="e"><v>#DIV/0!</v></c></row>`,
    `<row><c r="C8" t="str"><f>A1</f><v>three</v></c><c r="E8"><f>SUM(A1:A3)</f></c></row>`,
    `<row><c r="C9" t="s"><v>99999</v></c><c r="D9"/><c r="XFE9"><v>7</v></c></row>`,
  ];
  const [part] = (await read(withSheet(rows.join("")))).parts;
  expect(part?.place).toEqual({ sheet: "Sales & more", range: "C2:E9" });
  const table = [
    "| Name | Value |",
    "| --- | --- |",
    "| a\\|b | TRUE |",
    "| two | #DIV/0! |",
    "| three | =SUM(A1:A3) |",
    "|  | 7 |",
  ];
  expect(part?.text).toBe(`## Sales & more\n\nReport of May\n\n${table.join("\n")}`);
});

test("distant cells and many long texts end at the text limit, with a note", async () => {
  const far = Array.from(
    { length: 5_000 },
    (_, index) => `<row r="${index + 1}"><c r="XFD${index + 1}"><v>1</v></c><c r="A${index + 1}"><v>2</v></c></row>`,
  );
  const { parts } = await read(withSheet(far.join("")));
  expect(textOfAll({ parts }).length).toBeLessThan(200_000);
  const long = `<row>${Array.from({ length: 16_000 }, () => `<c t="s"><v>0</v></c>`).join("")}</row>`.repeat(20);
  const entries = unzipSync(withSheet(long));
  const shared = strToU8(`<sst><si><t>${"long text ".repeat(3_000)}</t></si></sst>`);
  const limits = { maximumTextBytes: 1_000_000 };
  const began = performance.now();
  const cut = await extractXlsx(
    sourceFile(zipSync({ ...entries, "xl/sharedStrings.xml": shared })),
    extractionTools({ limits }),
  );
  expect(performance.now() - began).toBeLessThan(5_000);
  expect(Buffer.byteLength(textOfAll(cut))).toBeLessThanOrEqual(1_000_000);
  expect(cut.notes.at(-1)).toBe(
    "The text is longer than 1,000,000 bytes; the rest was left out (RECOLLECT_READ_MAX_TEXT_BYTES).",
  );
});

describeHostileFiles("workbooks of Excel", {
  load: () => Promise.resolve(extractXlsx),
  fixture: () => extractorFixture("prices.xlsx"),
  magic: ZIP_MAGIC,
});
