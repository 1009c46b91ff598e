import { strToU8, unzipSync, zipSync } from "fflate";
import { describe, expect, test } from "vitest";
import { extractOdt } from "../../src/extractors/open-document/odt.js";
import { measure, textOfAll } from "../support/extraction-measures.js";
import { extractionTools, sourceFile } from "../support/extraction-tools.js";
import { extractorFixture } from "../support/extractor-fixtures.js";
import { describeHostileFiles, ZIP_MAGIC } from "../support/hostile-files.js";
import { madeByPandoc, madeBySoffice } from "../support/made-by-programs.js";
import { isInstalled } from "../support/pdf-producers.js";
import { sampleText } from "../support/sample-documents.js";

const read = (bytes: Uint8Array) => extractOdt(sourceFile(bytes), extractionTools());

test("headings, notes, links, lists, tables and code of a text", async () => {
  const { title, author, parts } = await read(extractorFixture("garden.odt"));
  expect([title, author, parts.length]).toEqual(["Garden book", "Ada Sample", 1]);
  expect(textOfAll({ parts })).toBe(`# Garden book

Ada Sample

2026-03-01

# Soil and water

Good soil holds water.[^1] It smells of rain and [compost](https://example.org/compost).

- Loam
  - dark loam
- Sand

1. Dig
2. Rake

## Tools we use

| Tool | Price | Note |
| --- | --- | --- |
| Spade | 25 | steel \\| wood |
| Rake | 12 | for leaves |

\`\`\`
def water(plant):
    return plant + 1
\`\`\`

# Harvest

Über Äpfel: naïve café, 東京, Ω.

[^1]: Clay holds too much of it.`);
});

describe("a long text is extracted completely and in order", () => {
  const sample = sampleText(12);
  const whole = { recall: 1, order: 1, headings: 1, cells: 1 };

  test.skipIf(!isInstalled("pandoc"))("from pandoc (needs pandoc)", async () => {
    expect(measure(textOfAll(await read(madeByPandoc(sample.markdown, "odt"))), sample)).toEqual(whole);
  });

  test.skipIf(!isInstalled("pandoc") || !isInstalled("soffice"))(
    "from LibreOffice (needs pandoc, soffice)",
    async () => {
      const odt = madeBySoffice("sample.docx", madeByPandoc(sample.markdown, "docx"), "odt");
      expect(measure(textOfAll(await read(odt)), sample)).toEqual(whole);
    },
  );
});

function withBody(body: string): Uint8Array {
  const entries = unzipSync(extractorFixture("garden.odt"));
  const namespaces = ["office", "table", "text", "draw", "xlink"]
    .map((name) => `xmlns:${name}="urn:${name}"`)
    .join(" ");
  const content = `<office:document-content ${namespaces}><office:body><office:text>${body}</office:text></office:body></office:document-content>`;
  return zipSync({ ...entries, "content.xml": strToU8(content) });
}

test("tracked changes yield the accepted text; comments and tables of contents are left out, text boxes are not", async () => {
  const body = `<text:tracked-changes><text:changed-region><text:deletion><text:p>gone</text:p></text:deletion></text:changed-region></text:tracked-changes>
    <text:table-of-content><text:index-body><text:p>1 Contents</text:p></text:index-body></text:table-of-content>
    <text:p>Kept <text:change/>text<office:annotation><text:p>comment</text:p></office:annotation>.<draw:frame><draw:text-box><text:p>In a box</text:p></draw:text-box></draw:frame></text:p>
    <text:p># no heading</text:p><text:p>| no table</text:p>
    <text:p>Bad <text:a xlink:href="javascript:alert(1)">link</text:a>\u0081</text:p>
    <table:table><table:table-row><table:table-cell table:number-columns-repeated="2"><text:p>A</text:p></table:table-cell></table:table-row><table:table-row><table:table-cell><text:p>1</text:p><table:table><table:table-row><table:table-cell><text:p>2</text:p></table:table-cell></table:table-row></table:table></table:table-cell></table:table-row></table:table>`;
  expect(textOfAll(await read(withBody(body)))).toBe(
    "Kept text.\n\nIn a box\n\n\\# no heading\n\n\\| no table\n\nBad link\n\n| A | A |\n| --- | --- |\n| 1 2 |",
  );
});

describeHostileFiles("OpenDocument texts", {
  load: () => Promise.resolve(extractOdt),
  fixture: () => extractorFixture("garden.odt"),
  magic: ZIP_MAGIC,
});
