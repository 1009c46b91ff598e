import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { ExtractionTools } from "../../src/extractors/format-extractor.js";
import { extractPdf } from "../../src/extractors/pdf/pdf.js";
import { extractionTools, sourceFile, USUAL_LIMITS } from "../support/extraction-tools.js";
import { inFolder, isInstalled, makePdf, run } from "../support/pdf-producers.js";
import { writtenLines, writtenPdf, type WrittenText } from "../support/written-pdf.js";

const body = (page: number) => [
  `The ${page} keeper walked along the pier before the sun had come up over the water, and`,
  "counted the boats that were still at their moorings, as he had done each morning since he",
  "came to the island. The storm had taken two of them, and a third lay on its side in the mud.",
  "He wrote down the names of all of them in the book that hangs beside the door of the office.",
];

function fixture(name: string): Uint8Array {
  return readFileSync(join(import.meta.dirname, "../fixtures/extractors", name));
}

async function read(bytes: Uint8Array, changes: Partial<ExtractionTools> = {}) {
  const { parts, notes } = await extractPdf(sourceFile(bytes), extractionTools(changes));
  return { parts, notes, text: parts.map(({ text }) => text).join("\n\n") };
}

/** Pages with the same body and with further lines, by page number from 1. */
function pagesWith(count: number, others: (page: number) => readonly WrittenText[]): WrittenText[][] {
  return Array.from({ length: count }, (_, at) => [
    ...writtenLines(body(at + 1), { x: 72, y: 140, size: 11 }),
    ...others(at + 1),
  ]);
}

describe("text at the edges of pages", () => {
  const edge = (text: string, y: number, size = 9, x = 72): WrittenText => ({ text, x, y, size });

  test("is kept if it differs in more than the page number", async () => {
    const net = ["2113.40", "2098.11", "2140.07", "2113.41"];
    const pages = pagesWith(4, (page) => [
      edge(`Payslip 0${page} 2025`, 60, 11),
      edge(`Invoice 20${page * 17}`, 75, 11),
      edge(`Net pay: ${net[page - 1] ?? ""} euros`, 780, 11),
    ]);
    const { text } = await read(writtenPdf(pages));
    for (const page of [1, 2, 3, 4]) {
      expect(text).toContain(`Payslip 0${page} 2025`);
      expect(text).toContain(`Invoice 20${page * 17}`);
      expect(text).toContain(`Net pay: ${net[page - 1] ?? ""} euros`);
    }
  });

  test("is kept if it is a heading, even a numbered one", async () => {
    const pages = pagesWith(5, (page) => [edge(`Station ${page + 10}`, 70, 18), edge("Remarks", 790, 14)]);
    const { text } = await read(writtenPdf(pages));
    for (const page of [1, 2, 3, 4, 5]) expect(text).toContain(`# Station ${page + 10}`);
    expect(text.match(/Remarks/g)).toHaveLength(5);
  });

  test("is kept on few pages, and if it follows the text without a gap", async () => {
    const few = await read(writtenPdf(pagesWith(2, () => [edge("Harbour office", 60)])));
    expect(few.text.match(/Harbour office/g)).toHaveLength(2);
    const near = await read(writtenPdf(pagesWith(4, () => [edge("Signed by the keeper", 192, 11)])));
    expect(near.text.match(/Signed by the keeper/g)).toHaveLength(4);
  });

  test.each([
    ["3", (page: number) => `${page}`],
    ["- 3 -", (page: number) => `- ${page} -`],
    ["Page 3 of 4", (page: number) => `Page ${page} of 4`],
    ["Seite 3", (page: number) => `Seite ${page + 6}`],
    ["iii", (page: number) => ["i", "ii", "iii", "iv"][page - 1] ?? ""],
    ["Harbour report | 3", (page: number) => `Harbour report | ${page}`],
  ])("is dropped if it is the page number, as in `%s`", async (_, footer) => {
    const { text } = await read(writtenPdf(pagesWith(4, (page) => [edge(footer(page), 800)])));
    for (const page of [1, 2, 3, 4]) expect(text.split(/\n+/)).not.toContain(footer(page));
  });

  test("is dropped if it numbers two pages, also far above the edge as in LaTeX", async () => {
    const two = await read(writtenPdf(pagesWith(2, (page) => [edge(`${page}`, 704, 10, 300)])));
    expect(two.text).not.toMatch(/^\d$/m);
    const one = await read(writtenPdf(pagesWith(1, () => [edge("1", 704, 10, 300)])));
    expect(one.text).toMatch(/^1$/m);
  });

  test("is dropped if it is the same on most pages, next to the page number", async () => {
    const pages = pagesWith(5, (page) =>
      page === 1
        ? []
        : [edge("Journal of Shores", 50), edge(`${page}`, 50, 9, 500), edge("ACME Ltd, Pier 7, Hull", 800)],
    );
    const { text } = await read(writtenPdf(pages));
    expect(text).not.toMatch(/Journal of Shores|ACME|^\d$/m);
  });

  test("is dropped if it counts the pages, however close the text follows", async () => {
    const pages = pagesWith(4, (page) => [edge("Harbour report", 125, 11), edge(`${page}`, 125, 11, 500)]);
    expect((await read(writtenPdf(pages))).text).not.toMatch(/Harbour report|^\d$/m);
  });

  test("is kept if its numbers do not follow the pages", async () => {
    const totals = [12, 840, 7, 33];
    const { text } = await read(writtenPdf(pagesWith(4, (page) => [edge(`${totals[page - 1] ?? ""}`, 800)])));
    for (const total of totals) expect(text.split(/\n+/)).toContain(`${total}`);
  });
});

