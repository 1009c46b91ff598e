import { equationText } from "../equation-text.js";
import { ExtractionError } from "../extraction-error.js";
import type { ExtractionLimits } from "../format-extractor.js";
import { descendantsOf, readXmlTree } from "../xml-events.js";

const BEGIN = "<m:oMath";

/**
 * Replaces the equations in a part of a DOCX by runs of text. An equation that is unterminated or unreadable stays as it is.
 * @throws ExtractionError `too_large` for elements nested too deep
 */
export function withEquationsAsText(part: string, limits: ExtractionLimits): string {
  const pieces: string[] = [];
  let from = 0;
  for (let begin = part.indexOf(BEGIN); begin !== -1; begin = part.indexOf(BEGIN, from)) {
    const name = /^<(m:oMath(?:Para)?)[\s>]/.exec(part.slice(begin, begin + 20))?.[1];
    const end = name === undefined ? -1 : part.indexOf(`</${name}>`, begin);
    if (name === undefined || end === -1) {
      pieces.push(part.slice(from, begin + BEGIN.length));
      from = begin + BEGIN.length;
      if (name !== undefined) break;
      continue;
    }
    const after = end + `</${name}>`.length;
    pieces.push(part.slice(from, begin), runOf(part.slice(begin, after), limits));
    from = after;
  }
  return pieces.join("") + part.slice(from);
}

function runOf(equations: string, limits: ExtractionLimits): string {
  const texts = textsOf(equations, limits);
  if (texts === null) return equations;
  return `<w:r><w:t xml:space="preserve">${escapeXml(texts.join("\n"))}</w:t></w:r>`;
}

function textsOf(equations: string, limits: ExtractionLimits): string[] | null {
  try {
    const tree = readXmlTree(Buffer.from(`<equations>${equations}</equations>`), limits);
    return descendantsOf(tree, "oMath").map(equationText);
  } catch (error) {
    if (error instanceof ExtractionError && error.reason === "damaged") return null;
    throw error;
  }
}

function escapeXml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
