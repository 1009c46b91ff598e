import { paragraph } from "../clean-text.js";
import { markdownTable } from "../markdown-table.js";
import { attributeOf, childOf, elementsOf, isElement, type XmlElement } from "../xml-events.js";
import type { EquationReader } from "./equations.js";
import { inlineText, type Beside } from "./inline-text.js";
import type { DocumentStyles } from "./styles.js";
import { singleSpaced } from "../../lib/single-spaced.js";

/** Containers whose blocks are read as if they stood alone. */
const AROUND: ReadonlySet<string> = new Set([
  "section",
  "text-box",
  "frame",
  "custom-shape",
  "g",
  "rect",
  "index-body",
]);
const DEEPEST_HEADING = 6;
/** A row or cell repeated more often than this is just empty space. */
const MOST_REPEATED = 100;
const MOST_COLUMNS = 1_000;

interface ListPlace {
  readonly style: string;
  /** From 1. */
  readonly level: number;
}

/** Converts the blocks of an OpenDocument text to Markdown, one at a time. */
export class TextBlocks {
  readonly #styles: DocumentStyles;
  readonly #readEquation: EquationReader;
  readonly #notes: string[] = [];
  #beside: XmlElement[] = [];
  #code: string[] = [];

  constructor(styles: DocumentStyles, readEquation: EquationReader) {
    this.#styles = styles;
    this.#readEquation = readEquation;
  }

  /**
   * The Markdown blocks of an element: none, one, or several including the shapes in it. Code lines are held back until the code
   * ends.
   */
  take(element: XmlElement): string[] {
    if (element.name === "p" && this.#styles.isCode(attributeOf(element, "style-name") ?? "")) {
      this.#code.push(this.#inline(element));
      return [];
    }
    return [...this.#endCode(), ...this.#block(element), ...this.#blocksBeside()];
  }

  /** The remaining output: the last code block, and the notes. */
  end(): string[] {
    return [...this.#endCode(), ...this.#notes.splice(0)];
  }

  #block(element: XmlElement): string[] {
    if (element.name === "p") return this.#paragraph(element);
    if (element.name === "h") return heading(this.#line(element), Number(attributeOf(element, "outline-level") ?? 1));
    if (element.name === "list") return this.#list(element, { style: "", level: 1 });
    if (element.name === "table") return this.#table(element);
    const equation = element.name === "frame" ? this.#readEquation(element) : null;
    if (equation !== null) return equation === "" ? [] : [paragraph(equation)];
    return AROUND.has(element.name) ? this.#blocksIn(element) : [];
  }

  /** Consecutive lists are merged: some programs write every item as a list of its own. */
  #blocksIn(element: XmlElement): string[] {
    const blocks: string[] = [];
    let isAfterList = false;
    for (const child of elementsOf(element)) {
      const [first, ...others] = this.#block(child);
      if (first === undefined) continue;
      const isList = child.name === "list";
      if (isList && isAfterList) blocks.push(`${blocks.pop() ?? ""}\n${first}`, ...others);
      else blocks.push(isList ? first.trimStart() : first, ...others);
      isAfterList = isList;
    }
    return blocks;
  }

  #paragraph(element: XmlElement): string[] {
    const style = attributeOf(element, "style-name") ?? "";
    if (this.#styles.isTitle(style)) return heading(this.#line(element), 1);
    const text = this.#inline(element).trim();
    return text === "" ? [] : [paragraph(text)];
  }

  #endCode(): string[] {
    const code = this.#code.splice(0).join("\n");
    if (code.trim() === "") return [];
    const fence = code.includes("```") ? "~~~~" : "```";
    return [`${fence}\n${code}\n${fence}`];
  }

