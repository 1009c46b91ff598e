/** A piece of a statement; concatenated, the tokens are the statement again. */
export interface Token {
  readonly kind: "space" | "word" | "string" | "quoted" | "parameter" | "number" | "symbol";
  readonly text: string;
}

/** In lower case, to compare with keywords; empty for quoted names and strings. */
export function wordOf(token: Token | undefined): string {
  return token?.kind === "word" ? token.text.toLowerCase() : "";
}

const KINDS: readonly (readonly [Token["kind"], RegExp])[] = [
  ["space", /(?:\s|--[^\n]*)+/y],
  ["string", /'(?:[^']|'')*'/y],
  ["quoted", /"(?:[^"]|"")*"/y],
  ["parameter", /\?\d*/y],
  ["number", /\d+(?:\.\d+)?/y],
  ["word", /[A-Za-z_]\w*/y],
  ["symbol", /->>|->|<>|<=|>=|\|\||[^\s]/y],
];

/** Splits a statement in SQLite's dialect into tokens. */
export function tokensOf(statement: string): Token[] {
  const tokens: Token[] = [];
  for (let at = 0; at < statement.length;) {
    const token = tokenAt(statement, at);
    tokens.push(token);
    at += token.text.length;
  }
  return tokens;
}

function tokenAt(statement: string, at: number): Token {
  for (const [kind, pattern] of KINDS) {
    pattern.lastIndex = at;
    const [text] = pattern.exec(statement) ?? [];
    if (text) return { kind, text };
  }
  throw new Error(`This statement cannot be read from place ${at} on: ${statement}`);
}
