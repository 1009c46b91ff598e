import { truncate } from "../lib/truncate.js";
import { columnName } from "./column-name.js";
import type { GatheredParts } from "./gathered-parts.js";
import { tableHead, tableRow } from "./markdown-table.js";
import { singleSpaced } from "../lib/single-spaced.js";

const ROWS_PER_PART = 200;
/** Maximum characters per part; a longer one is split before it has 200 rows. */
const CHARACTERS_PER_PART = 200_000;
/** Excel's maximum for a cell. */
const LONGEST_CELL = 32_767;
/** Excel allows 31 characters; each part of a sheet repeats its name. */
const LONGEST_NAME = 100;
/** Maximum number of initial rows that may be a title above the table. */
const MOST_TITLE_ROWS = 5;

/** A non-empty row of a sheet: texts by column, from 1. */
export interface SheetRow {
  /** From 1. */
  readonly number: number;
  readonly cells: ReadonlyMap<number, string>;
}

/** Turns the rows of a sheet, as they arrive, into parts that each repeat the header and the sheet's name. */
export class SheetParts {
  readonly #sheet: string;
  readonly #gathered: GatheredParts;
  #titles: SheetRow[] = [];
  #header: SheetRow | null = null;
  #rows: SheetRow[] = [];
  #characters = 0;

  constructor(sheet: string, gathered: GatheredParts) {
    this.#sheet = truncate(singleSpaced(sheet), LONGEST_NAME);
    this.#gathered = gathered;
  }

  /** Adds the next row. @returns false once nothing more is accepted */
  add(number: number, cells: Iterable<readonly [column: number, text: string]>): boolean {
    const row = { number, cells: this.#fitting(cells) };
    if (row.cells.size > 0) this.#take(row);
    return !this.#gathered.isFull;
  }

  /** Outputs the remaining rows. */
  end(): void {
    if (this.#header === null) this.#giveTitles();
    else if (this.#rows.length > 0 || this.#titles.length > 0 || this.#isFirst) this.#give();
  }

  #isFirst = true;

  /** Keeps a row within the limit on the whole text. */
  #fitting(cells: Iterable<readonly [column: number, text: string]>): Map<number, string> {
    const fitting = new Map<number, string>();
    let length = 0;
    for (const [column, text] of cells) {
      if (text.trim() === "") continue;
      fitting.set(column, text.slice(0, LONGEST_CELL));
      length += Math.min(text.length, LONGEST_CELL);
      if (length > this.#gathered.room) break;
    }
    return fitting;
  }

  #take(row: SheetRow): void {
    const isTitle = row.cells.size === 1 && this.#titles.length < MOST_TITLE_ROWS;
    if (this.#header === null && isTitle) this.#titles.push(row);
    else if (this.#header === null) this.#header = row;
    else this.#takeOfTable(row);
  }

  #takeOfTable(row: SheetRow): void {
    this.#rows.push(row);
    for (const text of row.cells.values()) this.#characters += text.length;
    if (this.#rows.length >= ROWS_PER_PART || this.#characters > CHARACTERS_PER_PART) this.#give();
  }

  /** A sheet with only one cell in each row is a table of one column. */
  #giveTitles(): void {
    const [header, ...rows] = this.#titles;
    if (!header) return;
    this.#titles = [];
    this.#header = header;
    this.#rows = rows;
    this.#give();
  }

  #give(): void {
    const header = this.#header;
    if (!header) return;
    if (this.#titles.length === MOST_TITLE_ROWS && header.cells.size === 1) this.#makeTitlesRows(header);
    const table = this.#table(this.#header ?? header);
    const titles = this.#titles.map(({ cells }) => [...cells.values()].join(" "));
    const covered = [...this.#titles, ...(this.#isFirst && this.#header ? [this.#header] : []), ...this.#rows];
    const text = [`## ${this.#sheet}`, ...titles, table].join("\n\n");
    this.#gathered.add(text, { sheet: this.#sheet, range: rangeOf(covered) });
    this.#isFirst = false;
    this.#titles = [];
    this.#rows = [];
    this.#characters = 0;
  }

  /** This many single cells are not a title but a column. */
  #makeTitlesRows(header: SheetRow): void {
    const [first, ...others] = this.#titles;
    this.#header = first ?? header;
    this.#rows = [...others, header, ...this.#rows];
    this.#titles = [];
  }

  /** Columns that are empty throughout the part are left out. */
  #table(header: SheetRow): string {
    const filled = new Set([header, ...this.#rows].flatMap(({ cells }) => [...cells.keys()]));
    const columns = [...filled].sort((one, other) => one - other);
    const texts = ({ cells }: SheetRow) => columns.map((column) => cells.get(column) ?? "");
    return [...tableHead(texts(header), columns.length), ...this.#rows.map((row) => tableRow(texts(row)))].join("\n");
  }
}

function rangeOf(rows: readonly SheetRow[]): string {
  let [first, last, left, right] = [Infinity, 1, Infinity, 1];
  for (const { number, cells } of rows) {
    [first, last] = [Math.min(first, number), Math.max(last, number)];
    for (const column of cells.keys()) [left, right] = [Math.min(left, column), Math.max(right, column)];
  }
  return `${columnName(left)}${first}:${columnName(right)}${last}`;
}
