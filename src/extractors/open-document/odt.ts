import type { FormatExtractor } from "../format-extractor.js";
import { GatheredParts } from "../gathered-parts.js";
import { xmlPieces } from "../xml-events.js";
import { openDocument } from "./document.js";
import { createEquationReader } from "./equations.js";
import { DocumentStyles, STYLE_ELEMENTS } from "./styles.js";
import { TextBlocks } from "./text-blocks.js";

/** Tables of contents and deleted text are read as whole pieces, so that nothing in them is taken for text. */
const NOT_READ = [
  "tracked-changes",
  "table-of-content",
  "illustration-index",
  "table-index",
  "object-index",
  "user-index",
  "alphabetical-index",
  "bibliography-configuration",
  "annotation",
  "forms",
];
const CHOSEN: ReadonlySet<string> = new Set([
  ...STYLE_ELEMENTS,
  ...NOT_READ,
  "p",
  "h",
  "list",
  "table",
  "frame",
  "custom-shape",
]);
/** Blocks are joined up to about this many characters, so that the text limit takes effect during reading. */
const PART_CHARACTERS = 1_000_000;

/** LibreOffice and other OpenDocument texts: headings, lists, tables, code and notes, with tracked changes read as accepted. */
export const extractOdt: FormatExtractor = (file, { limits }) => {
  const { zip, content, properties } = openDocument(file.bytes, limits);
  const styles = DocumentStyles.of(zip, limits);
  const blocks = new TextBlocks(styles, createEquationReader(zip, limits));
  const gathered = new GatheredParts(limits);
  let waiting: string[] = [];
  let characters = 0;
  const give = () => {
    gathered.add(waiting.join("\n\n"), {});
    waiting = [];
    characters = 0;
  };
  for (const piece of xmlPieces(content, CHOSEN, limits)) {
    if (piece.kind !== "element") continue;
    if (STYLE_ELEMENTS.includes(piece.element.name)) styles.learn(piece.element);
    const taken = blocks.take(piece.element);
    waiting.push(...taken);
    characters += taken.reduce((sum, { length }) => sum + length, 0);
    if (characters > PART_CHARACTERS) give();
    if (gathered.isFull) break;
  }
  waiting.push(...blocks.end());
  give();
  return Promise.resolve(
    gathered.content("text", { ...properties, title: gathered.titled(properties.title) }, "The document has no text."),
  );
};
