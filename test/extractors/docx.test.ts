import { describe, expect, test } from "vitest";
import { extractDocx } from "../../src/extractors/docx.js";
import { textOfAll } from "../support/extraction-measures.js";
import { extractionTools, sourceFile } from "../support/extraction-tools.js";
import { docx, paragraph } from "../support/made-docx.js";

async function textOf(body: string): Promise<string> {
  return textOfAll(await extractDocx(sourceFile(docx(body)), extractionTools()));
}

function cell(text: string, properties = ""): string {
  return `<w:tc><w:tcPr>${properties}</w:tcPr>${paragraph(text)}</w:tc>`;
}

function table(...rows: readonly (readonly string[])[]): string {
  return `<w:tbl><w:tblPr/>${rows.map((cells) => `<w:tr>${cells.join("")}</w:tr>`).join("")}</w:tbl>`;
}

const BEGINS = '<w:vMerge w:val="restart"/>';
const GOES_ON = "<w:vMerge/>";

describe("a table of a DOCX", () => {
  test("keeps every value in its column next to cells that span rows and columns", async () => {
    const text = await textOf(
      table(
        [cell("Quarter"), cell("Product"), cell("Sold")],
        [cell("Q1", BEGINS), cell("Lamp"), cell("12", BEGINS)],
        [cell("", GOES_ON), cell("Chair"), cell("", GOES_ON)],
        [cell("Total", '<w:gridSpan w:val="2"/>'), cell("19")],
      ),
    );
    expect(text).toBe(
      "| Quarter | Product | Sold |\n| --- | --- | --- |\n| Q1 | Lamp | 12 |\n|  | Chair |\n| Total |  | 19 |",
    );
  });

  test("stays a table when a cell contains several paragraphs", async () => {
    const two = `<w:tc>${paragraph("Lamp")}${paragraph("of brass")}</w:tc>`;
    expect(await textOf(table([cell("Product"), cell("Sold")], [two, cell("12")]))).toBe(
      "| Product | Sold |\n| --- | --- |\n| Lamp of brass | 12 |",
    );
  });
});
