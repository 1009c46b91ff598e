import { strToU8, unzipSync, zipSync } from "fflate";
import { describe, expect, test } from "vitest";
import { extractOdp } from "../../src/extractors/open-document/odp.js";
import { extractPptx } from "../../src/extractors/open-xml/pptx.js";
import type { FormatExtractor } from "../../src/extractors/format-extractor.js";
import { measure, textOfAll } from "../support/extraction-measures.js";
import { extractionTools, sourceFile } from "../support/extraction-tools.js";
import { extractorFixture } from "../support/extractor-fixtures.js";
import { describeHostileFiles, ZIP_MAGIC } from "../support/hostile-files.js";
import { madeByPandoc, madeBySoffice } from "../support/made-by-programs.js";
import { isInstalled } from "../support/pdf-producers.js";
import { sampleSlides } from "../support/sample-documents.js";

const read = (extract: FormatExtractor, bytes: Uint8Array) => extract(sourceFile(bytes), extractionTools());

const SLIDES = [
  "# Quarterly review\n\nAda Sample",
  "# First steps\n\n- Apples are red\n  - Some are green\n- Visit [the site](https://example.org/a)\n\nNotes:\n\nRemember to greet Marta.",
  "# Numbers\n\n| Product | Amount |\n| --- | --- |\n| Lamp | 12 |\n| Chair | 7 |",
  "# Order of work\n\n1. Measure\n2. Cut",
];

test.each([
  ["PowerPoint", extractPptx, "talk.pptx", "Only the first 2 of 4 slides were read"],
  ["OpenDocument", extractOdp, "talk.odp", "Only the first 2 slides were read"],
] as const)("of %s with more slides than the limit, the first are read", async (_, extract, name, note) => {
  const tools = extractionTools({ limits: { maximumPages: 2 } });
  const { parts, notes } = await extract(sourceFile(extractorFixture(name)), tools);
  expect(parts.map(({ text }) => text)).toEqual(SLIDES.slice(0, 2));
  expect(notes).toEqual([expect.stringContaining(note)]);
});

test.each([
  ["PowerPoint", extractPptx, "talk.pptx"],
  ["OpenDocument", extractOdp, "talk.odp"],
] as const)("each slide of %s is a part with its title, lists, tables and notes", async (_, extract, name) => {
  const { parts, title, author, notes } = await read(extract, extractorFixture(name));
  expect([title, author, notes]).toEqual(["Quarterly review", "Ada Sample", []]);
  expect(parts).toEqual(SLIDES.map((text, index) => ({ text, place: { slide: index + 1 } })));
});

describe("many slides are extracted completely and in order", () => {
  const sample = sampleSlides(10);
  const whole = { recall: 1, order: 1, headings: 1, cells: 1 };
  const isMissing = !isInstalled("pandoc") || !isInstalled("soffice");

  test.skipIf(!isInstalled("pandoc"))("from pandoc as PPTX (needs pandoc)", async () => {
    const content = await read(extractPptx, madeByPandoc(sample.markdown, "pptx"));
    expect(measure(textOfAll(content), sample)).toEqual(whole);
    expect(content.parts.at(-1)?.place).toEqual({ slide: 21 });
  });

  test.skipIf(isMissing)("from LibreOffice as ODP and PPTX (needs pandoc, soffice)", { timeout: 120_000 }, async () => {
    const odp = madeBySoffice("sample.pptx", madeByPandoc(sample.markdown, "pptx"), "odp");
    expect(measure(textOfAll(await read(extractOdp, odp)), sample)).toEqual(whole);
    const pptx = madeBySoffice("sample.odp", odp, "pptx");
    expect(measure(textOfAll(await read(extractPptx, pptx)), sample)).toEqual(whole);
  });
});

test("slides are in presentation order, hidden ones with a note", async () => {
  const entries = unzipSync(extractorFixture("talk.pptx"));
  const edit = (name: string, change: (xml: string) => string) =>
    void (entries[name] = strToU8(change(new TextDecoder().decode(entries[name]))));
  edit("ppt/presentation.xml", (xml) => {
    const slides = [...xml.matchAll(/<p:sldId [^>]*\/>/g)].map(([slide]) => slide);
    return xml.replace(/<p:sldIdLst>[^]*<\/p:sldIdLst>/, `<p:sldIdLst>${slides.reverse().join("")}</p:sldIdLst>`);
  });
  edit("ppt/slides/slide4.xml", (xml) => xml.replace("<p:sld ", '<p:sld show="0" '));
  const { parts, notes } = await read(extractPptx, zipSync(entries));
  expect(parts.map(({ text }) => text)).toEqual(SLIDES.toReversed());
  expect(notes).toEqual(["Hidden slides: 1."]);
});

describeHostileFiles("presentations of PowerPoint", {
  load: () => Promise.resolve(extractPptx),
  fixture: () => extractorFixture("talk.pptx"),
  magic: ZIP_MAGIC,
});

describeHostileFiles("OpenDocument presentations", {
  load: () => Promise.resolve(extractOdp),
  fixture: () => extractorFixture("talk.odp"),
  magic: ZIP_MAGIC,
});
