import { randomBytes } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import type { ContentExtractor, ExtractedContent } from "../../src/core/documents/content-ports.js";
import { createExtractionProcess, type ExtractionProcessOptions } from "../../src/extractors/extraction-process.js";
import { encodePng } from "../../src/extractors/grey-picture.js";
import { extractPdf } from "../../src/extractors/pdf/pdf.js";
import { recogniseText } from "../../src/extractors/recognise-text.js";
import { extractionTools, sourceFile, USUAL_LIMITS } from "../support/extraction-tools.js";
import { silentLog } from "../support/open-core.js";
import { textOfAll } from "../support/extraction-measures.js";
import { isInstalled } from "../support/pdf-producers.js";
import { wordRecall } from "../support/word-recall.js";

const hasTesseract = isInstalled("tesseract");
const unless = hasTesseract ? "" : " (left out: tesseract is not installed)";

function fixture(name: string): Uint8Array {
  return readFileSync(join(import.meta.dirname, "../fixtures/extractors", name));
}

const opened: ContentExtractor[] = [];
afterEach(async () => {
  for (const extractor of opened.splice(0)) await extractor.close();
});

/** Reads files in a separate process, which finds no programs unless given their folders. */
function openProcess(
  changes: Partial<ExtractionProcessOptions> = {},
): (bytes: Uint8Array) => Promise<ExtractedContent> {
  const extractor = createExtractionProcess({
    limits: USUAL_LIMITS,
    timeoutMs: 60_000,
    memoryMegabytes: 512,
    languages: "eng",
    programFolders: [],
    log: silentLog,
    ...changes,
  });
  opened.push(extractor);
  return (bytes) => extractor.extract(sourceFile(bytes), { signal: new AbortController().signal });
}

test("English is read without the program, in every kind of picture and on every page", async () => {
  const read = (name: string) => recogniseText(fixture(name), { program: "no-such-program" });
  for (const name of ["sign.png", "photo-exiftool.jpg", "sign.gif", "sign.webp", "sign.bmp", "sign.tiff"])
    expect(await read(name), name).toMatch(/^Ferry to the islands\s+leaves at 09:30$/);
  expect((await read("sign-two-pages.tiff")).match(/Ferry to the islands/g)).toHaveLength(2);
});

test("an upside-down page is read without the program", async () => {
  const text = await recogniseText(fixture("print-on-its-head.png"), { program: "no-such-program" });
  expect(text).toMatch(/^Harbour master of the northern islands\s[^]*before they leave again\.$/);
});

