import { createScanner } from "jsonc-parser";
import { DEEPEST, MOST_VALUES, type DataNode } from "./data-node.js";

/** The scanner's token numbers; the library declares no values that can be imported. */
const TOKEN = {
  openBrace: 1,
  closeBrace: 2,
  openBracket: 3,
  closeBracket: 4,
  null: 7,
  true: 8,
  false: 9,
  string: 10,
  number: 11,
  unknown: 16,
  end: 17,
} as const;
const WORDS: ReadonlySet<number> = new Set([TOKEN.null, TOKEN.true, TOKEN.false, TOKEN.number]);
/** The scanner's error for a string without its closing quotation mark. */
const UNENDED_TEXT = 2;

export interface ParsedJson {
  /** Consecutive top-level values; most files have one. */
  readonly values: readonly DataNode[];
  /** False if the file is truncated. */
  readonly isWhole: boolean;
}

interface OpenList {
  readonly kind: "list";
  readonly items: DataNode[];
}

interface OpenObject {
  readonly kind: "object";
  readonly fields: [name: string, value: DataNode][];
  /** Name of the field whose value comes next. */
  name: string | null;
}

/**
 * Parses JSON without loss: numbers as written, repeated names kept. Comments and superfluous commas are skipped. Null for text
 * that is not JSON, is nested more than 256 levels deep, or has more than a million values.
 */
export function parseJson(text: string): ParsedJson | null {
  const scanner = createScanner(text, true);
  const values: DataNode[] = [];
  const open: (OpenList | OpenObject)[] = [];
  let count = 0;
  const add = (value: DataNode): boolean => {
    const parent = open.at(-1);
    count += 1;
    if (parent === undefined) values.push(value);
    else if (parent.kind === "list") parent.items.push(value);
    else {
      if (parent.name === null) return false;
      parent.fields.push([parent.name, value]);
      parent.name = null;
    }
    return count <= MOST_VALUES;
  };
  const enter = (container: OpenList | OpenObject): boolean => {
    if (!add(container)) return false;
    open.push(container);
    return open.length <= DEEPEST;
  };
  for (let token: number = scanner.scan(); token !== TOKEN.end; token = scanner.scan()) {
    const parent = open.at(-1);
    let fits = true;
    if (token === TOKEN.openBrace) fits = enter({ kind: "object", fields: [], name: null });
    else if (token === TOKEN.openBracket) fits = enter({ kind: "list", items: [] });
    else if (token === TOKEN.closeBrace) fits = open.pop()?.kind === "object";
    else if (token === TOKEN.closeBracket) fits = open.pop()?.kind === "list";
    else if (token === TOKEN.string) {
      const error: number = scanner.getTokenError();
      const isCut = error === UNENDED_TEXT;
      if (isCut && scanner.getPosition() < text.length) return null;
      if (parent?.kind === "object" && parent.name === null) parent.name = scanner.getTokenValue();
      else fits = add(scanner.getTokenValue());
    } else if (WORDS.has(token)) fits = add(scanner.getTokenValue());
    else if (token === TOKEN.unknown) return null;
    if (!fits) return null;
  }
  const [last] = open.slice(-1);
  if (last?.kind === "object" && last.name !== null) last.fields.push([last.name, ""]);
  return { values, isWhole: open.length === 0 };
}
