import { elementsOf, localName, type XmlElement } from "../xml-events.js";
import type { DataNode } from "./data-node.js";

/**
 * Converts an element to data: attributes and child elements become fields, consecutive similar elements a list, mixed content a
 * text.
 */
export function dataOfElement(element: XmlElement): DataNode {
  const attributes = attributesOf(element);
  const children = elementsOf(element);
  const isMixed = element.children.some((child) => typeof child === "string" && child.trim() !== "");
  if (children.length === 0 || isMixed) {
    const text = flowingText(element);
    if (attributes.length === 0) return text;
    return { kind: "object", fields: text === "" ? attributes : [...attributes, ["text", text]] };
  }
  return { kind: "object", fields: [...attributes, ...groupLike(children)] };
}

function groupLike(children: readonly XmlElement[]): [string, DataNode][] {
  const groups: [name: string, items: DataNode[]][] = [];
  for (const child of children) {
    const last = groups.at(-1);
    if (last?.[0] === child.name) last[1].push(dataOfElement(child));
    else groups.push([child.name, [dataOfElement(child)]]);
  }
  return groups.map(([name, items]) => {
    const [only] = items;
    return [name, items.length === 1 && only !== undefined ? only : { kind: "list", items }];
  });
}

function attributesOf({ attributes }: XmlElement): [string, string][] {
  return Object.entries(attributes)
    .filter(([name, value]) => !/^xmlns(?::|$)|^xsi:/.test(name) && value.trim() !== "")
    .map(([name, value]) => [localName(name), value.trim()]);
}

/** The text of an element and its descendants, in order, with the descendants' attributes in brackets. */
export function flowingText(element: XmlElement): string {
  const pieces: string[] = [];
  addText(element, pieces);
  return pieces
    .join("")
    .replace(/[^\S\n]+/g, " ")
    .replace(/ ?\n ?/g, "\n")
    .trim();
}

function addText({ children }: XmlElement, pieces: string[]): void {
  for (const child of children) {
    if (typeof child === "string") pieces.push(child);
    else {
      pieces.push(" ");
      addText(child, pieces);
      const about = attributesOf(child).map(([name, value]) => `${name}: ${value}`);
      pieces.push(about.length === 0 ? " " : ` (${about.join(", ")}) `);
    }
  }
}