describe("superscripts and subscripts", () => {
  test("are distinguished from figures on the line", async () => {
    const texts: WrittenText[] = [
      { text: "About 10", x: 72, y: 100, size: 12 },
      { text: "6", x: 118.7, y: 95, size: 7 },
      { text: " litres of H", x: 122.6, y: 100, size: 12 },
      { text: "2", x: 176.7, y: 102.5, size: 7 },
      { text: "O a day reach the basin", x: 180.7, y: 100, size: 12 },
      ...writtenLines(body(1), { x: 72, y: 140, size: 12 }),
    ];
    expect((await read(writtenPdf([texts]))).text).toContain("About 10⁶ litres of H₂O a day reach the basin");
  });

  test.skipIf(!isInstalled("chromium"))(
    "by chromium (skipped if it is not installed)",
    async () => {
      const html =
        "<p>The plant moves 10<sup>6</sup> litres of H<sub>2</sub>O a day, and 5 m<sup>3</sup> of CO<sub>2</sub> on the 19<sup>th</sup>.</p>";
      const { text } = await read(makePdf("chromium", html));
      expect(text).toContain("10⁶ litres of H₂O a day, and 5 m³ of CO₂ on the 19th.");
    },
    60_000,
  );
});

describe("headings", () => {
  test("a heading of two lines is one heading, also across columns", async () => {
    const heading = writtenLines(["Field report on the Ostrava heat", "network"], { x: 72, y: 90, size: 24 }, 1.15);
    const column = (x: number, letter: string) =>
      writtenLines(
        Array.from({ length: 20 }, (_, at) => `${letter} line ${at} of a column that is full of wo`),
        { x, y: 170, size: 10 },
      );
    const over = await read(writtenPdf([[...heading, ...column(72, "Left"), ...column(310, "Right")]]));
    expect(over.text.match(/^#+ .*/gm)).toEqual(["# Field report on the Ostrava heat network"]);
    const plain = [...heading, ...writtenLines(body(1), { x: 72, y: 170, size: 11 })];
    expect((await read(writtenPdf([plain]))).text.match(/^#+ .*/gm)).toEqual([
      "# Field report on the Ostrava heat network",
    ]);
  });

  test("the body text of a page is not a heading because the rest of the document is smaller", async () => {
    const letter = [
      { text: "A letter to the keeper", x: 72, y: 80, size: 18 },
      ...writtenLines(body(1).slice(0, 2), { x: 72, y: 120, size: 12 }),
      ...writtenLines(body(2).slice(1), { x: 72, y: 170, size: 12 }),
    ];
    const paper = Array.from({ length: 3 }, (_, page) => [
      { text: `Results of year ${page}`, x: 72, y: 80, size: 12 },
      ...Array.from({ length: 6 }, (__, at) => writtenLines(body(at), { x: 72, y: 110 + 60 * at, size: 9 })).flat(),
    ]);
    const { text } = await read(writtenPdf([letter, ...paper]));
    expect(text.match(/^#+ .*/gm)).toEqual([
      "# A letter to the keeper",
      "## Results of year 0",
      "## Results of year 1",
      "## Results of year 2",
    ]);
  });
});

describe("a letter, a scan and a paper in one file", () => {
  const isMissing = !["qpdf", "chromium"].every(isInstalled);

  test.skipIf(isMissing)(
    "each keep their content (skipped if qpdf or chromium is not installed)",
    async () => {
      const sentence = "The stations were read each hour by two observers who wrote what they saw into one book. ";
      const heading = "Field report on the Ostrava heat network and its long pipes";
      const letter = `<style>body{font-size:15pt}</style><p>Dear keeper,</p><p>${sentence.repeat(2)}</p><p>${sentence.repeat(3)}</p><p>Yours, Ada</p>`;
      const column = (title: string) => `<h2>${title}</h2><p>${sentence.repeat(14)}</p>`;
      const paper = `<style>body{font-size:9pt}h1{font-size:24pt}h2{font-size:12pt}</style><h1>${heading}</h1><div style="columns:2">${column("Flow")}${column("Losses in the pipes")}</div>`;
      const files = [makePdf("chromium", letter), fixture("scan-gs.pdf"), makePdf("chromium", paper)];
      const merged = inFolder((folder) => {
        const names = files.map((file, at) => {
          writeFileSync(join(folder, `${at}.pdf`), file);
          return `${at}.pdf`;
        });
        run("qpdf", ["--empty", "--pages", ...names, "--", "merged.pdf"], folder);
        return readFileSync(join(folder, "merged.pdf"));
      });
      const { text } = await read(merged, { recogniseText: () => Promise.resolve("What the scan shows") });
      const titles = text.match(/^#+ .*/gm)?.map((line) => line.replace(/^#+ /, ""));
      expect(titles).toEqual([heading, "Flow", "Losses in the pipes"]);
      expect(text).toContain("Dear keeper,");
      expect(text).toContain("What the scan shows");
      expect(text.replaceAll("\n", " ").split(sentence.trim())).toHaveLength(2 + 3 + 14 + 14 + 1);
    },
    90_000,
  );
});

describe("the text limit", () => {
  test("is counted in bytes", async () => {
    const pages = pagesWith(4, () => [{ text: "\xe4".repeat(60), x: 72, y: 400, size: 11 }]);
    const { parts, notes } = await read(writtenPdf(pages), { limits: { ...USUAL_LIMITS, maximumTextBytes: 900 } });
    const bytes = Buffer.byteLength(parts.map(({ text }) => text).join(""));
    expect(bytes).toBeLessThanOrEqual(900);
    expect(bytes).toBeGreaterThan(800);
    expect(notes).not.toEqual([]);
  });

  test("includes text read from pictures", async () => {
    const pictures: Uint8Array[] = [];
    const recogniseText = (image: Uint8Array) => {
      pictures.push(image);
      return Promise.resolve("\u6f22".repeat(400));
    };
    const scans = fixture("mixed-scan.pdf");
    const { parts } = await read(scans, { recogniseText, limits: { ...USUAL_LIMITS, maximumTextBytes: 1_000 } });
    expect(Buffer.byteLength(parts.map(({ text }) => text).join(""))).toBeLessThanOrEqual(1_000);
    const none = await read(scans, { recogniseText, limits: { ...USUAL_LIMITS, maximumTextBytes: 20 } });
    expect(pictures).toHaveLength(1);
    expect(none.notes.join(" ")).toMatch(/longer than 20 bytes/);
  });
});
