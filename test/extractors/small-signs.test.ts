import { describe, expect, test } from "vitest";
import { extractDocx } from "../../src/extractors/docx.js";
import { extractEpub } from "../../src/extractors/epub.js";
import type { FormatExtractor } from "../../src/extractors/format-extractor.js";
import { extractHtml } from "../../src/extractors/html.js";
import { extractOdt } from "../../src/extractors/open-document/odt.js";
import { extractPptx } from "../../src/extractors/open-xml/pptx.js";
import { extractRtf } from "../../src/extractors/rich-text/rtf.js";
import { textOfAll } from "../support/extraction-measures.js";
import { extractionTools, sourceFile } from "../support/extraction-tools.js";
import { madeByPandoc, madeBySoffice } from "../support/made-by-programs.js";
import { isInstalled } from "../support/pdf-producers.js";

const MARKDOWN = `# Field

It holds 10^6^ bees, 40 m^2^, CO~2~ and x~1~ on the 19^th^.`;
const SHOWN = "It holds 10⁶ bees, 40 m², CO₂ and x₁ on the 19th.";

const READERS: readonly (readonly [ending: string, read: FormatExtractor])[] = [
  ["html", extractHtml],
  ["docx", extractDocx],
  ["epub", extractEpub],
  ["odt", extractOdt],
  ["pptx", extractPptx],
  ["rtf", extractRtf],
];

describe.skipIf(!isInstalled("pandoc"))(
  "superscript and subscript numbers are not merged with others (needs pandoc)",
  () => {
    test.each(READERS)("%s", async (ending, read) => {
      const file = sourceFile(madeByPandoc(MARKDOWN, ending));
      expect(textOfAll(await read(file, extractionTools()))).toContain(SHOWN);
    });

    test.skipIf(!isInstalled("soffice"))("as LibreOffice writes them (needs soffice)", async () => {
      const page =
        "<p>It holds 10<sup>6</sup> bees, 40 m<sup>2</sup>, CO<sub>2</sub> and x<sub>1</sub> on the 19<sup>th</sup>.</p>";
      const text = madeBySoffice("field.html", page, "odt:writer8");
      const moved = madeBySoffice("field.odt", text, "docx:MS Word 2007 XML");
      expect(textOfAll(await extractDocx(sourceFile(moved), extractionTools()))).toContain(SHOWN);
      const odt = madeBySoffice("field.docx", madeByPandoc(MARKDOWN, "docx"), "odt");
      expect(textOfAll(await extractOdt(sourceFile(odt), extractionTools()))).toContain(SHOWN);
      const rtf = madeBySoffice("field.docx", madeByPandoc(MARKDOWN, "docx"), "rtf");
      expect(textOfAll(await extractRtf(sourceFile(rtf), extractionTools()))).toContain(SHOWN);
    });
  },
);
