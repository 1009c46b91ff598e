import type { FormatExtractor } from "../format-extractor.js";
import { GatheredParts } from "../gathered-parts.js";
import { givenTitle } from "../own-title.js";
import { onlyFirst } from "../only-first.js";
import { markdownTable } from "../markdown-table.js";
import { attributeOf, childOf, descendantsOf, elementsOf, type XmlElement } from "../xml-events.js";
import { bodyText, lineOfDrawing } from "./drawing-text.js";
import { openPackage, packageProperties, relatedTarget, type OfficePackage, type Relationship } from "./package.js";

/** PowerPoint presentations: one part per slide, in presentation order, with the speaker notes. */
export const extractPptx: FormatExtractor = (file, tools) => {
  const office = openPackage(file.bytes, "ppt/presentation.xml", tools.limits);
  const all = slideParts(office);
  const slides = all.slice(0, tools.limits.maximumPages);
  const gathered = new GatheredParts(tools.limits);
  const titles: string[] = [];
  const hidden: number[] = [];
  for (const [index, part] of slides.entries()) {
    const slide = readSlide(office, part);
    gathered.add(slide.text, { slide: index + 1 });
    titles.push(slide.title);
    if (slide.isHidden) hidden.push(index + 1);
    tools.report({ unit: "slide", done: index + 1, total: slides.length });
    if (gathered.isFull) break;
  }
  if (slides.length < all.length) gathered.note(onlyFirst(slides.length, all.length, "slides"));
  if (hidden.length > 0) gathered.note(`Hidden slides: ${hidden.join(", ")}.`);
  const properties = packageProperties(office);
  const title = givenTitle(properties.title) ?? (titles.find((one) => one !== "") || null);
  return Promise.resolve(gathered.content("text", { ...properties, title }, "The presentation has no text."));
};

function slideParts(office: OfficePackage): string[] {
  const tree = office.tree(office.mainPart);
  const relationships = office.relationships(office.mainPart);
  const listed = tree ? elementsOf(childOf(tree, "sldIdLst") ?? { ...tree, children: [] }, "sldId") : [];
  return listed.flatMap((entry) => relatedTarget(entry, relationships)?.target ?? []);
}

interface Slide {
  readonly title: string;
  readonly text: string;
  readonly isHidden: boolean;
}

function readSlide(office: OfficePackage, part: string): Slide {
  const tree = office.tree(part);
  if (!tree) return { title: "", text: "", isHidden: false };
  const relationships = office.relationships(part);
  const shapes = shapesOf(tree);
  const title = shapes.find((shape) => TITLES.has(placeholderOf(shape) ?? ""));
  const heading = title ? lineOfDrawing(childOf(title, "txBody"), relationships) : "";
  const blocks = shapes.filter((shape) => shape !== title).map((shape) => shapeText(shape, office, relationships));
  const notes = notesOf(office, relationships);
  const all = [heading && `# ${heading}`, ...blocks, notes && `Notes:\n\n${notes}`];
  return {
    title: heading,
    text: all.filter((block) => block !== "").join("\n\n"),
    isHidden: attributeOf(tree, "show") === "0" || attributeOf(tree, "show") === "false",
  };
}

/** Every shape of a slide, including those in groups, in stacking order, which is the reading order. */
function shapesOf(slide: XmlElement): XmlElement[] {
  const tree = childOf(childOf(slide, "cSld"), "spTree");
  const flat = (parent: XmlElement): XmlElement[] =>
    elementsOf(parent).flatMap((child) => {
      if (child.name === "grpSp") return flat(child);
      // The fallback for older programs duplicates the content.
      return child.name === "AlternateContent" ? flat(childOf(child, "Choice") ?? child) : [child];
    });
  return tree ? flat(tree) : [];
}

/** The kind of a placeholder, such as `title` or `body`; undefined for other shapes. */
function placeholderOf(shape: XmlElement): string | undefined {
  const properties = elementsOf(shape)
    .map((child) => childOf(childOf(child, "nvPr"), "ph"))
    .find((found) => found !== undefined);
  return properties && (attributeOf(properties, "type") ?? "obj");
}

/** Dates, numbers and names repeated on every slide. */
const REPEATED: ReadonlySet<string> = new Set(["dt", "ftr", "hdr", "sldNum", "sldImg"]);
const TITLES: ReadonlySet<string> = new Set(["title", "ctrTitle"]);
const LISTS: ReadonlySet<string> = new Set(["obj", "body"]);

function shapeText(shape: XmlElement, office: OfficePackage, relationships: ReadonlyMap<string, Relationship>): string {
  if (shape.name === "graphicFrame") return frameText(shape, office, relationships);
  const placeholder = placeholderOf(shape) ?? "";
  if (shape.name !== "sp" || REPEATED.has(placeholder)) return "";
  return bodyText(childOf(shape, "txBody"), { isList: LISTS.has(placeholder), relationships });
}

/** A table or a diagram. */
function frameText(frame: XmlElement, office: OfficePackage, relationships: ReadonlyMap<string, Relationship>): string {
  const tables = descendantsOf(frame, "tbl").map((table) => tableText(table, relationships));
  const diagrams = descendantsOf(frame, "relIds").map((ids) =>
    diagramText(office, relatedTarget(ids, relationships, "dm")),
  );
  return [...tables, ...diagrams].filter((text) => text !== "").join("\n\n");
}

function tableText(table: XmlElement, relationships: ReadonlyMap<string, Relationship>): string {
  const rows = elementsOf(table, "tr").map((row) =>
    elementsOf(row, "tc").map((cell) => lineOfDrawing(childOf(cell, "txBody"), relationships)),
  );
  return markdownTable(rows.filter((row) => row.some((cell) => cell !== "")));
}

function diagramText(office: OfficePackage, data: Relationship | undefined): string {
  const tree = data && !data.isExternal ? office.tree(data.target) : null;
  if (!tree) return "";
  const none = new Map<string, Relationship>();
  const points = elementsOf(childOf(tree, "ptLst") ?? tree, "pt").map((point) =>
    lineOfDrawing(childOf(point, "t"), none),
  );
  return points.flatMap((point) => (point === "" ? [] : `- ${point}`)).join("\n");
}

function notesOf(office: OfficePackage, relationships: ReadonlyMap<string, Relationship>): string {
  const part = [...relationships.values()].find(({ kind }) => kind === "notesSlide")?.target;
  const tree = part === undefined ? null : office.tree(part);
  if (part === undefined || !tree) return "";
  const style = { isList: false, relationships: office.relationships(part) };
  const bodies = shapesOf(tree).filter((shape) => shape.name === "sp" && !REPEATED.has(placeholderOf(shape) ?? ""));
  return bodies
    .map((shape) => bodyText(childOf(shape, "txBody"), style))
    .filter((text) => text !== "")
    .join("\n\n");
}
