import { describe, expect, test } from "vitest";
import { extractDocx } from "../../src/extractors/docx.js";
import { equationText } from "../../src/extractors/equation-text.js";
import { extractOdt } from "../../src/extractors/open-document/odt.js";
import { extractPptx } from "../../src/extractors/open-xml/pptx.js";
import { readXmlTree } from "../../src/extractors/xml-events.js";
import { textOfAll } from "../support/extraction-measures.js";
import { extractionTools, sourceFile, USUAL_LIMITS } from "../support/extraction-tools.js";
import { madeByPandoc } from "../support/made-by-programs.js";
import { docx } from "../support/made-docx.js";
import { isInstalled } from "../support/pdf-producers.js";

const written = (xml: string) => equationText(readXmlTree(Buffer.from(xml), USUAL_LIMITS));

describe("an equation on one line", () => {
  test.each<[what: string, xml: string, text: string]>([
    ["a fraction", "<math><mfrac><mi>a</mi><mrow><mi>b</mi><mo>+</mo><mn>1</mn></mrow></mfrac></math>", "a/(b + 1)"],
    ["powers", "<math><msup><mi>x</mi><mn>2</mn></msup><msub><mi>y</mi><mi>i</mi></msub></math>", "x^2y_i"],
    ["both", "<math><msubsup><mi>x</mi><mi>i</mi><mn>2</mn></msubsup></math>", "x_i^2"],
    ["roots", "<math><msqrt><mi>x</mi></msqrt><mroot><mi>x</mi><mn>3</mn></mroot></math>", "√(x)root_3(x)"],
    ["a sum", "<math><munderover><mo>∑</mo><mn>1</mn><mi>n</mi></munderover><mi>k</mi></math>", "∑_1^nk"],
    ["brackets", '<math><mfenced open="[" close=")"><mi>a</mi><mi>b</mi></mfenced></math>', "[a, b)"],
    ["a matrix", "<math><mtable><mtr><mtd>1</mtd><mtd>2</mtd></mtr><mtr><mtd>3</mtd></mtr></mtable></math>", "1, 2; 3"],
    [
      "MathML with the same in another notation",
      '<math><semantics><mrow><mi>a</mi></mrow><annotation encoding="TeX">\\alpha</annotation></semantics></math>',
      "a",
    ],
    ["an empty equation", "<math/>", ""],
    ["missing parts", "<math><mfrac><mi>a</mi></mfrac><msup/></math>", "a/"],
  ])("%s", (_what, xml, text) => {
    expect(written(xml)).toBe(text);
  });
});

const MARKDOWN = `# Roots

The roots are $x = \\frac{-b \\pm \\sqrt{b^2 - 4ac}}{2a}$ of it.

$$\\sum_{i=1}^{n} i^2 = \\frac{n(n+1)(2n+1)}{6}$$

$$A = \\begin{pmatrix} a & b \\\\ c & d \\end{pmatrix}$$

The end.
`;

describe("equations stay in place", () => {
  test.skipIf(!isInstalled("pandoc")).each([
    ["DOCX", "docx", extractDocx],
    ["PPTX", "pptx", extractPptx],
    ["ODT", "odt", extractOdt],
  ] as const)("in %s of pandoc (needs pandoc)", async (_what, ending, extract) => {
    const text = textOfAll(await extract(sourceFile(madeByPandoc(MARKDOWN, ending)), extractionTools()));
    expect(text.replaceAll("−", "-").replaceAll("\\", "")).toMatch(
      /Roots\s+The roots are x ?= ?\(? ?- ?b ?± ?√\(b\^2 ?- ?4ac\)\)\/\(?2a\)? of it\.\s+∑_\(i ?= ?1\)\^n ?i\^2 ?= ?\(n\(n ?\+ ?1\)\(2n ?\+ ?1\)\)\/6\s+A ?= ?\(a, b; c, d\)\s+The end\./,
    );
  });

  test("and an unclosed one leaves the rest of a DOCX readable", async () => {
    const body = "<w:p><w:r><w:t>Before</w:t></w:r><m:oMathPara/><m:oMath/><w:r><w:t>after.</w:t></w:r></w:p>";
    expect(textOfAll(await extractDocx(sourceFile(docx(body)), extractionTools()))).toBe("Beforeafter.");
  });

  test("with XML special characters in a DOCX", async () => {
    const body = "<w:p><m:oMath><m:r><m:t>a &lt; b &amp; c</m:t></m:r></m:oMath></w:p>";
    expect(textOfAll(await extractDocx(sourceFile(docx(body)), extractionTools()))).toBe("a < b & c");
  });
});
