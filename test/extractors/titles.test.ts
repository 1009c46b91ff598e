import { describe, expect, it } from "vitest";
import { extractDocx } from "../../src/extractors/docx.js";
import { extractEpub } from "../../src/extractors/epub.js";
import { extractHtml } from "../../src/extractors/html.js";
import { extractOdt } from "../../src/extractors/open-document/odt.js";
import { givenTitle } from "../../src/extractors/own-title.js";
import { extractionTools, sourceFile } from "../support/extraction-tools.js";
import { archive, docx, paragraph } from "../support/made-docx.js";

function note(id: number, text: string): string {
  return `<w:footnote w:id="${id}"><w:p><w:r><w:t>${text}</w:t></w:r></w:p></w:footnote>`;
}

const read = { docx: extractDocx, epub: extractEpub, html: extractHtml, odt: extractOdt };
async function titleOf(kind: keyof typeof read, bytes: Uint8Array): Promise<string | null> {
  return (await read[kind](sourceFile(bytes, `scan.${kind}`), extractionTools())).title;
}

describe("the title of a file", () => {
  it.each([
    "scanp.html",
    "Microsoft Word - Document1",
    "Microsoft Word - harbour plan.doc",
    "untitled",
    "Untitled-2",
    "C:\\Users\\ada\\plan final",
    "/home/ada/papers/draft",
    "file:///tmp/page",
    "https://example.org/report",
    "PowerPoint Presentation",
    "Dokument3",
    "Scan_0001",
    "  ",
  ])("is not %j", (said) => {
    expect(givenTitle(said)).toBe(null);
  });

  it.each(["Node.js", "The harbour / a plan", "Documents of the council", "Title deeds", "Scanning films", "1984"])(
    "may be %j",
    (said) => {
      expect(givenTitle(said)).toBe(said);
    },
  );

  it("loses a prefix added by a program", () => {
    expect(givenTitle("Microsoft Word - Harbour plan")).toBe("Harbour plan");
  });

  it("is the first heading when a DOCX has no title of its own", async () => {
    const body = paragraph("Foreword of ours.") + paragraph("The new quay", "Heading1") + paragraph("It is long.");
    expect(await titleOf("docx", docx(body))).toBe("The new quay");
    expect(await titleOf("docx", docx(body, { title: "Document1" }))).toBe("The new quay");
    expect(await titleOf("docx", docx(body, { title: "Harbour plan" }))).toBe("Harbour plan");
  });

  it("is the paragraph in the title style, which becomes a first-level heading", async () => {
    const body = paragraph("The new quay", "Title") + paragraph("Ground", "Heading1") + paragraph("Sand &amp; clay.");
    const { title, parts } = await extractDocx(
      sourceFile(docx(body, { title: "Left by a template" })),
      extractionTools(),
    );
    expect(title).toBe("The new quay");
    expect(parts[0]?.text).toBe("# The new quay\n\n# Ground\n\nSand & clay.");
  });

  it("is the first heading of a page titled with its file name", async () => {
    const page =
      "<html><head><title>scanp.html</title></head><body><h2>Tide tables</h2><p>High at six.</p></body></html>";
    expect(await titleOf("html", Buffer.from(page))).toBe("Tide tables");
  });

  it("is the first heading of an ODT and of a book without a title", async () => {
    const odt = archive({
      mimetype: "application/vnd.oasis.opendocument.text",
      "content.xml": `<office:document-content xmlns:office="o" xmlns:text="t"><office:body><office:text><text:p>Before.</text:p><text:h text:outline-level="1">Tide tables</text:h><text:p>High at six.</text:p></office:text></office:body></office:document-content>`,
    });
    expect(await titleOf("odt", odt)).toBe("Tide tables");
    const epub = archive({
      mimetype: "application/epub+zip",
      "META-INF/container.xml": `<container><rootfiles><rootfile full-path="book.opf"/></rootfiles></container>`,
      "book.opf": `<package><metadata><title>untitled</title></metadata><manifest><item id="a" href="a.xhtml" media-type="application/xhtml+xml"/></manifest><spine><itemref idref="a"/></spine></package>`,
      "a.xhtml": `<html><body><h1>Of tides</h1><p>High at six.</p></body></html>`,
    });
    expect(await titleOf("epub", epub)).toBe("Of tides");
  });
});

describe("the notes of a DOCX", () => {
  it("are marked as [1], and listed at the end with the same mark", async () => {
    const mark = (id: number) => `<w:r><w:footnoteReference w:id="${id}"/></w:r>`;
    const body = paragraph("It is long.", "", mark(20)) + paragraph("It is deep.", "", mark(21));
    const file = docx(body, { notes: note(20, "Ninety metres.") + note(21, "Nine metres.") });
    const { parts } = await extractDocx(sourceFile(file), extractionTools());
    expect(parts[0]?.text).toBe("It is long.[1]\n\nIt is deep.[2]\n\n[1] Ninety metres.\n\n[2] Nine metres.");
  });
});
