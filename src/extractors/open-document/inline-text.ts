import { smallSigns, type Script } from "../small-signs.js";
import { attributeOf, isElement, type XmlElement } from "../xml-events.js";

/** Handles what is inside a paragraph without being part of its text. */
export interface Beside {
  /** Text boxes, tables and other shapes, which follow the paragraph. */
  frame(element: XmlElement): void;
  /** The text of the equation in a frame; null for any other frame. */
  equation(frame: XmlElement): string | null;
  /** Whether the text of a style is superscript or subscript. */
  scriptOf(styleName: string): Script;
  /** A footnote or endnote. @returns the text of its reference */
  note(element: XmlElement): string;
}

/** Comments, and data for other programs. */
const UNSHOWN: ReadonlySet<string> = new Set(["annotation", "tracked-changes", "ruby-text", "forms", "script"]);
const FRAMES: ReadonlySet<string> = new Set(["frame", "custom-shape", "g", "rect", "text-box"]);
const MOST_SPACES = 100;

/** The text of a paragraph, with web links, spaces and line breaks as written. */
export function inlineText(element: XmlElement, beside: Beside): string {
  return element.children.map((child) => pieceText(child, beside)).join("");
}

function pieceText(child: XmlElement | string, beside: Beside): string {
  if (!isElement(child)) return child.replace(/[ \t\r\n]+/g, " ");
  if (UNSHOWN.has(child.name)) return "";
  if (FRAMES.has(child.name)) return beside.equation(child) ?? (beside.frame(child), "");
  switch (child.name) {
    case "s":
      return " ".repeat(Math.min(MOST_SPACES, Math.max(1, Number(attributeOf(child, "c") ?? 1) || 1)));
    case "tab":
      return "\t";
    case "line-break":
      return "\n";
    case "note":
      return beside.note(child);
    case "a":
      return link(inlineText(child, beside), attributeOf(child, "href") ?? "");
    case "span":
      return smallSigns(inlineText(child, beside), beside.scriptOf(attributeOf(child, "style-name") ?? ""));
    default:
      return inlineText(child, beside);
  }
}

function link(text: string, address: string): string {
  const isUseful = /^(?:https?|mailto):[^\s()<>]+$/.test(address) && text.trim() !== "";
  return isUseful ? `[${text}](${address})` : text;
}
