/** A piece of a statement; together they are the statement again. */
export interface Token {
  readonly kind: "space" | "word" | "string" | "quoted" | "parameter" | "number" | "symbol";
  readonly text: string;
}

/** Lower case, for comparing with keywords; quoted names and strings are none. */
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

/** Cuts a statement of SQLite's dialect into tokens. */
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
