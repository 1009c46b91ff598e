import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { ExtractedContent } from "../../src/core/documents/content-ports.js";
import { ExtractionError } from "../../src/extractors/extraction-error.js";
import type { ExtractionTools } from "../../src/extractors/format-extractor.js";
import { extractPdf } from "../../src/extractors/pdf/pdf.js";
import { extractionTools, sourceFile } from "../support/extraction-tools.js";
import { harbourReport, reportHtml, reportLatex } from "../support/harbour-report.js";
import { isInstalled, makePdf, PRODUCERS, wordsOfPdftotext } from "../support/pdf-producers.js";
import { mutations, wordRecall } from "../support/word-recall.js";

const report = harbourReport();
const prose = report.sections.flatMap(({ heading, paragraphs }) => [heading, ...paragraphs]);
const source = [report.title, ...prose, ...report.table.flat(), ...report.items].join("\n");

function fixture(name: string): Uint8Array {
  return readFileSync(join(import.meta.dirname, "../fixtures/extractors", name));
}

function read(bytes: Uint8Array, changes: Partial<ExtractionTools> = {}): Promise<ExtractedContent> {
  return extractPdf(sourceFile(bytes, "report.pdf"), extractionTools(changes));
}

function textOf({ parts }: ExtractedContent): string {
  return parts.map(({ text }) => text).join("\n\n");
}

/** The marks at the ends of paragraphs, in the order of the text. */
function marksIn(text: string): string[] {
  return text.match(/mark\dx\d/g) ?? [];
}

function expectWholeReport(content: ExtractedContent): void {
  const text = textOf(content);
  expect(content.type).toBe("pdf");
  expect(content.title).toBe(report.title);
  expect(wordRecall(source, text)).toBeGreaterThanOrEqual(0.98);
  expect(marksIn(text)).toEqual(marksIn(source));
  for (const { heading } of report.sections) expect(text).toMatch(new RegExp(`^##? (?:\\d )?${heading}$`, "m"));
  for (const row of report.table) expect(text).toContain(`| ${row.join(" | ")} |`);
  expect(content.parts.map(({ place }) => place.page)).toEqual(content.parts.map((_, at) => at + 1));
}

describe("a report printed by a browser", () => {
  const bytes = fixture("report-chromium.pdf");

  test("keeps its words, their order, its headings and its table", async () => {
    expectWholeReport(await read(bytes));
  });

  test("drops headers and footers of its pages", async () => {
    expect(textOf(await read(bytes))).not.toMatch(/file:\/\/|\b\d\/\d$/m);
  });

  test("reports the progress of reading", async () => {
    const tools = extractionTools();
    await extractPdf(sourceFile(bytes), tools);
    expect(tools.progress.at(-1)).toEqual({ unit: "page", done: 6, total: 6 });
  });
});

describe("a paper in two columns", () => {
  const bytes = fixture("paper-latex.pdf");

  test("is read one column after the other, with hyphenated words joined", async () => {
    const content = await read(bytes);
    expectWholeReport(content);
    expect(content).toMatchObject({ author: "Ada Fisher", date: expect.stringMatching(/^\d{4}-\d\d-\d\dT/) });
    expect(textOf(content)).not.toMatch(/\p{L}-(?:\n|$)/mu);
  });

  test("drops its headers and page numbers", async () => {
    expect(textOf(await read(bytes))).not.toMatch(/Journal of Shores|Volume 7|^\d+$/m);
  });

  test("keeps its items as a list", async () => {
    expect(textOf(await read(bytes))).toContain("- first point\n- second point, which is longer");
  });

  test("ends at the limits and says so", async () => {
    const { limits } = extractionTools();
    const { parts, notes } = await read(bytes, { limits: { ...limits, maximumPages: 2 } });
    expect(parts).toHaveLength(2);
    expect(notes).toEqual([expect.stringMatching(/^Only the first 2 of \d pages were read/)]);
  });
});

describe("an encrypted PDF", () => {
  const bytes = fixture("encrypted-qpdf.pdf");

  test("requires its password", async () => {
    await expect(read(bytes)).rejects.toMatchObject({
      reason: "encrypted",
      message: expect.stringContaining("`password`"),
    });
    await expect(read(bytes, { password: "wrong" })).rejects.toMatchObject({ reason: "encrypted" });
  });

  test("opens with its password", async () => {
    expect(textOf(await read(bytes, { password: "secret" }))).toContain("Chapter 1 of waves");
  });
});

