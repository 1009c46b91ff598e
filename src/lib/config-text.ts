/** The text of a configuration file in some format, edited in place: comments, order and formatting of the rest stay. */
export interface ConfigFormat {
  /**
   * The parsed content; undefined when there is none (empty, or comments only).
   * @throws ConfigTextError with line and column when it cannot be read
   */
  parse(text: string): unknown;
  /**
   * The text with the value at the path; missing tables on the way are created.
   * @throws ConfigTextError when something on the way is not a table
   */
  set(text: string, path: readonly string[], value: unknown): string;
  /** The text without the path; the same text when nothing is there. */
  remove(text: string, path: readonly string[]): string;
}

/**
 * A text that is not valid in its format, or has something else where a table belongs. The message is a sentence
 * without a subject.
 */
export class ConfigTextError extends Error {
  override readonly name = "ConfigTextError";
}

/** The value at the path of a parsed text, or undefined. */
export function valueAt(document: unknown, path: readonly string[]): unknown {
  let current = document;
  for (const key of path) current = isTable(current) && Object.hasOwn(current, key) ? current[key] : undefined;
  return current;
}

/** How many steps of the path exist. */
export function depthOf(document: unknown, path: readonly string[]): number {
  let depth = 0;
  while (depth < path.length && valueAt(document, path.slice(0, depth + 1)) !== undefined) depth++;
  return depth;
}

/**
 * Rejects a text in which the path leads through something that is not a table.
 * @throws ConfigTextError that names the place and what is there
 */
export function requireTables(document: unknown, path: readonly string[]): void {
  if (document !== undefined && !isTable(document))
    throw new ConfigTextError(`contains ${nameOf(document)} where an object is expected`);
  for (let length = 1; length < path.length; length++) {
    const value = valueAt(document, path.slice(0, length));
    if (value === undefined) return;
    if (!isTable(value))
      throw new ConfigTextError(
        `has ${nameOf(value)} at ${path.slice(0, length).join(".")}, where an object is expected`,
      );
  }
}

/** The line break that a text uses. */
export function lineBreakOf(text: string): string {
  return text.includes("\r\n") ? "\r\n" : "\n";
}

/** 1-based line and column of an offset. */
export function positionOf(text: string, offset: number): string {
  const before = text.slice(0, offset).split("\n");
  return `line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`;
}

/** The value nested in one table per step of the path. */
export function nest(path: readonly string[], value: unknown): unknown {
  return path.reduceRight<unknown>((inner, key) => ({ [key]: inner }), value);
}

function isTable(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Date);
}

function nameOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  return typeof value === "string" ? "a text" : `a ${typeof value}`;
}
