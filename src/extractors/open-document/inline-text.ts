import { smallSigns, type Script } from "../small-signs.js";
import { attributeOf, isElement, type XmlElement } from "../xml-events.js";

/** What lies in a paragraph without being its text. */
export interface Beside {
  /** Text boxes, tables and other shapes, which follow the paragraph. */
  frame(element: XmlElement): void;
  /** What stands in the text for the equation that a frame shows; null for another frame. */
  equation(frame: XmlElement): string | null;
  /** How the text of a style stands to its line. */
  scriptOf(styleName: string): Script;
  /** A foot- or endnote. Returns what stands for it in the text. */
  note(element: XmlElement): string;
}

/** Comments, and what only other programs read. */
const UNSHOWN: ReadonlySet<string> = new Set(["annotation", "tracked-changes", "ruby-text", "forms", "script"]);
const FRAMES: ReadonlySet<string> = new Set(["frame", "custom-shape", "g", "rect", "text-box"]);
const MOST_SPACES = 100;

/** The text of a paragraph, with links to the web, spaces and line breaks as written. */
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