describe("scanned pages", () => {
  const bytes = fixture("mixed-scan.pdf");

  test("are read page by page, also among other pages", async () => {
    const pictures: Uint8Array[] = [];
    const recogniseText = (image: Uint8Array) => Promise.resolve(`scan ${pictures.push(image)}`);
    const { parts, notes } = await read(bytes, { recogniseText });
    expect(parts.map(({ place }) => place.page)).toEqual([1, 2, 3]);
    expect(parts[1]?.text).toBe("scan 1");
    expect(pictures).toHaveLength(1);
    expect(Buffer.from(pictures[0] ?? []).toString("latin1", 1, 4)).toBe("PNG");
    expect(notes).toEqual([]);
  });

  test("are named when OCR is unavailable", async () => {
    const { parts, notes } = await read(bytes);
    expect(parts.map(({ place }) => place.page)).toEqual([1, 3]);
    expect(notes).toEqual([expect.stringMatching(/^Pictures on Page 2 could not be read/)]);
  });

  test("are an error when there is nothing else", async () => {
    await expect(read(fixture("scan-gs.pdf"))).rejects.toMatchObject({ reason: "missing_program" });
  });
});

describe("hostile files", () => {
  const bytes = fixture("paper-latex.pdf");

  async function outcome(hostile: Uint8Array): Promise<string> {
    try {
      return (await read(hostile)).type;
    } catch (error) {
      return error instanceof ExtractionError ? error.reason : `crash: ${String(error)}`;
    }
  }

  test("that are empty, truncated or of another type end in a reason", async () => {
    const random = Buffer.concat([
      Buffer.from("%PDF-1.7\n"),
      Buffer.from(mutations(new Uint8Array(5_000), 1)[0] ?? []),
    ]);
    expect(await outcome(new Uint8Array())).toBe("damaged");
    expect(await outcome(random)).toBe("damaged");
    expect(await outcome(Buffer.from("<html>no pdf</html>"))).toBe("damaged");
    for (const part of [0.1, 0.5, 0.9, 0.99]) {
      expect(await outcome(bytes.subarray(0, bytes.length * part))).toMatch(/^(?:pdf|damaged|empty)$/);
    }
  });

  test("changed at random end in text or a reason, in time", async () => {
    const outcomes = new Set<string>();
    for (const mutated of mutations(fixture("small-latex.pdf"), 200)) {
      const began = performance.now();
      outcomes.add(await outcome(mutated));
      expect(performance.now() - began).toBeLessThan(5_000);
    }
    expect([...outcomes].filter((one) => !/^(?:pdf|damaged|empty|encrypted|missing_program)$/.test(one))).toEqual([]);
  }, 120_000);
});

describe("made on this machine", () => {
  const missing = (program: string) => (isInstalled(program) ? "" : ` (left out: ${program} is not installed)`);

  for (const producer of ["chromium", "LibreOffice", "LaTeX"] as const) {
    const { program, source: name } = PRODUCERS[producer];
    test.skipIf(!isInstalled(program))(
      `by ${producer}: the whole report${missing(program)}`,
      async () => {
        const bytes = makePdf(producer, name === "source.tex" ? reportLatex(report) : reportHtml(report));
        const content = await read(bytes);
        expectWholeReport(content);
        if (isInstalled("pdftotext")) expectNoLessThanPdftotext(bytes, content);
      },
      120_000,
    );
  }

  test.skipIf(!isInstalled("gs"))(
    `by ghostscript: the whole paper${missing("gs")}`,
    async () => {
      const bytes = makePdf("ghostscript", fixture("paper-latex.pdf"));
      const content = await read(bytes);
      expectWholeReport(content);
      if (isInstalled("pdftotext")) expectNoLessThanPdftotext(bytes, content);
    },
    120_000,
  );

  function expectNoLessThanPdftotext(bytes: Uint8Array, content: ExtractedContent): void {
    const edges = /^(?:Journal of Shores|Volume 7|\d+(?:\/\d+)?|file:.*|\d+\/\d+\/\d+, .*|Report of the harbours)$/gm;
    const others = wordsOfPdftotext(bytes)
      .replace(edges, "")
      .replace(/(\p{Ll})-\n/gu, "$1");
    expect(wordRecall(others, textOf(content))).toBeGreaterThanOrEqual(0.98);
  }
});
