import { createScanner } from "jsonc-parser";
import { DEEPEST, MOST_VALUES, type DataNode } from "./data-node.js";

/** Numbers of tokens as the scanner gives them; the library declares no values that can be imported. */
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
/** The scanner's error for a text without its last quotation mark. */
const UNENDED_TEXT = 2;

export interface ParsedJson {
  /** Values that stand one after the other; most files hold one. */
  readonly values: readonly DataNode[];
  /** False where the file ends before they do. */
  readonly isWhole: boolean;
}

interface OpenList {
  readonly kind: "list";
  readonly items: DataNode[];
}

interface OpenObject {
  readonly kind: "object";
  readonly fields: [name: string, value: DataNode][];
  /** Of the field whose value comes next. */
  name: string | null;
}

/**
 * Reads JSON without a loss: numbers as they are written, names that come twice. Comments and commas too many are passed
 * over. Null for what is no JSON, nests deeper than 256 levels or holds more than a million values.
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
