import {
  applyEdits,
  createScanner,
  getNodeValue,
  modify,
  type Node,
  parseTree,
  type ParseError,
  printParseErrorCode,
} from "jsonc-parser";
import {
  type ConfigFormat,
  ConfigTextError,
  lineBreakOf,
  nest,
  positionOf,
  requireTables,
  valueAt,
} from "./config-text.js";

/** JSON as editors write it: comments and trailing commas are allowed and stay. */
export const jsoncText: ConfigFormat = { parse, set, remove };

function parse(text: string): unknown {
  const root = readTree(text);
  return root && valueOf(root);
}

/** With plain objects: those of the parser have no prototype and would equal nothing. */
function valueOf(root: Node): unknown {
  return JSON.parse(JSON.stringify(getNodeValue(root)));
}

function readTree(text: string): Node | undefined {
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { allowTrailingComma: true, allowEmptyContent: true });
  const [first] = errors;
  if (first)
    throw new ConfigTextError(
      `is not valid JSON at ${positionOf(text, first.offset)} (${printParseErrorCode(first.error)})`,
    );
  return root;
}

function set(text: string, path: readonly string[], value: unknown): string {
  const root = readTree(text);
  requireTables(root && valueOf(root), path);
  if (!root) return appendRoot(text, nest(path, value));
  let node = root;
  for (const [depth, key] of path.entries()) {
    const next = childOf(node, key);
    if (!next) return insert(text, node, key, nest(path.slice(depth + 1), value));
    node = next;
  }
  const shown = render(value, text, indentAt(text, node.offset), spansLines(text, root));
  return text.slice(0, node.offset) + shown + text.slice(node.offset + node.length);
}

function remove(text: string, path: readonly string[]): string {
  if (valueAt(parse(text), path) === undefined) return text;
  const unit = indentUnit(text);
  const formattingOptions = { insertSpaces: unit !== "\t", tabSize: unit === "\t" ? 1 : unit.length };
  return applyEdits(text, modify(text, [...path], undefined, { formattingOptions }));
}

/** A text with only comments, or nothing, gets its object at the end. */
function appendRoot(text: string, value: unknown): string {
  const lineBreak = lineBreakOf(text);
  const head = text.trim() === "" ? "" : `${text.trimEnd()}${lineBreak}`;
  return `${head}${render(value, text, "", true)}${lineBreak}`;
}

/** Inserts after the last property, leaving its comments with it. */
function insert(text: string, object: Node, key: string, value: unknown): string {
  const close = object.offset + object.length - 1;
  const last = object.children?.at(-1);
  const isWide = text.slice(object.offset, close).includes("\n") || !last;
  const baseIndent = indentAt(text, object.offset);
  const first = object.children?.[0];
  const ownLine = first && /^[ \t]*$/.test(lineBefore(text, first.offset));
  const indent = ownLine ? lineBefore(text, first.offset) : baseIndent + indentUnit(text);
  const property = `${JSON.stringify(key)}:${isWide ? " " : ""}${render(value, text, indent, isWide)}`;
  if (!last) return insertFirst(text, object, indent, property);
  const end = last.offset + last.length;
  const hasComma = commaFollows(text, end, close);
  if (!isWide) return `${text.slice(0, end)},${property}${text.slice(end)}`;
  const lineBreak = lineBreakOf(text);
  const filled = object.offset + 1 + text.slice(object.offset + 1, close).trimEnd().length;
  const tail = text.slice(filled, close).includes("\n")
    ? text.slice(filled)
    : lineBreak + baseIndent + text.slice(close);
  const between = text.slice(end, filled);
  return `${text.slice(0, end)}${hasComma ? "" : ","}${between}${lineBreak}${indent}${property}${hasComma ? "," : ""}${tail}`;
}

function insertFirst(text: string, object: Node, indent: string, property: string): string {
  const lineBreak = lineBreakOf(text);
  const close = object.offset + object.length - 1;
  const kept = text.slice(object.offset + 1, close).trimEnd();
  const head = text.slice(0, object.offset + 1) + kept;
  return `${head}${lineBreak}${indent}${property}${lineBreak}${indentAt(text, object.offset)}${text.slice(close)}`;
}

/** Of duplicates the last one counts, as in JSON parsers. */
function childOf(object: Node, key: string): Node | undefined {
  return object.children?.findLast((property) => property.children?.[0]?.value === key)?.children?.[1];
}

function commaFollows(text: string, from: number, to: number): boolean {
  const scanner = createScanner(text.slice(from, to), true);
  scanner.scan();
  return text[from + scanner.getTokenOffset()] === ",";
}

function render(value: unknown, text: string, indent: string, isWide: boolean): string {
  if (!isWide) return JSON.stringify(value);
  return JSON.stringify(value, null, indentUnit(text))
    .split("\n")
    .join(`${lineBreakOf(text)}${indent}`);
}

function spansLines(text: string, root: Node): boolean {
  return text.slice(root.offset, root.offset + root.length).includes("\n");
}

/** The indentation of one level: that of the first indented line, or two spaces. */
function indentUnit(text: string): string {
  return /^(\t| {1,8})(?=["}\]/])/m.exec(text)?.[1] ?? "  ";
}

function indentAt(text: string, offset: number): string {
  return /^[ \t]*/.exec(lineBefore(text, offset))?.[0] ?? "";
}

function lineBefore(text: string, offset: number): string {
  return text.slice(text.lastIndexOf("\n", offset - 1) + 1, offset);
}
