import { describe, expect, test } from "vitest";
import { extractRtf } from "../../src/extractors/rich-text/rtf.js";
import { measure, textOfAll } from "../support/extraction-measures.js";
import { extractionTools, sourceFile } from "../support/extraction-tools.js";
import { extractorFixture } from "../support/extractor-fixtures.js";
import { describeHostileFiles, outcomeOf } from "../support/hostile-files.js";
import { madeByPandoc, madeBySoffice } from "../support/made-by-programs.js";
import { isInstalled } from "../support/pdf-producers.js";
import { sampleText } from "../support/sample-documents.js";

const read = (bytes: Uint8Array) => extractRtf(sourceFile(bytes), extractionTools());
const textOf = async (rtf: string) => textOfAll(await read(Buffer.from(`{\\rtf1\\ansi ${rtf}}`, "latin1")));

test("headings, notes, links, lists, tables and code of rich text", async () => {
  const { title, author, parts } = await read(extractorFixture("garden.rtf"));
  expect([title, author]).toEqual(["Garden book", "Ada Sample"]);
  const text = textOfAll({ parts });
  const expected = [
    "# Garden book",
    "# Soil and water\n\nGood soil holds water.[^1] It smells of rain and [compost](https://example.org/compost).",
    "- Loam\n   - dark loam\n- Sand\n\n1. Dig\n2. Rake",
    "| Tool | Price | Note |\n| --- | --- | --- |\n| Spade | 25 | steel \\| wood |\n| Rake | 12 | for leaves |",
    "```\ndef water(plant):\n    return plant + 1\n```",
    "Über Äpfel: naïve café, 東京, Ω.\n\n[^1]: Clay holds too much of it.",
  ];
  expect(expected.filter((block) => !text.includes(block))).toEqual([]);
});

describe("a long text is extracted completely and in order", () => {
  const sample = sampleText(12);
  const whole = { recall: 1, order: 1, headings: 1, cells: 1 };

  test.skipIf(!isInstalled("pandoc"))("from pandoc (needs pandoc)", async () => {
    expect(measure(textOfAll(await read(madeByPandoc(sample.markdown, "rtf"))), sample)).toEqual(whole);
  });

  test.skipIf(!isInstalled("pandoc") || !isInstalled("soffice"))(
    "from LibreOffice (needs pandoc, soffice)",
    async () => {
      const rtf = madeBySoffice("sample.docx", madeByPandoc(sample.markdown, "docx"), "rtf");
      expect(measure(textOfAll(await read(rtf)), sample)).toEqual(whole);
    },
  );
});

test("characters of code pages and Unicode are decoded", async () => {
  const fonts = "{\\fonttbl{\\f0 Arial;}{\\f1\\fcharset204 Arial;}{\\f2\\fcharset128 Mincho;}}";
  expect(await textOf(`\\ansicpg1252 ${fonts}caf\\'e9 {\\f1 \\'ff\\'e1} {\\f2 \\'93\\'8c\\'8b\\'9e}`)).toBe(
    "café яб 東京",
  );
  expect(await textOf("\\ansicpg1250 \\'9a\\u8364? \\uc2\\u937\\'83\\'b6!\\uc0\\u-10179\\u-8704")).toBe("š€ Ω!😀");
  expect(await textOf("a\\~b\\_c\\-d\\emdash\\{\\\\\\} \\lquote x\\rquote")).toBe("a b-cd—{\\} ‘x’");
});

test("hidden, deleted and unknown text is skipped, but not text in shapes", async () => {
  const rtf =
    "A{\\v hidden}{\\deleted gone}{\\*\\unknown no}{\\pict 00ff}{\\object{\\*\\objdata 01}{\\result r}}{\\header head}B{\\v0 C}\\bin3 }}}D{\\shp{\\*\\shpinst{\\sp{\\sn x}{\\sv y}}{\\shptxt box\\par}}}";
  expect((await textOf(rtf)).replace(/\s+/g, " ")).toBe("ABCDbox");
});

test("a negative number of ten digits is not text", async () => {
  expect(
    await textOf("Rent: {\\deleted\\revdttmdel-2016342016 seven}{\\revised\\revdttm-2016342016\nnine} crowns"),
  ).toBe("Rent: nine crowns");
});

test("a LibreOffice heading with invisible numbering is not a list item", async () => {
  const numbering = "{\\listtext\\pard\\plain \\tab}\\ls1\\li0";
  expect(await textOf(`\\pard\\plain\\s1\\outlinelevel0{${numbering} Lease}\\par\\pard\\plain Rent.\\par`)).toBe(
    "# Lease\n\nRent.",
  );
});

test("nested groups and very large files are read in linear time", async () => {
  expect(await outcomeOf(extractRtf, Buffer.from(`{\\rtf1 ${"{".repeat(1_000_000)}`))).toBe("too_large");
  const lines = "{\\pard\\li360 \\bullet\\tab Item \\'e9\\u8364?\\par}\n".repeat(100_000);
  expect(await outcomeOf(extractRtf, Buffer.from(`{\\rtf1 ${lines}}`))).toBe("read");
  expect(await outcomeOf(extractRtf, Buffer.from(`{\\rtf1 ${"x".repeat(5_000_000)}\\par}`))).toBe("read");
});

describeHostileFiles("rich text", {
  load: () => Promise.resolve(extractRtf),
  fixture: () => extractorFixture("garden.rtf"),
  magic: "{\\rtf1",
});

test("unknown control words are skipped, whatever their names", async () => {
  expect(await textOf("Hello \\constructor world \\toString\\par")).toBe("Hello world");
});
