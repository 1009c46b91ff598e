import { expect, describe, test } from "vitest";
import { extractPdf } from "../../src/extractors/pdf/pdf.js";
import { extractionTools, sourceFile } from "../support/extraction-tools.js";
import { isInstalled, makePdf } from "../support/pdf-producers.js";
import { writtenLines, writtenPdf } from "../support/written-pdf.js";

const body = (page: number) => [
  `The ${page} keeper walked along the pier before`,
  "the sun had come up, and counted the boats that",
  "were still at their moorings, as he had done all",
  "of the mornings since he came to the island.",
];

async function read(bytes: Uint8Array): Promise<{ text: string }> {
  const { parts } = await extractPdf(sourceFile(bytes), extractionTools());
  return { text: parts.map(({ text }) => text).join("\n\n") };
}

describe("a table in one of two columns", () => {
  const prose = (count: number) =>
    Array.from({ length: count }, (_, at) => `${at} the keeper goes on to tell of all the ships`);
  const cells = [
    ["Port", "Depth", "Ships"],
    ["Hull", "17", "812"],
    ["Kiel", "14", "310"],
    ["Emden", "11", "98"],
    ["Bremen", "9", "77"],
    ["Husum", "4", "12"],
  ];
  const table = (x: number, y: number) =>
    cells.flatMap((row, at) => row.map((text, cell) => ({ text, x: x + 70 * cell, y: y + 12 * at, size: 10 })));
  const left = writtenLines(prose(24), { x: 60, y: 100, size: 10 });
  const rightProse = writtenLines(
    prose(10).map((line) => `R${line}`),
    { x: 315, y: 196, size: 10 },
  );
  const rows = cells.map((row) => `| ${row.join(" | ")} |`);

  test.each([
    ["column by column", [...left, ...table(315, 100), ...rightProse]],
    [
      "row by row",
      [...left, ...table(315, 100), ...rightProse].toSorted((one, other) => one.y - other.y || one.x - other.x),
    ],
  ])("is not mixed with the other column, written %s", async (_, texts) => {
    const { text } = await read(writtenPdf([texts]));
    for (const row of rows) expect(text.split("\n")).toContain(row);
    expect(text.replaceAll("\n", " ")).toContain(prose(24).join(" "));
  });

  test.each([["column by column"], ["row by row"]])("nor is a table alone next to text, written %s", async (order) => {
    const story = writtenLines([...body(1), ...body(2), ...body(3)], { x: 60, y: 100, size: 10 });
    const both = [...story, ...table(315, 100)];
    const byRow = both.toSorted((one, other) => one.y - other.y || one.x - other.x);
    const { text } = await read(writtenPdf([order === "row by row" ? byRow : both]));
    for (const row of rows) expect(text.split("\n")).toContain(row);
    expect(text.replaceAll("\n", " ")).toContain(body(1).join(" "));
  });

  test("but cells of prose stay in their rows", async () => {
    const story = writtenLines([...body(1), ...body(2), ...body(3)], { x: 260, y: 100, size: 10 });
    const labels = [1, 2, 3].flatMap((row) => [
      { text: `Pier ${row}`, x: 60, y: 52 + 48 * row, size: 10 },
      { text: `${row * 70}`, x: 160, y: 52 + 48 * row, size: 10 },
    ]);
    const byRow = [...labels, ...story].toSorted((one, other) => one.y - other.y || one.x - other.x);
    const { text } = await read(writtenPdf([byRow]));
    expect(text).toMatch(/Pier 2\D+140\D+2 keeper/);
  });

  test("nor next to many short sentences, written column by column", async () => {
    const { text } = await read(writtenPdf([[...left, ...table(315, 100)]]));
    for (const row of rows) expect(text.split("\n")).toContain(row);
  });

  test.skipIf(!isInstalled("chromium"))(
    "by chromium (skipped if it is not installed)",
    async () => {
      const sentence = "The keeper goes on to tell of all the ships that came into the harbour in the spring. ";
      const html = `<div style="columns:2"><p>${sentence.repeat(8)}</p><table style="break-inside:avoid">${cells.map((row) => `<tr>${row.map((cell) => `<td style="padding:0 14px">${cell}</td>`).join("")}</tr>`).join("")}</table><p>${sentence.repeat(20)}</p></div>`;
      const { text } = await read(makePdf("chromium", html));
      for (const row of rows) expect(text.split("\n")).toContain(row);
      expect(text.replaceAll("\n", " ")).toContain(sentence.repeat(3).trim());
    },
    60_000,
  );
});

test("the last page with only its left column filled, below a wide header, has no broken lines", async () => {
  const lines = [
    "The keeper of the light walked along the old pier",
    "until the sun had come up over the quiet harbour.",
    "Then the boats of the night came in one by one to",
    "their moorings, and he counted every one of them.",
    "No storm had been seen for a week by those who go",
    "out there, and the water lay as still as a mirror.",
  ];
  const header = [
    { text: "3 RESULTS", x: 60, y: 60, size: 10 },
    { text: "3", x: 540, y: 60, size: 10 },
  ];
  const { text } = await read(writtenPdf([[...header, ...writtenLines(lines, { x: 60, y: 100, size: 10 })]]));
  expect(text).toBe(`3 RESULTS 3\n\n${lines.join(" ")}`);
});
