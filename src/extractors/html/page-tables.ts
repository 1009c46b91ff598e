import type { PageDocument, PageElement } from "./page-dom.js";

/** Maximum number of columns or rows that one cell may span. */
const WIDEST_CELL = 100;
/** Maximum number of cells added, over all tables, to give every row all its columns. */
const MOST_ADDED_CELLS = 10_000;
const TABLE_ELEMENTS = "table,thead,tbody,tfoot,tr,td,th,caption";

/** Layout tables become plain blocks; in other tables every cell gets its own column. */
export function prepareTables(document: PageDocument): void {
  const tables = [...document.querySelectorAll("table")];
  const layouts = tables.filter(isLayout);
  for (const layout of layouts) dissolve(document, layout);
  const kept = new Set(layouts);
  const room = { cells: MOST_ADDED_CELLS };
  for (const table of tables) {
    if (kept.has(table)) continue;
    for (const caption of table.querySelectorAll("caption")) {
      const line = document.createElement("p");
      line.append(caption.textContent ?? "");
      caption.remove();
      table.replaceWith(line, table);
    }
    spreadCells(document, table.querySelectorAll("tr"), room);
  }
}

/**
 * Gives every cell of every table its own column, in HTML that is not a web page: there are no layout tables there, and tables
 * may be nested.
 */
export function spreadTables(document: PageDocument): void {
  const rows = new Map<PageElement | null, PageElement[]>();
  for (const row of document.querySelectorAll("tr")) {
    const around = row.parentElement;
    const table = around?.tagName === "TABLE" ? around : (around?.parentElement ?? null);
    const known = rows.get(table);
    if (known) known.push(row);
    else rows.set(table, [row]);
  }
  const room = { cells: MOST_ADDED_CELLS };
  for (const own of rows.values()) spreadCells(document, own, room);
}

/**
 * Removes the names of table rows and cells, which make article extraction mistake them for page furniture: pandoc gives the
 * first row of every table the class `header`. Layout tables keep theirs.
 */
export function forgetNamesOfCells(document: PageDocument): void {
  for (const table of document.querySelectorAll("table"))
    if (!isLayout(table))
      for (const element of table.querySelectorAll(TABLE_ELEMENTS))
        for (const name of ["class", "id"]) element.removeAttribute(name);
}

/** A table with one column, with a table in it, or with headings or several paragraphs in its cells. */
function isLayout(table: PageElement): boolean {
  if (table.getAttribute("role") === "presentation" || table.querySelector("table,h1,h2,h3,h4,pre,p + p")) return true;
  return !table.querySelector("td + td,th + td,td + th,th + th");
}

function dissolve(document: PageDocument, table: PageElement): void {
  const own = [...table.querySelectorAll(TABLE_ELEMENTS)].filter(
    (element) => element.tagName !== "TABLE" && element.closest("table") === table,
  );
  for (const element of [...own, table]) {
    const block = document.createElement("div");
    block.append(...element.childNodes);
    element.replaceWith(block);
  }
}

function spreadCells(document: PageDocument, rows: Iterable<PageElement>, room: { cells: number }): void {
  /** How many more rows of each column a cell above spans. */
  const taken: number[] = [];
  for (const row of rows) {
    let column = 0;
    let last: PageElement | null = null;
    const fill = (): void => {
      while ((taken[column] ?? 0) > 0 && room.cells > 0) {
        taken[column] = (taken[column] ?? 1) - 1;
        last = addCell(document, row, last);
        room.cells -= 1;
        column += 1;
      }
    };
    for (const cell of [...row.children].filter(({ tagName }) => tagName === "TD" || tagName === "TH")) {
      fill();
      const width = spanOf(cell, "colspan");
      const height = spanOf(cell, "rowspan");
      last = cell;
      for (let added = 0; added < width; added += 1) {
        if (added > 0 && room.cells > 0) {
          last = addCell(document, row, last);
          room.cells -= 1;
        }
        taken[column] = height - 1;
        column += 1;
      }
    }
    fill();
  }
}

function addCell(document: PageDocument, row: PageElement, before: PageElement | null): PageElement {
  const cell = document.createElement("td");
  if (before) before.after(cell);
  else {
    const rest = [...row.childNodes];
    row.append(cell, ...rest);
  }
  return cell;
}

function spanOf(cell: PageElement, name: string): number {
  const span = Number(cell.getAttribute(name) ?? 1);
  return Number.isInteger(span) && span > 1 ? Math.min(span, WIDEST_CELL) : 1;
}
