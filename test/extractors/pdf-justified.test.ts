import { describe, expect, test } from "vitest";
import { extractPdf } from "../../src/extractors/pdf/pdf.js";
import { extractionTools, sourceFile } from "../support/extraction-tools.js";
import { justified, widthOf } from "../support/justified-text.js";
import { isInstalled, makePdf } from "../support/pdf-producers.js";
import { writtenPdf, type WrittenText } from "../support/written-pdf.js";

const SENTENCES = [
  "The harbour authority announced yesterday, notwithstanding considerable protests, that the northern embankment remains inaccessible.",
  "Permission is hereby granted, free of charge, to any person obtaining a copy, including without limitation the rights to use, copy, modify, merge, publish, distribute and sublicense what the keepers wrote.",
  "Documents are kept, and found by their words meanwhile; whoever removed, moved or replaced a folder under a running service takes nothing with it.",
  "Random histories of processes that killed one another are repeated, undone and redone until the catalogue says so.",
];

async function read(bytes: Uint8Array): Promise<string> {
  const { parts } = await extractPdf(sourceFile(bytes), extractionTools());
  return parts.map(({ text }) => text).join("\n\n");
}

function paragraphsAt(x: number, width: number, y = 100): WrittenText[] {
  const texts: WrittenText[] = [];
  let next = y;
  for (const sentence of SENTENCES) {
    const written = justified(sentence, { x, y: next, size: 12, width });
    texts.push(...written.texts);
    next = written.y + 6;
  }
  return texts;
}

/** Cells of a table; the named columns are right-aligned. */
function cellsAt(rows: readonly (readonly string[])[], lefts: readonly number[], y: number, rights: readonly number[]) {
  return rows.flatMap((row, at) =>
    row.map((text, column) => {
      const right = rights[column];
      return {
        text,
        x: right ? right - widthOf(text, 12) : (lefts[column] ?? 0),
        y: y + 18 * at,
        size: 12,
      };
    }),
  );
}

describe("justified text", () => {
  test.each([85, 100, 115, 130, 149, 165, 180, 232])("is not a table, in a column of %d points", async (width) => {
    const text = await read(writtenPdf([paragraphsAt(57, width)]));
    expect(text).not.toContain("| ---");
    expect(text.split("\n\n")).toEqual(SENTENCES);
  });

  test("is not a table in three columns", async () => {
    const columns = [57, 223, 389].flatMap((x) => paragraphsAt(x, 149));
    const text = await read(writtenPdf([columns]));
    expect(text).not.toContain("| ---");
    expect(text.split("\n\n")).toEqual([...SENTENCES, ...SENTENCES, ...SENTENCES]);
  });

  test.skipIf(!isInstalled("soffice"))(
    "by LibreOffice, in two and three columns (skipped if soffice is not installed)",
    async () => {
      const text = await read(makePdf("LibreOfficeWriter", columnsFodt([2, 3], [...SENTENCES, ...SENTENCES])));
      expect(text).not.toContain("| ---");
      for (const sentence of SENTENCES) expect(text.split(sentence)).toHaveLength(5);
    },
    120_000,
  );
});

describe("a table within such text", () => {
  const above = justified(SENTENCES[1] ?? "", { x: 57, y: 100, size: 12, width: 149 });
  const below = (y: number) => justified(SENTENCES[2] ?? "", { x: 57, y, size: 12, width: 149 }).texts;

  test.each([
    [
      "of two columns",
      [
        ["Bolt", "3.50"],
        ["Steel nut", "7.25"],
        ["Washer", "1200.00"],
        ["Pin", "0"],
      ],
    ],
    [
      "of three columns",
      [
        ["Bolt", "12", "3.50"],
        ["Nut", "7", "12.25"],
        ["Washer", "140", "0"],
        ["Pin", "1", "1"],
      ],
    ],
  ])("%s that fills the same column is recognised", async (_, rows) => {
    const rights = rows[0]?.length === 2 ? [0, 206] : [0, 140, 206];
    const table = cellsAt(rows, [57], above.y + 12, rights);
    const text = await read(writtenPdf([[...above.texts, ...table, ...below(above.y + 12 + 18 * rows.length)]]));
    for (const row of rows) expect(text.split("\n")).toContain(`| ${row.join(" | ")} |`);
    expect(text.match(/^\| ---/gm)).toHaveLength(1);
    expect(text.replaceAll("\n", " ")).toContain(SENTENCES[1]);
    expect(text.replaceAll("\n", " ")).toContain(SENTENCES[2]);
  });

  test("is recognised when all of its cells are equally wide", async () => {
    const rows = ["01", "02", "03", "04", "05"].map((day) => [`2024-01-${day}`, `depth 1${day}`, `ships 2${day}`]);
    const text = await read(writtenPdf([cellsAt(rows, [57, 140, 210], 100, [])]));
    for (const row of rows) expect(text.split("\n")).toContain(`| ${row.join(" | ")} |`);
  });
});

