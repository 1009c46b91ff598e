import { describe, expect, test } from "vitest";
import { extractOds } from "../../src/extractors/open-document/ods.js";
import { extractXlsx } from "../../src/extractors/open-xml/xlsx.js";
import { extractionTools, sourceFile } from "../support/extraction-tools.js";
import { extractorFixture } from "../support/extractor-fixtures.js";

describe("of a workbook with more sheets than the limit, the first are read", () => {
  test.each([
    ["Excel", extractXlsx, "prices.xlsx", /^Only the first 1 of \d sheets were read/],
    ["OpenDocument", extractOds, "prices.ods", /^Only the first 1 sheets were read/],
  ] as const)("%s", async (_what, extract, name, note) => {
    const all = await extract(sourceFile(extractorFixture(name)), extractionTools());
    const sheets = new Set(all.parts.map(({ place }) => place.sheet));
    expect(sheets.size).toBeGreaterThan(1);
    const tools = extractionTools({ limits: { maximumPages: 1 } });
    const { parts, notes } = await extract(sourceFile(extractorFixture(name)), tools);
    expect([...new Set(parts.map(({ place }) => place.sheet))]).toEqual([...sheets].slice(0, 1));
    expect(notes).toContainEqual(expect.stringMatching(note));
  });
});
