import type { DataNode } from "./data-node.js";

const MOST_COLUMNS = 40;
const LONGEST_CELL = 400;
/** Minimum share of the cells that must not be empty. */
const FILLED = 0.5;

/**
 * Columns and rows of similar objects, header first; null where no table fits: multi-line text, lists of objects, few common
 * names.
 */
export function tableOf(items: readonly DataNode[]): string[][] | null {
  if (items.length < 2) return null;
  const columns = new Map<string, number>();
  const rows: Map<string, string>[] = [];
  let filled = 0;
  for (const item of items) {
    const row = rowOf(item);
    if (row === null) return null;
    for (const name of row.keys()) if (!columns.has(name)) columns.set(name, columns.size);
    if (columns.size > MOST_COLUMNS) return null;
    filled += row.size;
    rows.push(row);
  }
  if (columns.size === 0 || filled < FILLED * columns.size * rows.length) return null;
  const names = [...columns.keys()];
  return [names, ...rows.map((row) => names.map((name) => row.get(name) ?? ""))];
}

function rowOf(item: DataNode): Map<string, string> | null {
  if (typeof item === "string" || item.kind === "list") return null;
  const row = new Map<string, string>();
  return fill(row, item, "") ? row : null;
}

/** Nested objects become columns such as `address.city`. @returns false for what does not fit into cells */
function fill(row: Map<string, string>, node: DataNode, path: string): boolean {
  if (typeof node === "object" && node.kind === "object" && node.fields.length > 0)
    return node.fields.every(([name, value]) => fill(row, value, path === "" ? name : `${path}.${name}`));
  const cell = cellOf(node);
  if (cell === null || row.has(path) || row.size >= MOST_COLUMNS || path.length > LONGEST_CELL) return false;
  row.set(path, cell);
  return true;
}

function cellOf(node: DataNode): string | null {
  if (typeof node === "string") return node.length <= LONGEST_CELL && !node.includes("\n") ? node : null;
  if (node.kind === "object") return "";
  const items = node.items.filter((item) => typeof item === "string");
  return items.length === node.items.length ? cellOf(items.join(", ")) : null;
}