describe("a table between other content", () => {
  const rows = [
    ["Name", "Count", "Price"],
    ["Bolt", "12", "3.50"],
    ["Nut", "7", "1200.00"],
    ["Washer", "4", "0"],
  ];
  const list = ["First alpha", "Second beta", "Third epsilon"].flatMap((text, at) => [
    { text: `${at + 1}.`, x: 84, y: 100 + 16 * at, size: 12 },
    { text, x: 108, y: 100 + 16 * at, size: 12 },
  ]);
  const words = "A link and bold words, that were struck, reach over two of the columns".split(" ");
  const styled = (y: number) => {
    let x = 72;
    return words.map((text) => {
      const written = { text, x, y, size: 12 };
      x += widthOf(text, 12) + 3.9;
      return written;
    });
  };

  test("begins below a list and ends above a paragraph", async () => {
    const table = cellsAt(rows, [72], 154, [0, 325, 457]);
    const quote = [{ text: "Quote omega", x: 96, y: 254, size: 12 }];
    const text = await read(writtenPdf([[...list, ...table, ...styled(231), ...quote]]));
    const markdown = rows.map((row) => `| ${row.join(" | ")} |`).toSpliced(1, 0, "| --- | --- | --- |");
    expect(text).toContain(`Third epsilon\n\n${markdown.join("\n")}\n\n${words.join(" ")}`);
    expect(text).toMatch(/Quote omega$/);
  });

  test("ends above a list", async () => {
    const table = cellsAt(rows, [72], 40, [0, 325, 457]);
    const text = await read(writtenPdf([[...table, ...list.map((one) => ({ ...one, y: one.y + 20 }))]]));
    expect(text).toMatch(/\| Washer \| 4 \| 0 \|\n\n1\. First alpha/);
  });
});

/** A text document for LibreOffice Writer, with the justified paragraphs once per number of columns. */
function columnsFodt(columns: readonly number[], paragraphs: readonly string[]): string {
  const names = ["office", "style", "text"].map(
    (name) => `xmlns:${name}="urn:oasis:names:tc:opendocument:xmlns:${name}:1.0"`,
  );
  const justify = `<style:style style:name="P" style:family="paragraph"><style:paragraph-properties fo:margin-bottom="0.2cm" fo:text-align="justify"/></style:style>`;
  const styles = columns.map(
    (count) =>
      `<style:style style:name="S${count}" style:family="section"><style:section-properties><style:columns fo:column-count="${count}" fo:column-gap="0.6cm"/></style:section-properties></style:style>`,
  );
  const body = paragraphs.map((paragraph) => `<text:p text:style-name="P">${paragraph}</text:p>`).join("");
  const sections = columns.map(
    (count) => `<text:section text:name="s${count}" text:style-name="S${count}">${body}</text:section>`,
  );
  return `<?xml version="1.0"?><office:document ${names.join(" ")} xmlns:fo="urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0" office:version="1.2" office:mimetype="application/vnd.oasis.opendocument.text"><office:automatic-styles>${justify}${styles.join("")}</office:automatic-styles><office:body><office:text>${sections.join("")}</office:text></office:body></office:document>`;
}
