import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { expect, test } from "vitest";
import { createExtractionProcess } from "../../src/extractors/extraction-process.js";
import { extractPdf } from "../../src/extractors/pdf/pdf.js";
import { recognizeText } from "../../src/extractors/recognize-text.js";
import { extractionTools, sourceFile, USUAL_LIMITS } from "../support/extraction-tools.js";
import { silentLog } from "../support/open-core.js";
import { isInstalled } from "../support/pdf-producers.js";
import { wordRecall } from "../support/word-recall.js";

const hasTesseract = isInstalled("tesseract");
const unless = hasTesseract ? "" : " (left out: tesseract is not installed)";

function fixture(name: string): Uint8Array {
  return readFileSync(join(import.meta.dirname, "../fixtures/extractors", name));
}

test("a missing program is named, with how to install it on each system", async () => {
  await expect(recognizeText(fixture("sign.png"), { program: "no-such-program" })).rejects.toMatchObject({
    reason: "missing_program",
    message: expect.stringMatching(/apt install .*brew install .*winget install /),
  });
});

test("languages are names, and nothing else", async () => {
  await expect(recognizeText(fixture("sign.png"), { languages: "eng -c x" })).rejects.toMatchObject({
    reason: "unsupported",
  });
});

test.skipIf(process.platform === "win32")("a picture that takes too long is given up", async () => {
  const folder = mkdtempSync(join(tmpdir(), "recollect-stalled-"));
  try {
    const program = join(folder, "stalled");
    writeFileSync(program, "#!/bin/sh\nexec sleep 60\n", { mode: 0o755 });
    const stalled = recognizeText(fixture("sign.png"), { program, timeLimitMs: 300 });
    await expect(stalled).rejects.toMatchObject({ reason: "too_large" });
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test.skipIf(!hasTesseract)(
  `a sign is read${unless}`,
  async () => {
    for (const name of ["sign.png", "photo-exiftool.jpg", "sign.gif", "sign.webp"])
      expect(await recognizeText(fixture(name))).toMatch(/^Ferry to the islands\s+leaves at 09:30$/);
  },
  120_000,
);

test.skipIf(!hasTesseract)(
  `what is no picture, and a language without data, are told apart${unless}`,
  async () => {
    await expect(recognizeText(Buffer.from("no picture"))).rejects.toMatchObject({ reason: "damaged" });
    await expect(recognizeText(fixture("sign.png"), { languages: "xxx" })).rejects.toMatchObject({
      reason: "missing_program",
      message: expect.stringContaining("tesseract-ocr-xxx"),
    });
    await expect(recognizeText(fixture("sign.png"), { languages: "eng+xxx" })).rejects.toMatchObject({
      reason: "missing_program",
      message: expect.stringContaining("`xxx`"),
    });
  },
  120_000,
);

test.skipIf(!hasTesseract)(
  `pictures and scanned pages are read in the languages of the settings${unless}`,
  async () => {
    const extractor = createExtractionProcess({
      limits: USUAL_LIMITS,
      timeoutMs: 60_000,
      memoryMegabytes: 512,
      languages: "eng+xxx",
      programFolders: (process.env["PATH"] ?? "").split(delimiter),
      log: silentLog,
    });
    try {
      for (const name of ["sign.png", "scan-gs.pdf"]) {
        const reading = extractor.extract(sourceFile(fixture(name), name), { signal: new AbortController().signal });
        await expect(reading).rejects.toMatchObject({ message: expect.stringContaining("tesseract-ocr-xxx") });
      }
    } finally {
      await extractor.close();
    }
  },
  120_000,
);

test.skipIf(!hasTesseract)(
  `a scanned page of a PDF is read${unless}`,
  async () => {
    const { parts } = await extractPdf(sourceFile(fixture("mixed-scan.pdf")), extractionTools({ recognizeText }));
    const source = "Chapter 2 of tides The ferry to the islands leaves at half past nine on every weekday.";
    expect(wordRecall(source, parts[1]?.text ?? "")).toBeGreaterThanOrEqual(0.95);
  },
  120_000,
);
