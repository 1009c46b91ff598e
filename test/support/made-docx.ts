import { zipSync } from "fflate";

/** A ZIP archive of texts. */
export function archive(parts: Readonly<Record<string, string>>): Uint8Array {
  return zipSync(Object.fromEntries(Object.entries(parts).map(([name, text]) => [name, Buffer.from(text)])));
}

const WORD =
  'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"';
const RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";

/** A DOCX file. @param body XML of its body; the prefix `m` is for equations */
export function docx(body: string, { title = "", notes = "" } = {}): Uint8Array {
  const style = (id: string, name: string) =>
    `<w:style w:type="paragraph" w:styleId="${id}"><w:name w:val="${name}"/></w:style>`;
  return archive({
    "[Content_Types].xml": `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="xml" ContentType="application/xml"/><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/></Types>`,
    "_rels/.rels": `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="a" Type="${RELATIONS}/officeDocument" Target="word/document.xml"/><Relationship Id="b" Type="http://schemas.openxmlformats.org/package/2006/relationships/metadata/core-properties" Target="docProps/core.xml"/></Relationships>`,
    "docProps/core.xml": `<cp:coreProperties xmlns:cp="c" xmlns:dc="d"><dc:title>${title}</dc:title></cp:coreProperties>`,
    "word/_rels/document.xml.rels": `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="s" Type="${RELATIONS}/styles" Target="styles.xml"/><Relationship Id="n" Type="${RELATIONS}/footnotes" Target="footnotes.xml"/></Relationships>`,
    "word/styles.xml": `<w:styles ${WORD}>${style("Heading1", "heading 1")}${style("Title", "Title")}</w:styles>`,
    "word/footnotes.xml": `<w:footnotes ${WORD}>${notes}</w:footnotes>`,
    "word/document.xml": `<w:document ${WORD}><w:body>${body}</w:body></w:document>`,
  });
}

/** A paragraph of a DOCX file. @param more what follows its text */
export function paragraph(text: string, style = "", more = ""): string {
  return `<w:p><w:pPr><w:pStyle w:val="${style}"/></w:pPr><w:r><w:t>${text}</w:t></w:r>${more}</w:p>`;
}
