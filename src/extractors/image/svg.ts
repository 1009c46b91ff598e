import { decodeText } from "../../lib/text-bytes.js";
import { extracted } from "../extracted.js";
import { ExtractionError } from "../extraction-error.js";
import type { ExtractionTools, FormatExtractor } from "../format-extractor.js";

/** Elements whose text people see or hear; one line each. */
const LINES = new Set(["text", "title", "desc", "p", "div", "li", "h1", "h2", "h3"]);
const HIDDEN = new Set(["script", "style", "metadata", "defs"]);

/**
 * Reads the text of an SVG drawing: its title, its description and its text elements. Scripts and styles are skipped, and nothing
 * that it refers to is fetched.
 * @throws ExtractionError `damaged` for text that is not XML, `too_large` where it is nested too deep, `empty` without any text
 */
export const extractSvg: FormatExtractor = async (file, tools) => {
  const source = decodeText(file.bytes);
  if (source === null) throw new ExtractionError("damaged", "The drawing is not encoded in UTF-8 or UTF-16.");
  const { title, lines, isCut } = await readDrawing(source, tools);
  const written = lines.filter((line) => line !== "");
  if (written.length === 0) throw new ExtractionError("empty", "The drawing has no text, only lines and shapes.");
  const notes = isCut ? ["The drawing is damaged: only the part before the damage was read."] : [];
  return extracted("image", [{ text: written.join("\n"), place: { page: 1 } }], { title, notes });
};

interface Drawing {
  readonly title: string | null;
  readonly lines: readonly string[];
  readonly isCut: boolean;
}

async function readDrawing(source: string, { limits }: ExtractionTools): Promise<Drawing> {
  const { SaxesParser } = await import("saxes");
  const parser = new SaxesParser();
  const lines: string[] = [];
  let title: string | null = null;
  let open: string[] = [];
  let text = "";
  let isCut = false;
  const end = () => {
    const line = text.replace(/[\p{Cc}\p{Surrogate}\s]+/gu, " ").trim();
    text = "";
    return line;
  };
  parser.on("opentag", ({ name }) => {
    open.push(localName(name));
    if (open.length > limits.maximumDepth)
      throw new ExtractionError("too_large", "The drawing is nested too deeply to be read.");
    if (LINES.has(localName(name))) lines.push(end());
  });
  parser.on("text", (piece) => {
    if (!open.some((name) => HIDDEN.has(name)) && open.some((name) => LINES.has(name))) text += piece;
  });
  parser.on("closetag", ({ name }) => {
    open = open.slice(0, -1);
    if (!LINES.has(localName(name))) return;
    const line = end();
    if (localName(name) === "title" && open.length === 1) title = line || title;
    lines.push(line);
  });
  parser.on("doctype", (doctype) => {
    if (doctype.includes("<!ENTITY"))
      throw new ExtractionError("damaged", "The drawing defines entities, which are not supported.");
  });
  // Everything before a syntax error is read; the rest is not.
  parser.on("error", () => {
    isCut = true;
    throw new Damage();
  });
  try {
    parser.write(source.slice(0, limits.maximumTextBytes)).close();
  } catch (error) {
    if (!(error instanceof Damage)) throw error;
  }
  return { title, lines, isCut };
}

class Damage extends Error {}

function localName(name: string): string {
  return name.slice(name.indexOf(":") + 1).toLowerCase();
}
