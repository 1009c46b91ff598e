import { paragraph } from "../clean-text.js";
import { equationText } from "../equation-text.js";
import { smallSigns, type Script } from "../small-signs.js";
import { attributeOf, childOf, descendantsOf, elementsOf, elementText, type XmlElement } from "../xml-events.js";
import { relatedTarget, type Relationship } from "./package.js";
import { singleSpaced } from "../../lib/single-spaced.js";

/** How the paragraphs of a shape are written: those of a body are list items unless they say otherwise. */
export interface TextStyle {
  readonly isList: boolean;
  readonly relationships: ReadonlyMap<string, Relationship>;
}

const INDENTATION = "  ";
const DEEPEST_LEVEL = 8;

/** The paragraphs of a text body as Markdown. */
export function bodyText(body: XmlElement | undefined, style: TextStyle): string {
  let isInList = false;
  const blocks: string[] = [];
  const numbers: number[] = [];
  for (const one of body ? elementsOf(body, "p") : []) {
    const text = paragraphText(one, style.relationships).trim();
    if (text === "") continue;
    const mark = listMark(one, style.isList, numbers);
    const block = mark === null ? paragraph(text) : `${mark} ${text.replace(/\s+/g, " ")}`;
    // Items of one list are on consecutive lines.
    if (mark !== null && isInList) blocks[blocks.length - 1] += `\n${block}`;
    else blocks.push(mark === null ? block : block.trimStart());
    isInList = mark !== null;
  }
  return blocks.join("\n\n");
}

/** The marker of a list item with its indentation, or null for a paragraph. @param numbers current number at each level */
function listMark(one: XmlElement, isList: boolean, numbers: number[]): string | null {
  const properties = childOf(one, "pPr");
  const level = Math.min(DEEPEST_LEVEL, Math.max(0, Number(attributeOf(properties, "lvl") ?? 0) || 0));
  const indentation = INDENTATION.repeat(level);
  numbers.length = Math.min(numbers.length, level + 1);
  if (childOf(properties, "buNone")) return null;
  if (childOf(properties, "buAutoNum")) {
    numbers[level] = (numbers[level] ?? 0) + 1;
    return `${indentation}${numbers[level]}.`;
  }
  return isList || level > 0 || childOf(properties, "buChar") ? `${indentation}-` : null;
}

/** The text of one paragraph, with web links and equations. */
export function paragraphText(one: XmlElement, relationships: ReadonlyMap<string, Relationship>): string {
  const pieces = elementsOf(one).map((child) => {
    if (child.name === "br") return "\n";
    if (child.name === "m") return descendantsOf(child, "oMath").map(equationText).join("\n");
    return child.name === "r" || child.name === "fld" ? runText(child, relationships) : "";
  });
  return pieces.join("");
}

function runText(run: XmlElement, relationships: ReadonlyMap<string, Relationship>): string {
  const properties = childOf(run, "rPr");
  const text = smallSigns(elementText(childOf(run, "t")).replace(/[\v\f]|_x000B_/g, "\n"), scriptOf(properties));
  const link = childOf(properties, "hlinkClick");
  const target = link && relatedTarget(link, relationships);
  if (!target?.isExternal || !/^(?:https?|mailto):[^\s()<>]+$/.test(target.target) || text.trim() === "") return text;
  return `[${text}](${target.target})`;
}

function scriptOf(properties: XmlElement | undefined): Script {
  const baseline = Number.parseInt(attributeOf(properties, "baseline") ?? "0", 10);
  if (baseline > 0) return "raised";
  return baseline < 0 ? "lowered" : null;
}

/** All text of a body on one line. */
export function lineOfDrawing(body: XmlElement | undefined, relationships: ReadonlyMap<string, Relationship>): string {
  const paragraphs = (body ? elementsOf(body, "p") : []).map((one) => paragraphText(one, relationships));
  return singleSpaced(paragraphs.join(" "));
}
