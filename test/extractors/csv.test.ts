import { expect, test } from "vitest";
import type { ExtractedContent } from "../../src/core/documents/content-ports.js";
import { extractCsv } from "../../src/extractors/csv.js";
import { extractionTools, sourceFile } from "../support/extraction-tools.js";
import { survive, surviveHostileBytes } from "../support/hostile-bytes.js";

function read(text: string | Uint8Array): Promise<ExtractedContent> {
  return extractCsv(sourceFile(Buffer.from(text)), extractionTools());
}

test("rows become tables of a hundred that repeat the header row and have cell ranges", async () => {
  const rows = Array.from({ length: 250 }, (_, index) => `person ${index},${index * 3},"Main St ${index}, Berlin"`);
  const { parts, type } = await read(["name,age,address", ...rows].join("\n"));
  expect(type).toBe("text");
  expect(parts.map(({ place }) => place.range)).toEqual(["A2:C101", "A102:C201", "A202:C251"]);
  for (const { text } of parts) expect(text).toMatch(/^\| name \| age \| address \|\n\| --- \| --- \| --- \|\n/);
  const lines = parts.flatMap(({ text }) => text.split("\n").slice(2));
  expect(lines).toEqual(rows.map((_, index) => `| person ${index} | ${index * 3} | Main St ${index}, Berlin |`));
});

test.each([
  ["semicolons", "Name;Preis\nBrot;2,50\nMilch;1,20\n"],
  ["tabs", "Name\tPreis\nBrot\t2,50\nMilch\t1,20\n"],
  ["pipes", "Name|Preis\nBrot|2,50\nMilch|1,20\n"],
  ["separators declared in a line", "sep=;\r\nName;Preis\r\nBrot;2,50\r\nMilch;1,20\r\n"],
])("%s are recognised as cell separators", async (_name, text) => {
  const { parts } = await read(text);
  expect(parts[0]?.text).toBe("| Name | Preis |\n| --- | --- |\n| Brot | 2,50 |\n| Milch | 1,20 |");
});

test("quoted line breaks, quotes and pipes stay in their cell", async () => {
  const { parts } = await read('id,remark\n1,"two\nlines"\n2,"says ""yes"" | no"\n');
  expect(parts).toEqual([
    {
      text: '| id | remark |\n| --- | --- |\n| 1 | two lines |\n| 2 | says "yes" \\| no |',
      place: { range: "A2:B3" },
    },
  ]);
});

test("UTF-16 and Windows-1252 are read, the latter with a note", async () => {
  const table = "Ort,Straße\nKöln,Große Straße\n";
  expect((await read(Buffer.from(`\uFEFF${table}`, "utf16le"))).parts[0]?.text).toContain("| Köln | Große Straße |");
  const latin = await read(Buffer.from(table, "latin1"));
  expect(latin.parts[0]?.text).toContain("| Köln | Große Straße |");
  expect(latin.notes).toEqual(["The file does not state its encoding; it was read as windows-1252."]);
});

test("columns without names are named by letters", async () => {
  const { parts } = await read("1,2026-01-02,4.5\n2,2026-01-03,5.5\n");
  expect(parts[0]).toEqual({
    text: "| A | B | C |\n| --- | --- | --- |\n| 1 | 2026-01-02 | 4.5 |\n| 2 | 2026-01-03 | 5.5 |",
    place: { range: "A1:C2" },
  });
});

test("years may be column names", async () => {
  const { parts } = await read("Region,2024,2025\nNorth,1,2\n");
  expect(parts[0]?.text).toMatch(/^\| Region \| 2024 \| 2025 \|/);
});

test("lines above the table are text, and empty lines count in row numbers", async () => {
  const { parts } = await read("Sales report of the north\n\nname,sum,month\nanna,1,may\nbob,2,june\n");
  expect(parts).toEqual([
    { text: "Sales report of the north", place: { range: "A1:A1" } },
    {
      text: "| name | sum | month |\n| --- | --- | --- |\n| anna | 1 | may |\n| bob | 2 | june |",
      place: { range: "A4:C5" },
    },
  ]);
});

test("ragged rows keep every cell, and empty trailing columns are dropped", async () => {
  const { parts } = await read("a,b,,\n1,2,3,,\n4\n");
  expect(parts[0]?.text).toBe("| a | b |  |\n| --- | --- | --- |\n| 1 | 2 | 3 |\n| 4 |");
});

test("a missing quotation mark loses nothing", async () => {
  const { parts, notes } = await read('name,remark\nanna,"never closed\nbob,fine\n');
  expect(parts[0]?.text).toContain("never closed");
  expect(parts[0]?.text).toContain("| bob | fine |");
  expect(notes).toHaveLength(1);
});

test("rows and text beyond the limits are left out with a note", async () => {
  const text = `name,number\n${"x,1\n".repeat(50)}`;
  const few = await extractCsv(sourceFile(Buffer.from(text)), extractionTools({ limits: { maximumEntries: 11 } }));
  expect(few.parts[0]?.place.range).toBe("A2:B11");
  expect(few.notes).toEqual(["Only the first 11 rows were read."]);
  const short = await extractCsv(sourceFile(Buffer.from(text)), extractionTools({ limits: { maximumTextBytes: 60 } }));
  expect(short.parts[0]?.text.length).toBeLessThanOrEqual(60);
  expect(short.notes).toHaveLength(1);
});

test("empty, truncated, changed and endless files end in a result or a reason", async () => {
  await expect(read("")).rejects.toMatchObject({ reason: "empty" });
  await expect(read("\n,,\n")).rejects.toMatchObject({ reason: "empty" });
  await surviveHostileBytes(extractCsv, Buffer.from('name;age\n"Müller; Anna";31\nBob;"4\n2"\n'.repeat(40)));
  await survive(extractCsv, Buffer.from(",".repeat(3_000_000)));
  await survive(extractCsv, Buffer.from(`${",a".repeat(200_000)}\n${"b\n".repeat(9_000)}`));
  await survive(extractCsv, Buffer.from('"'.repeat(1_000_001)));
  await survive(extractCsv, Buffer.from('"a'.repeat(1_000_001)));
});