  #inline(element: XmlElement): string {
    const beside: Beside = {
      frame: (frame) => void this.#beside.push(frame),
      equation: this.#readEquation,
      note: (note) => this.#note(note),
      scriptOf: (style) => this.#styles.scriptOf(style),
    };
    return inlineText(element, beside);
  }

  #line(element: XmlElement): string {
    return singleSpaced(this.#inline(element));
  }

  #blocksBeside(): string[] {
    const frames = this.#beside;
    this.#beside = [];
    return frames.flatMap((frame) => [...this.#blocksIn(frame), ...this.#blocksBeside()]);
  }

  #note(note: XmlElement): string {
    const name = this.#notes.length + 1;
    // Reserves the number before reading the note, which may contain another note.
    this.#notes.push("");
    const body = childOf(note, "note-body");
    const text = (body ? elementsOf(body) : []).flatMap((child) => this.#block(child)).join(" ");
    this.#notes[name - 1] = `[^${name}]: ${singleSpaced(text)}`;
    return `[^${name}]`;
  }

  #list(list: XmlElement, around: ListPlace): string[] {
    const place = { ...around, style: attributeOf(list, "style-name") ?? around.style };
    const blocks: string[] = [];
    let number = 0;
    let isOpen = false;
    for (const item of elementsOf(list).filter(({ name }) => name === "list-item" || name === "list-header")) {
      number = Number(attributeOf(item, "start-value")) || number + 1;
      const mark = this.#styles.isOrdered(place.style, place.level) ? `${number}. ` : "- ";
      const text = this.#listItem(item, mark, place);
      if (text === "") continue;
      // A numbered heading is a list item, but stays a heading.
      const isItem = !text.startsWith("#");
      if (isItem && isOpen) blocks[blocks.length - 1] += `\n${text}`;
      else blocks.push(text);
      isOpen = isItem;
    }
    return blocks;
  }

  #listItem(item: XmlElement, mark: string, place: ListPlace): string {
    let text = "";
    for (const child of elementsOf(item)) {
      const isList = child.name === "list";
      const inner = isList ? this.#list(child, { ...place, level: place.level + 1 }) : this.#block(child);
      const blocks = inner.filter((block) => block !== "").join("\n\n");
      if (blocks === "") continue;
      if (text === "" && isList) text = indent(blocks, mark.length);
      else if (text === "" && child.name === "h") text = blocks;
      else if (text === "") text = mark + indent(blocks, mark.length).trimStart();
      else text += (isList ? "\n" : "\n\n") + indent(blocks, mark.length);
    }
    return text;
  }

  #table(table: XmlElement): string[] {
    const rows = rowsOf(table);
    const only = rows.length === 1 ? cellsOf(rows[0]) : [];
    // A single cell is just a frame around text.
    if (only.length === 1) return only.flatMap((cell) => elementsOf(cell).flatMap((child) => this.#block(child)));
    const texts = rows.map((row) => this.#rowTexts(row)).filter((cells) => cells.some((cell) => cell !== ""));
    return texts.length === 0 ? [] : [markdownTable(texts)];
  }

  #rowTexts(row: XmlElement): string[] {
    const texts: string[] = [];
    for (const cell of cellsOf(row)) {
      const text = cell.name === "covered-table-cell" ? "" : this.#cellText(cell);
      for (let left = repeated(cell, "number-columns-repeated"); left > 0 && texts.length < MOST_COLUMNS; left -= 1)
        texts.push(text);
    }
    return texts;
  }

  #cellText(cell: XmlElement): string {
    const texts = elementsOf(cell).map((child) => {
      if (child.name === "p" || child.name === "h") return this.#line(child);
      if (child.name === "table")
        return rowsOf(child)
          .map((row) => this.#rowTexts(row).join(" "))
          .join(" ");
      return this.#block(child).join(" ");
    });
    return singleSpaced(texts.join(" "));
  }
}

function heading(text: string, level: number): string[] {
  return text === "" ? [] : [`${"#".repeat(Math.min(DEEPEST_HEADING, Math.max(1, level || 1)))} ${text}`];
}

function indent(text: string, by: number): string {
  return text.replace(/^(?=.)/gm, " ".repeat(by));
}

const ROW_GROUPS: ReadonlySet<string> = new Set(["table-header-rows", "table-rows", "table-row-group"]);

function rowsOf(table: XmlElement): XmlElement[] {
  return table.children.filter(isElement).flatMap((child) => {
    if (ROW_GROUPS.has(child.name)) return rowsOf(child);
    return child.name === "table-row" ? [child] : [];
  });
}

function cellsOf(row: XmlElement | undefined): XmlElement[] {
  return row ? elementsOf(row).filter(({ name }) => name === "table-cell" || name === "covered-table-cell") : [];
}

function repeated(element: XmlElement, attribute: string): number {
  const times = Number(attributeOf(element, attribute) ?? 1);
  return times >= 1 && times <= MOST_REPEATED ? Math.floor(times) : 1;
}
