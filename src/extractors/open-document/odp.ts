import type { FormatExtractor } from "../format-extractor.js";
import { GatheredParts } from "../gathered-parts.js";
import { onlyFirst } from "../only-first.js";
import { givenTitle } from "../own-title.js";
import { attributeOf, elementsOf, elementText, xmlPieces, type XmlElement } from "../xml-events.js";
import { openDocument } from "./document.js";
import { createEquationReader, type EquationReader } from "./equations.js";
import { DocumentStyles, STYLE_ELEMENTS } from "./styles.js";
import { TextBlocks } from "./text-blocks.js";
import { singleSpaced } from "../../lib/single-spaced.js";

const CHOSEN: ReadonlySet<string> = new Set([...STYLE_ELEMENTS, "page"]);

/** LibreOffice and other OpenDocument presentations: one part per slide, with the speaker notes. */
export const extractOdp: FormatExtractor = (file, tools) => {
  const { limits } = tools;
  const { zip, content, properties } = openDocument(file.bytes, limits);
  const styles = DocumentStyles.of(zip, limits);
  const readEquation = createEquationReader(zip, limits);
  const gathered = new GatheredParts(limits);
  const hidden: number[] = [];
  let firstTitle = "";
  let slide = 0;
  for (const piece of xmlPieces(content, CHOSEN, limits)) {
    if (piece.kind !== "element") continue;
    styles.learn(piece.element);
    if (piece.element.name !== "page") continue;
    if (slide === limits.maximumPages) {
      gathered.note(onlyFirst(slide, null, "slides"));
      break;
    }
    slide += 1;
    const { title, text } = readSlide(piece.element, styles, readEquation);
    firstTitle ||= title;
    gathered.add(text, { slide });
    if (styles.isHidden(attributeOf(piece.element, "style-name") ?? "")) hidden.push(slide);
    tools.report({ unit: "slide", done: slide, total: null });
    if (gathered.isFull) break;
  }
  if (hidden.length > 0) gathered.note(`Hidden slides: ${hidden.join(", ")}.`);
  const title = givenTitle(properties.title) ?? (firstTitle || null);
  return Promise.resolve(gathered.content("text", { ...properties, title }, "The presentation has no text."));
};

/** Dates, numbers and names repeated on every slide. */
const REPEATED: ReadonlySet<string> = new Set(["date-time", "footer", "header", "page-number", "page"]);

function readSlide(
  page: XmlElement,
  styles: DocumentStyles,
  readEquation: EquationReader,
): { title: string; text: string } {
  const shapes = elementsOf(page).filter((shape) => !REPEATED.has(classOf(shape)));
  const titleShape = shapes.find((shape) => classOf(shape) === "title");
  const title = titleShape ? singleSpaced(elementText(titleShape)) : "";
  const blocks = shapes
    .filter((shape) => shape !== titleShape && shape.name !== "notes")
    .flatMap((shape) => blocksOf(shape, styles, readEquation));
  const notes = shapes
    .filter(({ name }) => name === "notes")
    .flatMap((shape) => elementsOf(shape).filter((inner) => !REPEATED.has(classOf(inner))))
    .flatMap((shape) => blocksOf(shape, styles, readEquation));
  const all = [...(title === "" ? [] : [`# ${title}`]), ...blocks, ...(notes.length > 0 ? ["Notes:", ...notes] : [])];
  return { title, text: all.join("\n\n") };
}

function classOf(shape: XmlElement): string {
  return attributeOf(shape, "class") ?? "";
}

function blocksOf(shape: XmlElement, styles: DocumentStyles, readEquation: EquationReader): string[] {
  const blocks = new TextBlocks(styles, readEquation);
  return [...blocks.take(shape), ...blocks.end()];
}
