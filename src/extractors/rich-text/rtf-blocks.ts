import { paragraph } from "../clean-text.js";
import { markdownTable } from "../markdown-table.js";
import { singleSpaced } from "../../lib/single-spaced.js";

/** Properties of the current paragraph, besides its text. */
export interface ParagraphKind {
  /** From 1; null if it is not a heading. */
  readonly heading: number | null;
  readonly isInTable: boolean;
  /** The list marker stored in the file, such as `•` or `2.`; null if there is none. */
  readonly listSign: string | null;
  /** From 0; null if only the indentation shows it. */
  readonly listLevel: number | null;
  /** Twentieths of a point. */
  readonly indentation: number;
}

const DEEPEST_HEADING = 6;
const DEEPEST_ITEM = 8;
/** The usual indentation per list level. */
const INDENTATION = 360;
const MOST_CELLS = 1_000;
/** The list marker in the text of programs that have no lists. */
const SIGN_IN_TEXT = /^(?:[\u2022\u00b7\u25e6\u25aa\u2013*-]|\d{1,3}[.)])\t\s*/;

/** Assembles the paragraphs, lists and tables of one text flow. */
export class RtfBlocks {
  readonly #blocks: string[] = [];
  #text: string[] = [];
  #isFixed = true;
  #code: string[] = [];
  #cell: string[] = [];
  #cells: string[] = [];
  #rows: string[][] = [];
  #isInList = false;
  #isOrdered = false;

  /** @param isFixed whether the font is monospaced, as for code */
  write(text: string, isFixed: boolean): void {
    this.#text.push(text);
    if (text.trim() !== "") this.#isFixed &&= isFixed;
  }

  endParagraph(kind: ParagraphKind): void {
    const text = this.#takeText();
    if (kind.isInTable) {
      this.#cell.push(text.text);
      return;
    }
    this.#endTable();
    const sign = kind.listSign ?? SIGN_IN_TEXT.exec(text.text)?.[0] ?? null;
    if (text.isCode && kind.heading === null && sign === null) {
      this.#code.push(text.text);
      return;
    }
    this.#endCode();
    const line = text.text.trim();
    if (line === "") return;
    if (kind.heading !== null)
      this.#push(`${"#".repeat(Math.min(DEEPEST_HEADING, kind.heading))} ${singleSpaced(line)}`);
    else if (sign !== null) this.#pushItem(singleSpaced(line.replace(SIGN_IN_TEXT, "")), sign, levelOf(kind));
    else this.#push(paragraph(line));
  }

  endCell(): void {
    this.#cell.push(this.#takeText().text);
    if (this.#cells.length < MOST_CELLS) this.#cells.push(singleSpaced(this.#cell.join(" ")));
    this.#cell = [];
  }

  endRow(): void {
    if (this.#cells.some((cell) => cell !== "")) this.#rows.push(this.#cells);
    this.#cells = [];
  }

  /** Returns and clears all blocks. */
  end(kind: ParagraphKind): string[] {
    this.endParagraph({ ...kind, isInTable: false });
    this.#endTable();
    this.#endCode();
    return this.#blocks.splice(0);
  }

  #takeText(): { text: string; isCode: boolean } {
    const text = this.#text.join("");
    const isCode = this.#isFixed && text.trim() !== "";
    this.#text = [];
    this.#isFixed = true;
    return { text, isCode };
  }

  #push(block: string): void {
    this.#blocks.push(block);
    this.#isInList = false;
  }

  #pushItem(text: string, sign: string, level: number): void {
    const mark =
      /^\s*[\da-z]{1,4}[.)]/i
        .exec(sign)?.[0]
        .trim()
        .replace(/^[a-z]+[.)]$/i, "1.") ?? "-";
    const item = `${"   ".repeat(level)}${mark} ${text}`;
    const isOrdered = mark !== "-";
    const isSameList = level > 0 || isOrdered === this.#isOrdered;
    if (level === 0) this.#isOrdered = isOrdered;
    if (this.#isInList && isSameList) this.#blocks[this.#blocks.length - 1] += `\n${item}`;
    else this.#blocks.push(item.trimStart());
    this.#isInList = true;
  }

  #endTable(): void {
    if (this.#cells.length > 0) this.endRow();
    const rows = this.#rows;
    this.#rows = [];
    // Text in cells without a row must not be lost.
    const rest = singleSpaced(this.#cell.splice(0).join(" "));
    if (rows.length > 0) {
      this.#endCode();
      this.#push(markdownTable(rows));
    }
    if (rest !== "") this.#push(paragraph(rest));
  }

  #endCode(): void {
    const code = this.#code.splice(0).join("\n");
    const fence = code.includes("```") ? "~~~~" : "```";
    if (code !== "") this.#push(`${fence}\n${code}\n${fence}`);
  }
}

function levelOf({ listLevel, indentation }: ParagraphKind): number {
  const level = listLevel ?? Math.round(indentation / INDENTATION) - 1;
  return Math.min(DEEPEST_ITEM, Math.max(0, level));
}