test.skipIf(process.platform === "win32")("English is read when the program lacks its own data for it", async () => {
  const folder = mkdtempSync(join(tmpdir(), "recollect-no-data-"));
  try {
    const program = join(folder, "tesseract");
    const complaint = "Failed loading language 'eng'\nTesseract couldn't load any languages!";
    writeFileSync(program, `#!/bin/sh\ncat >/dev/null\necho "${complaint}" >&2\nexit 1\n`, { mode: 0o755 });
    expect(await recogniseText(fixture("sign.png"), { program })).toContain("Ferry to the islands");
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("a missing program is named when other languages are requested, with how to install it on each system", async () => {
  const asked = { program: "no-such-program", languages: "eng+deu" };
  await expect(recogniseText(fixture("sign.png"), asked)).rejects.toMatchObject({
    reason: "missing_program",
    message: expect.stringMatching(
      /apt install tesseract-ocr`.*brew install .*winget install .*apt install tesseract-ocr-eng tesseract-ocr-deu/,
    ),
  });
});

test("an invalid picture is refused without the program, and the next one is read", async () => {
  const read = (bytes: Uint8Array) => recogniseText(bytes, { program: "no-such-program" });
  for (const bytes of [Buffer.from("no picture"), Buffer.from("II*\0"), fixture("sign.png").subarray(0, 2_000)])
    await expect(read(bytes)).rejects.toMatchObject({
      reason: "damaged",
      message: expect.stringContaining("Save it as PNG or JPEG"),
    });
  expect(await read(fixture("sign.png"))).toContain("Ferry to the islands");
});

describe.skipIf(process.platform !== "linux")("the process that reads files, on a machine without tesseract", () => {
  test("reads a sign and the scanned pages of a PDF, with nothing to install or download", async () => {
    const read = openProcess();
    expect(textOfAll(await read(fixture("sign.png")))).toContain("leaves at 09:30");
    const source = "Chapter 2 of tides The ferry to the islands leaves at half past nine on every weekday.";
    expect(wordRecall(source, textOfAll(await read(fixture("mixed-scan.pdf"))))).toBeGreaterThanOrEqual(0.95);
  });

  test("applies its time and memory limits to pictures", async () => {
    const noise = encodePng({ width: 9_000, height: 9_000, pixels: Buffer.alloc(81_000_000, randomBytes(9_000)) }, 300);
    const late = openProcess({ timeoutMs: 1_500, memoryMegabytes: 2_000 });
    await expect(late(noise)).rejects.toMatchObject({ message: expect.stringContaining("1.5 seconds") });
    const narrow = openProcess({ memoryMegabytes: 64 });
    await expect(narrow(noise)).rejects.toMatchObject({ message: expect.stringContaining("64 MB") });
    expect(textOfAll(await narrow(fixture("sign.png")))).toContain("leaves at 09:30");
  });
});

test("language settings accept only names", async () => {
  await expect(recogniseText(fixture("sign.png"), { languages: "eng -c x" })).rejects.toMatchObject({
    reason: "unsupported",
  });
});

test.skipIf(process.platform === "win32")("a picture that takes too long is given up", async () => {
  const folder = mkdtempSync(join(tmpdir(), "recollect-stalled-"));
  try {
    const program = join(folder, "stalled");
    writeFileSync(program, "#!/bin/sh\nexec sleep 60\n", { mode: 0o755 });
    const stalled = recogniseText(fixture("sign.png"), { program, timeLimitMs: 300 });
    await expect(stalled).rejects.toMatchObject({ reason: "too_large" });
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test.skipIf(!hasTesseract)(
  `a sign is read${unless}`,
  async () => {
    for (const name of ["sign.png", "photo-exiftool.jpg", "sign.gif", "sign.webp"])
      expect(await recogniseText(fixture(name))).toMatch(/^Ferry to the islands\s+leaves at 09:30$/);
  },
  120_000,
);

test.skipIf(!hasTesseract)(
  `an invalid picture and a language without data are reported differently${unless}`,
  async () => {
    await expect(recogniseText(Buffer.from("no picture"))).rejects.toMatchObject({
      reason: "damaged",
      message: expect.stringContaining("Save it as PNG or JPEG"),
    });
    await expect(recogniseText(fixture("sign.png"), { languages: "xxx" })).rejects.toMatchObject({
      reason: "missing_program",
      message: expect.stringContaining("tesseract-ocr-xxx"),
    });
    await expect(recogniseText(fixture("sign.png"), { languages: "eng+xxx" })).rejects.toMatchObject({
      reason: "missing_program",
      message: expect.stringContaining("`xxx`"),
    });
  },
  120_000,
);

test.skipIf(!hasTesseract)(
  `pictures and scanned pages are read in the configured languages${unless}`,
  async () => {
    const programFolders = (process.env["PATH"] ?? "").split(delimiter);
    const read = openProcess({ languages: "eng+xxx", programFolders });
    for (const name of ["sign.png", "scan-gs.pdf"])
      await expect(read(fixture(name))).rejects.toMatchObject({
        message: expect.stringContaining("tesseract-ocr-xxx"),
      });
  },
  120_000,
);

test.skipIf(!hasTesseract)(
  `a scanned page of a PDF is read${unless}`,
  async () => {
    const { parts } = await extractPdf(sourceFile(fixture("mixed-scan.pdf")), extractionTools({ recogniseText }));
    const source = "Chapter 2 of tides The ferry to the islands leaves at half past nine on every weekday.";
    expect(wordRecall(source, parts[1]?.text ?? "")).toBeGreaterThanOrEqual(0.95);
  },
  120_000,
);
