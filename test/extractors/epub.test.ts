import { strToU8, unzipSync, zipSync } from "fflate";
import { parseHTML } from "linkedom";
import { describe, expect, test } from "vitest";
import { extractEpub } from "../../src/extractors/epub.js";
import { extracted } from "../../src/extractors/extracted.js";
import { ExtractionError } from "../../src/extractors/extraction-error.js";
import { measure, textOfAll } from "../support/extraction-measures.js";
import { extractionTools, sourceFile } from "../support/extraction-tools.js";
import { extractorFixture } from "../support/extractor-fixtures.js";
import { describeHostileFiles, outcomeOf, ZIP_MAGIC } from "../support/hostile-files.js";
import { madeByPandoc, madeBySoffice } from "../support/made-by-programs.js";
import { isInstalled } from "../support/pdf-producers.js";
import { sampleText } from "../support/sample-documents.js";

/** Stands in for the reader of web pages: the text of the body. */
const tools = extractionTools({
  extract: ({ bytes, mimeType }) => {
    expect(mimeType).toBe("application/xhtml+xml");
    const { document } = parseHTML(new TextDecoder().decode(bytes));
    const text = (document.querySelector("body")?.innerHTML ?? "").replace(/<[^>]*>/g, "\n").trim();
    if (text === "") return Promise.reject(new ExtractionError("empty", "The page is empty."));
    return Promise.resolve(extracted("webpage", [{ text, place: {} }]));
  },
});
const read = (bytes: Uint8Array) => extractEpub(sourceFile(bytes), tools);

test("a book is read chapter by chapter, with titles of its table of contents", async () => {
  const { title, author, date, parts, metadata } = await read(extractorFixture("garden.epub"));
  expect([title, author, date, metadata]).toEqual(["Garden book", "Ada Sample", "2026-03-01", { language: "en-US" }]);
  expect(parts.map(({ place }) => place)).toEqual([{ entry: 1 }, { entry: 2 }, { entry: 3 }]);
  expect(parts.map(({ text }) => text.split("\n")[0])).toEqual(["# Garden book", "# Soil and water", "# Harvest"]);
  expect(parts[2]?.text).toContain("Über Äpfel: naïve café, 東京, Ω.");
});

describe("of a long text all words come out, in order", () => {
  const sample = sampleText(12);

  test.skipIf(!isInstalled("pandoc"))("from pandoc (needs pandoc)", async () => {
    const { recall, order } = measure(textOfAll(await read(madeByPandoc(sample.markdown, "epub"))), sample);
    expect({ recall, order }).toEqual({ recall: 1, order: 1 });
  });

  test.skipIf(!isInstalled("pandoc") || !isInstalled("soffice"))(
    "from LibreOffice (needs pandoc, soffice)",
    async () => {
      const epub = madeBySoffice("sample.odt", madeByPandoc(sample.markdown, "odt"), "epub");
      // LibreOffice leaves the header rows of tables out of its books.
      const headers = new Set(sample.tables.flatMap(([header = []]) => header));
      const written = { ...sample, words: sample.words.filter((word) => !headers.has(word)) };
      const { recall, order } = measure(textOfAll(await read(epub)), written);
      expect({ recall, order }).toEqual({ recall: 1, order: 1 });
    },
  );
});

test("a chapter that is missing costs only itself, and protected books are refused", async () => {
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
