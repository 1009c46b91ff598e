import { parse } from "csv-parse/sync";
import { strToU8, unzipSync, zipSync } from "fflate";
import { expect, test } from "vitest";
import { extractOds } from "../../src/extractors/open-document/ods.js";
import { tableRows } from "../support/extraction-measures.js";
import { extractionTools, sourceFile } from "../support/extraction-tools.js";
import { extractorFixture } from "../support/extractor-fixtures.js";
import { describeHostileFiles, outcomeOf, ZIP_MAGIC } from "../support/hostile-files.js";
import { madeBySoffice } from "../support/made-by-programs.js";
import { isInstalled } from "../support/pdf-producers.js";
import { sampleSheets } from "../support/sample-sheets.js";

const read = (bytes: Uint8Array) => extractOds(sourceFile(bytes), extractionTools());

test("sheets become tables with values as shown, hidden ones with a note", async () => {
  const { parts, notes } = await read(extractorFixture("prices.ods"));
  expect(parts.map(({ place }) => place)).toEqual([
    { sheet: "Sales & more", range: "A1:L13" },
    { sheet: "Archive", range: "A1:L4" },
  ]);
  expect(notes).toEqual(["The sheet “Archive” is hidden."]);
  expect(parts[0]?.text.split("\n")[4]).toBe(
    "| amber 0 | 1,435.05 € | 59.4% | 2 May 2014 | 2014-05-02 12:38 | Friday, May 02 | 37:16:15 | 9.56E-01 | 3,069,275 | 74666 | 107.893 | note 0 |",
  );
});

test.skipIf(!isInstalled("soffice"))(
  "450 rows show what LibreOffice shows (needs soffice)",
  { timeout: 120_000 },
  async () => {
    const sheets = madeBySoffice("sheets.fods", sampleSheets(450), "ods");
    const csv = madeBySoffice("sheets.ods", sheets, "csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,true,true");
    const expected: string[][] = parse(Buffer.from(csv));
    const sales = (await read(sheets)).parts.filter(({ place }) => place.sheet === "Sales & more");
    const rows = sales.map(({ text }) => tableRows(text)).flatMap((some, part) => (part === 0 ? some : some.slice(1)));
    expect(rows).toEqual(expected);
  },
);

function withTable(rows: string): Uint8Array {
  const entries = unzipSync(extractorFixture("prices.ods"));
  const namespaces = ["office", "table", "text"].map((name) => `xmlns:${name}="urn:${name}"`).join(" ");
  const content = `<office:document-content ${namespaces}><office:body><office:spreadsheet><table:table table:name="S">${rows}</table:table></office:spreadsheet></office:body></office:document-content>`;
  return zipSync({ ...entries, "content.xml": strToU8(content) });
}

test("repeated cells and rows, cells without displayed text, covered cells and comments", async () => {
  const rows = [
    `<table:table-row table:number-rows-repeated="3"><table:table-cell table:number-columns-repeated="16384"/></table:table-row>`,
    `<table:table-row><table:table-cell table:number-columns-repeated="2"><text:p>H</text:p></table:table-cell><table:table-cell><text:p>I<text:s/>J</text:p></table:table-cell></table:table-row>`,
    `<table:table-row table:number-rows-repeated="2"><table:table-cell office:value-type="float" office:value="4.5"/><table:covered-table-cell><text:p>under</text:p></table:covered-table-cell><table:table-cell><office:annotation><text:p>comment</text:p></office:annotation><text:p>x</text:p><text:p>y</text:p></table:table-cell></table:table-row>`,
    `<table:table-row table:number-rows-repeated="1048000"><table:table-cell/></table:table-row>`,
  ];
  const [part] = (await read(withTable(rows.join("")))).parts;
  expect(part?.place).toEqual({ sheet: "S", range: "A4:C6" });
  expect(part?.text).toBe("## S\n\n| H | H | I J |\n| --- | --- | --- |\n| 4.5 |  | x y |\n| 4.5 |  | x y |");
});

test("a million repeated rows of many cells end at the text limit", async () => {
  const row = `<table:table-row table:number-rows-repeated="1048576"><table:table-cell table:number-columns-repeated="16384"><text:p>again</text:p></table:table-cell></table:table-row>`;
  const tools = extractionTools({ limits: { maximumTextBytes: 2_000_000 } });
  expect(await outcomeOf(extractOds, withTable(row.repeat(50)), tools)).toBe("read");
});

test("a password-protected file is refused as encrypted", async () => {
  const manifest = strToU8("<manifest><file-entry><encryption-data/></file-entry></manifest>");
  const locked = zipSync({ ...unzipSync(extractorFixture("prices.ods")), "META-INF/manifest.xml": manifest });
  expect(await outcomeOf(extractOds, locked)).toBe("encrypted");
});

describeHostileFiles("OpenDocument sheets", {
  load: () => Promise.resolve(extractOds),
  fixture: () => extractorFixture("prices.ods"),
  magic: ZIP_MAGIC,
});
