import { isDeepStrictEqual } from "node:util";
import { parse as parseToml, patch } from "@decimalturn/toml-patch";
import {
  type ConfigFormat,
  ConfigTextError,
  depthOf,
  lineBreakOf,
  nest,
  requireTables,
  valueAt,
} from "./config-text.js";

/** TOML, edited in place. Values to set are strings, numbers, booleans, and lists and tables of them. */
export const tomlText: ConfigFormat = { parse, set, remove };

type Table = Record<string, unknown>;

function parse(text: string): unknown {
  const document = read(text);
  return Object.keys(document).length === 0 ? undefined : plain(document);
}

function read(text: string): Table {
  try {
    return parseToml(text) as Table;
  } catch (error) {
    const reason = error instanceof Error ? (error.message.split("\n").at(-1) ?? "") : String(error);
    const at = placeOf(error);
    throw new ConfigTextError(`is not valid TOML${at} (${reason.trim()})`);
  }
}

function placeOf(error: unknown): string {
  const { line, column } = error as { line?: unknown; column?: unknown };
  return typeof line === "number" && typeof column === "number" ? ` at line ${line}, column ${column + 1}` : "";
}

function set(text: string, path: readonly string[], value: unknown): string {
  const document = read(text);
  requireTables(document, path);
  const wanted = withValue(document, path, value);
  // A new table goes at the end, where it cannot affect existing content.
  const appended = depthOf(document, path) < path.length ? append(text, path, value) : undefined;
  if (appended !== undefined && says(appended, wanted)) return appended;
  return patch(text, wanted);
}

function remove(text: string, path: readonly string[]): string {
  const document = read(text);
  if (valueAt(document, path) === undefined) return text;
  const table = valueAt(document, path.slice(0, -1)) as Table;
  delete table[path.at(-1) ?? ""];
  return patch(text, document);
}

function withValue(document: Table, path: readonly string[], value: unknown): Table {
  const [key = "", ...rest] = path;
  if (rest.length === 0) return { ...document, [key]: value };
  return { ...document, [key]: withValue((document[key] ?? {}) as Table, rest, value) };
}

function says(text: string, wanted: Table): boolean {
  try {
    return isDeepStrictEqual(plain(read(text)), plain(wanted));
  } catch {
    return false;
  }
}

/** Tables of the parser may have another prototype than our objects. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (_key, inner: unknown) => (typeof inner === "bigint" ? `${inner}n` : inner)));
}

function append(text: string, path: readonly string[], value: unknown): string {
  const lineBreak = lineBreakOf(text);
  const head = text.trim() === "" ? text : text.replace(/\n*$/, (end) => (end === "" ? lineBreak : end)) + lineBreak;
  const table = isTable(value) ? value : nest([], { value });
  const lines = Object.entries(table as Table).map(([key, item]) => `${renderKey(key)} = ${render(item)}`);
  return `${head}${[`[${path.map(renderKey).join(".")}]`, ...lines].join(lineBreak)}${lineBreak}`;
}

function render(value: unknown): string {
  // JSON's escapes are valid in TOML; only DEL may be unescaped in one but not in the other.
  if (typeof value === "string") return JSON.stringify(value).replaceAll("\u007f", "\\u007f");
  if (Array.isArray(value)) return `[${value.map(render).join(", ")}]`;
  if (!isTable(value)) return String(value);
  return `{ ${Object.entries(value)
    .map(([key, item]) => `${renderKey(key)} = ${render(item)}`)
    .join(", ")} }`;
}

function renderKey(key: string): string {
  return /^[A-Za-z0-9_-]+$/.test(key) ? key : render(key);
}

function isTable(value: unknown): value is Table {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
