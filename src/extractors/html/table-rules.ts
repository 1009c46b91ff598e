import type TurndownService from "turndown";
import { markdownTable } from "../markdown-table.js";
import { smallSigns } from "../small-signs.js";
import { singleSpaced } from "../../lib/single-spaced.js";

/** Placeholders for the ends of cells and rows until their table is written; cleaned text never contains them. */
const CELL_END = "\u0001";
const ROW_END = "\u0002";

/** What a cell without text becomes; other blank elements are dropped. */
export function blankCell({ nodeName }: { readonly nodeName: string }): string | null {
  return nodeName === "TD" || nodeName === "TH" ? CELL_END : null;
}

/**
 * Makes a converter write tables, superscripts and subscripts, and leave text alone except for lines that would accidentally
 * become headings.
 */
export function addTableRules(converter: TurndownService): void {
  converter.escape = (text) => text.replace(/^(#{1,6}) /gm, "\\$1 ");
  converter.addRule("raised", { filter: "sup", replacement: (content) => smallSigns(content, "raised") });
  converter.addRule("lowered", { filter: "sub", replacement: (content) => smallSigns(content, "lowered") });
  converter.addRule("cell", { filter: ["td", "th"], replacement: (content) => `${singleSpaced(content)}${CELL_END}` });
  converter.addRule("row", { filter: "tr", replacement: (content) => `${content}${ROW_END}` });
  converter.addRule("table", {
    filter: "table",
    replacement: (content) => `\n\n${markdownTable(rowsOf(content))}\n\n`,
  });
}

function rowsOf(content: string): string[][] {
  return content
    .split(ROW_END)
    .filter((row) => row.includes(CELL_END))
    .map((row) => row.split(CELL_END).slice(0, -1).map(singleSpaced));
}
