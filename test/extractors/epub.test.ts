import { strToU8, unzipSync, zipSync } from "fflate";
import { describe, expect, test } from "vitest";
import { extractEpub } from "../../src/extractors/epub.js";
import { measure, textOfAll } from "../support/extraction-measures.js";
import { extractionTools, sourceFile } from "../support/extraction-tools.js";
import { extractorFixture } from "../support/extractor-fixtures.js";
import { describeHostileFiles, outcomeOf, ZIP_MAGIC } from "../support/hostile-files.js";
import { madeByPandoc, madeBySoffice } from "../support/made-by-programs.js";
import { isInstalled } from "../support/pdf-producers.js";
import { sampleText } from "../support/sample-documents.js";

const tools = extractionTools({
  extract: () => Promise.reject(new Error("Chapters are read as a whole, not as pages with an article.")),
});
const read = (bytes: Uint8Array) => extractEpub(sourceFile(bytes), tools);

test("a book is read chapter by chapter, with titles from its table of contents", async () => {
  const { title, author, date, parts, metadata } = await read(extractorFixture("garden.epub"));
  expect([title, author, date, metadata]).toEqual(["Garden book", "Ada Sample", "2026-03-01", { language: "en-US" }]);
  expect(parts.map(({ place }) => place)).toEqual([{ entry: 1 }, { entry: 2 }, { entry: 3 }]);
  expect(parts.map(({ text }) => text.split("\n")[0])).toEqual(["# Garden book", "# Soil and water", "# Harvest"]);
  expect(parts[2]?.text).toContain("Über Äpfel: naïve café, 東京, Ω.");
});

function book(chapter: string, mimeType = "application/xhtml+xml"): Uint8Array {
  const parts = {
    "META-INF/container.xml": `<container><rootfiles><rootfile full-path="book.opf"/></rootfiles></container>`,
    "book.opf": `<package><metadata/><manifest><item id="a" href="a.xhtml" media-type="${mimeType}"/></manifest><spine><itemref idref="a"/></spine></package>`,
    "a.xhtml": chapter,
  };
  return zipSync(Object.fromEntries(Object.entries(parts).map(([name, text]) => [name, strToU8(text)])));
}

test("a chapter is read whole, including parts that would be dropped from a web page", async () => {
  const prose = `<p>${"The keeper of the light wrote down the wind of every night. ".repeat(12)}</p>`;
  const section = (title: string, id: string, text: string) =>
    `<section id="${id}" class="level2 ${id}"><h2>${title}</h2><p>${text}</p></section>`;
  const { parts } = await read(
    book(
      `<?xml version="1.0" encoding="utf-8"?><!DOCTYPE html><html xmlns="http://www.w3.org/1999/xhtml"><head><title>a.xhtml</title></head><body><section class="level1"><h1>Lamps</h1>${prose}${section("Related work", "related-work", "Smeaton lit candles.")}${prose}<div class="sidebar"><p>A box of wicks.</p></div><table><thead><tr class="header"><th>Year</th><th>Lamp</th></tr></thead><tbody><tr class="odd"><td>1827</td><td>oil</td></tr></tbody></table>${section("Comments", "comments", "Nobody had any.")}${section("About the author", "about-the-author", "Ada kept bees.")}<footer><p>Printed in Rostock.</p></footer></section></body></html>`,
    ),
  );
  const text = textOfAll({ parts });
  const wanted = [
    "# Lamps",
    "## Related work\n\nSmeaton lit candles.",
    "A box of wicks.",
    "| Year | Lamp |\n| --- | --- |\n| 1827 | oil |",
    "## Comments\n\nNobody had any.",
    "## About the author\n\nAda kept bees.",
    "Printed in Rostock.",
  ];
  expect(wanted.filter((words) => !text.includes(words))).toEqual([]);
});

describe("a long text is extracted completely and in order", () => {
  const sample = sampleText(12);

  test.skipIf(!isInstalled("pandoc"))("from pandoc (needs pandoc)", async () => {
    const { recall, order } = measure(textOfAll(await read(madeByPandoc(sample.markdown, "epub"))), sample);
    expect({ recall, order }).toEqual({ recall: 1, order: 1 });
  });

  test.skipIf(!isInstalled("pandoc") || !isInstalled("soffice"))(
    "from LibreOffice (needs pandoc, soffice)",
    async () => {
      const epub = madeBySoffice("sample.odt", madeByPandoc(sample.markdown, "odt"), "epub");
      // LibreOffice omits the header rows of tables from its books.
      const headers = new Set(sample.tables.flatMap(([header = []]) => header));
      const written = { ...sample, words: sample.words.filter((word) => !headers.has(word)) };
      const { recall, order } = measure(textOfAll(await read(epub)), written);
      expect({ recall, order }).toEqual({ recall: 1, order: 1 });
    },
  );
});

test("a missing chapter costs only itself, and protected books are refused", async () => {
  const entries = unzipSync(extractorFixture("garden.epub"));
  const { "EPUB/text/ch001.xhtml": _, ...others } = entries;
  const { parts, notes } = await read(zipSync(others));
  expect(parts.map(({ place }) => place.entry)).toEqual([1, 3]);
  expect(notes).toEqual(["Chapter 2 could not be read and was left out."]);
  const encryption = (method: string) =>
    strToU8(`<encryption><EncryptedData><EncryptionMethod Algorithm="${method}"/></EncryptedData></encryption>`);
  const protectedBy = (method: string) => zipSync({ ...entries, "META-INF/encryption.xml": encryption(method) });
  expect(await outcomeOf(extractEpub, protectedBy("http://www.w3.org/2001/04/xmlenc#aes128-cbc"), tools)).toBe(
    "encrypted",
  );
  expect(await outcomeOf(extractEpub, protectedBy("http://www.idpf.org/2008/embedding"), tools)).toBe("read");
});

describeHostileFiles("books", {
  load: () => Promise.resolve(extractEpub),
  fixture: () => extractorFixture("garden.epub"),
  magic: ZIP_MAGIC,
  tools,
});
