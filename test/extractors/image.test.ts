import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { ExtractionError } from "../../src/extractors/extraction-error.js";
import { extractImage } from "../../src/extractors/image/image.js";
import { extractSvg } from "../../src/extractors/image/svg.js";
import { extractionTools, sourceFile } from "../support/extraction-tools.js";
import { mutations } from "../support/word-recall.js";

function fixture(name: string): Uint8Array {
  return readFileSync(join(import.meta.dirname, "../fixtures/extractors", name));
}

function reading(text: string) {
  return extractionTools({ recogniseText: () => Promise.resolve(text) });
}

describe("a picture", () => {
  test.each([
    ["sign.png", 640, 200],
    ["sign.gif", 640, 200],
    ["sign.bmp", 200, 63],
    ["sign.tiff", 320, 100],
    ["sign.webp", 640, 200],
    ["sign-lossy.webp", 640, 200],
    ["photo-exiftool.jpg", 640, 200],
  ])("%s yields its text and its size", async (name, width, height) => {
    const content = await extractImage(sourceFile(fixture(name), name), reading("Ferry to the islands\n"));
    expect(content).toMatchObject({ type: "image", metadata: { width, height }, notes: [] });
    expect(content.parts).toEqual([
      { text: expect.stringMatching(/^Picture \S+.*\.\n\nFerry to the islands$/), place: { page: 1 } },
    ]);
  });

  test("includes when and where it was taken", async () => {
    const content = await extractImage(sourceFile(fixture("photo-exiftool.jpg"), "IMG_1.jpg"), reading(""));
    // The local date counts, although the day may differ in UTC.
    expect(content.date).toBe("2024-05-17T14:03:22+02:00");
    expect(content.metadata).toMatchObject({ latitude: 53.5461, longitude: 9.9937, camera: "Pinhole 7" });
    expect(content.parts[0]?.text).toBe(
      "Picture IMG_1.jpg taken on 2024-05-17 at latitude 53.5461, longitude 9.9937 with Pinhole 7.",
    );
    expect(content.notes).toEqual(["No text was found in the picture."]);
  });

  test("is kept without its text when OCR is unavailable but metadata is known", async () => {
    const content = await extractImage(sourceFile(fixture("photo-exiftool.jpg"), "IMG_1.jpg"), extractionTools());
    expect(content.notes).toEqual([expect.stringContaining("could not be read")]);
  });

  test("is an error when OCR is unavailable and nothing is known", async () => {
    const extracting = extractImage(sourceFile(fixture("sign.png"), "sign.png"), extractionTools());
    await expect(extracting).rejects.toMatchObject({ reason: "missing_program" });
  });

  test("from a phone is refused with what to do", async () => {
    const heic = Buffer.concat([Buffer.from([0, 0, 0, 24]), Buffer.from("ftypheic"), Buffer.alloc(100)]);
    await expect(extractImage(sourceFile(heic), reading(""))).rejects.toMatchObject({
      reason: "unsupported",
      message: expect.stringContaining("JPEG or PNG"),
    });
  });

  test("too large for memory is refused unread", async () => {
    const bomb = Buffer.from(fixture("sign.png"));
    bomb.writeUInt32BE(100_000, 16);
    bomb.writeUInt32BE(100_000, 20);
    const tools = extractionTools({ recogniseText: () => Promise.reject(new Error("was read")) });
    await expect(extractImage(sourceFile(bomb), tools)).rejects.toMatchObject({ reason: "too_large" });
  });

  test("that is damaged ends in a result or a reason", async () => {
    const files = ["photo-exiftool.jpg", "sign.tiff", "sign.webp"].flatMap((name) => mutations(fixture(name), 100));
    const cut = [0, 1, 8, 20, 100].map((length) => fixture("photo-exiftool.jpg").subarray(0, length));
    const outcomes = { results: 0, reasons: 0 };
    for (const file of [...files, ...cut]) {
      const outcome = await extractImage(sourceFile(file), reading("text")).catch((error: unknown) => error);
      if (outcome instanceof ExtractionError) outcomes.reasons += 1;
      else {
        expect(outcome).toMatchObject({ type: "image", parts: [{ text: expect.stringContaining("text") }] });
        outcomes.results += 1;
      }
    }
    expect(outcomes.results).toBeGreaterThan(0);
    expect(outcomes.reasons).toBeGreaterThan(0);
  });
});

describe("a drawing", () => {
  const read = (svg: string) => extractSvg(sourceFile(Buffer.from(svg), "plan.svg"), extractionTools());

  test("yields its title and its texts, and no script", async () => {
    const content = await read(
      `<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"><title>Plan of the harbour</title>
       <script>alert(1)</script><style>text { fill: red }</style>
       <g><text x="1">North <tspan>pier</tspan></text><text>Deep &amp; wide</text></g></svg>`,
    );
    expect(content).toMatchObject({ type: "image", title: "Plan of the harbour", notes: [] });
    expect(content.parts[0]?.text).toBe("Plan of the harbour\nNorth pier\nDeep & wide");
  });

  test("that is damaged is read up to the damage", async () => {
    const content = await read("<svg><text>North pier</text><text>South </b></svg>");
    expect(content.parts[0]?.text).toMatch(/^North pier\n/);
    expect(content.notes).toHaveLength(1);
  });

  test.each([
    ["entities", `<!DOCTYPE svg [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><svg><text>&b;</text></svg>`, "damaged"],
    ["deep nesting", `<svg>${"<g>".repeat(5_000)}<text>deep</text>`, "too_large"],
    ["no text", "<svg><path d='M0 0'/></svg>", "empty"],
    ["text that is not XML", "\u0000\u0001", "empty"],
  ])("with %s is refused", async (_what, svg, reason) => {
    await expect(read(svg)).rejects.toMatchObject({ reason });
  });
});
