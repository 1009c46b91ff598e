import type { GatheredParts } from "../gathered-parts.js";
import { markdownTable } from "../markdown-table.js";
import { textField, type DataNode } from "./data-node.js";
import { tableOf } from "./data-table.js";
import { singleSpaced } from "../../lib/single-spaced.js";

const ROWS_OF_PART = 100;
const TITLE_NAMES = ["title", "name", "subject", "headline", "label", "id"];

/** Adds a value as Markdown: a section for each large field, a part for each list entry, tables for similar objects. */
export function addData(node: DataNode, gathered: GatheredParts): void {
  if (typeof node === "string") gathered.add(node);
  else if (node.kind === "list") addList(node.items, "", gathered);
  else addObject(node.fields, gathered);
}

function addObject(fields: readonly (readonly [string, DataNode])[], gathered: GatheredParts): void {
  let lines: string[] = [];
  const flush = (): boolean => {
    const hasRoom = gathered.add(lines.join("\n"));
    lines = [];
    return hasRoom;
  };
  for (const [name, value] of fields) {
    if (isShort(value)) lines.push(...linesOf(value, name));
    else {
      if (!flush()) return;
      const heading = `## ${singleSpaced(name)}`;
      if (typeof value === "object" && value.kind === "list") addList(value.items, heading, gathered);
      else gathered.add(`${heading}\n\n${linesOf(value, "").join("\n")}`);
    }
  }
  flush();
}

/** Too short for a section of its own. */
function isShort(node: DataNode): boolean {
  if (typeof node === "string") return true;
  return node.kind === "list" ? node.items.length < 2 || isPlainList(node.items) : node.fields.length < 3;
}

function isPlainList(items: readonly DataNode[]): boolean {
  return items.every((item) => typeof item === "string");
}

/** Adds the entries with their numbers. */
function addList(items: readonly DataNode[], heading: string, gathered: GatheredParts): void {
  const [header, ...rows] = tableOf(items) ?? [];
  const isPlain = isPlainList(items);
  const size = header !== undefined || isPlain ? ROWS_OF_PART : 1;
  for (let at = 0; at < items.length; at += size) {
    const text =
      header !== undefined
        ? markdownTable([header, ...rows.slice(at, at + size)])
        : isPlain
          ? items
              .slice(at, at + size)
              .flatMap((item) => linesOf(item, ""))
              .join("\n")
          : entryText(items[at] ?? "", at + 1);
    if (!gathered.add(heading === "" ? text : `${heading}\n\n${text}`, { entry: at + 1 })) return;
  }
}

function entryText(item: DataNode, number: number): string {
  const title = textField(item, TITLE_NAMES) ?? `Entry ${number}`;
  return `### ${title}\n\n${linesOf(item, "").join("\n")}`;
}

const LONGEST_NAME = 100;
const LONGEST_PATH = 300;

/** Every value of a node on its own line, after its path. */
function linesOf(node: DataNode, path: string): string[] {
  const lines: string[] = [];
  addLines(node, path, lines);
  return lines;
}

function addLines(node: DataNode, path: string, lines: string[]): void {
  const label = path === "" ? "" : `${path}: `;
  if (typeof node === "string") lines.push(`- ${label}${node.trim().replace(/\n/g, "\n    ")}`);
  else if (node.kind === "object") {
    if (node.fields.length === 0 && path !== "") lines.push(`- ${path}`);
    for (const [name, value] of node.fields) addLines(value, joinPath(path, name, lines), lines);
  } else {
    const words = node.items.filter((item) => typeof item === "string");
    const table = tableOf(node.items);
    if (node.items.length === 0 && path !== "") lines.push(`- ${path}`);
    else if (words.length === node.items.length && words.every((word) => word.length < 80 && !word.includes("\n")))
      lines.push(`- ${label}${words.join(", ")}`);
    else if (table !== null) lines.push("", ...(path === "" ? [] : [`**${path}**`, ""]), markdownTable(table), "");
    else for (const [index, item] of node.items.entries()) addLines(item, `${path}[${index}]`, lines);
  }
}

/** Appends a name to a path. An overlong name is written out once and then truncated; an overlong path keeps only its end. */
function joinPath(path: string, name: string, lines: string[]): string {
  const own = singleSpaced(name);
  if (own.length > LONGEST_NAME) lines.push(`- ${own}`);
  const joined = `${path}${path === "" ? "" : "."}${own.slice(0, LONGEST_NAME)}`;
  return joined.length > LONGEST_PATH ? `…${joined.slice(-LONGEST_PATH)}` : joined;
}
