import { type Token, tokensOf, wordOf } from "./tokens.js";

const REMEMBERED = 2_000;
/** Characters; longer ones are filters with many conditions, which are hardly ever the same again. */
const LONGEST_REMEMBERED = 10_000;
const translations = new Map<string, string>();

/**
 * Translates a statement from SQLite's dialect, as the record's repositories write it, to PostgreSQL's. Only what they use is
 * supported: parameters, `insert or ignore`, `is` between values, `iif`, hints for SQLite's planner, least and greatest of
 * several values, subqueries without a name, and the JSON functions, which the schema defines (`migrations/0001-functions.ts`).
 */
export function translate(statement: string): string {
  if (statement.length > LONGEST_REMEMBERED) return translateAnew(statement);
  const known = translations.get(statement);
  if (known !== undefined) return known;
  if (translations.size >= REMEMBERED) translations.clear();
  const translated = translateAnew(statement);
  translations.set(statement, translated);
  return translated;
}

function translateAnew(statement: string): string {
  const parameters = numberParameters(tokensOf(statement));
  const ignoring = takeOrIgnore(parameters);
  const text = comparedByCodePoints(new Translation(ignoring.tokens).all());
  return ignoring.isIgnoring ? withoutConflicts(text) : text;
}

/** Temporary lists hold ids of columns that are compared this way. */
function comparedByCodePoints(text: string): string {
  return /^\s*create temp table/i.test(text) ? text.replaceAll(/ text\b/g, ' text collate "C"') : text;
}

/** `?` takes the number after the highest so far, as in SQLite. */
function numberParameters(tokens: readonly Token[]): Token[] {
  let highest = 0;
  return tokens.map((token) => {
    if (token.kind !== "parameter") return token;
    const place = token.text === "?" ? highest + 1 : Number(token.text.slice(1));
    highest = Math.max(highest, place);
    return { kind: "parameter", text: `$${place}` };
  });
}

function takeOrIgnore(tokens: readonly Token[]): { tokens: readonly Token[]; isIgnoring: boolean } {
  const words = tokens.filter(({ kind }) => kind !== "space").slice(0, 3);
  const isIgnoring = words.map(wordOf).join(" ") === "insert or ignore";
  if (!isIgnoring) return { tokens, isIgnoring };
  const ignored = new Set(words.slice(1));
  return { tokens: tokens.filter((token) => !ignored.has(token)), isIgnoring };
}

function withoutConflicts(text: string): string {
  const returning = /\sreturning\s/i.exec(text)?.index ?? text.length;
  return `${text.slice(0, returning).trimEnd()} on conflict do nothing${text.slice(returning)}`;
}

/** SQLite functions that the schema defines under other names, since PostgreSQL has its own functions of these names. */
const DEFINED = new Set(["json", "json_each", "json_tree", "json_extract", "json_type", "json_set", "json_valid"]);
const RENAMED: Readonly<Record<string, string>> = {
  json_array: "json_build_array",
  json_object: "json_build_object",
  ifnull: "coalesce",
};
const AFTER_SUBQUERY = new Set(
  "where on join left inner cross order group limit union set returning having using".split(" "),
);

/** PostgreSQL would fold a mixed-case name to lower case. */
function isMixed(word: string): boolean {
  return word !== word.toLowerCase() && word !== word.toUpperCase();
}

/** More than the patterns that look back need. */
const END_LENGTH = 64;

/** A text and its end: to look back into all of it for each token would take time by the square of its length. */
class GrowingText {
  readonly #pieces: string[] = [];
  end = "";

  add(piece: string): void {
    this.#pieces.push(piece);
    this.end = `${this.end}${piece.slice(-END_LENGTH)}`.slice(-END_LENGTH);
  }

  all(): string {
    return this.#pieces.join("");
  }
}

class Translation {
  readonly #tokens: readonly Token[];
  #at = 0;
  #subqueries = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  all(): string {
    const text = this.#untilClosed();
    if (this.#at < this.#tokens.length) throw new Error("This statement has a bracket too many.");
    return text;
  }

  /** Everything up to the bracket that closes the open one, or to the end. */
  #untilClosed(): string {
    const text = new GrowingText();
    for (let token = this.#next(); token && token.text !== ")"; token = this.#next()) {
      this.#at += 1;
      text.add(this.#translated(token, text.end));
    }
    return text.all();
  }

  #next(): Token | undefined {
    return this.#tokens[this.#at];
  }

  /** The next tokens that are not white space, without consuming them. */
  #ahead(count: number): Token[] {
    const found: Token[] = [];
    for (let at = this.#at; at < this.#tokens.length && found.length < count; at += 1) {
      const token = this.#tokens[at];
      if (token && token.kind !== "space") found.push(token);
    }
    return found;
  }

  #translated(token: Token, before: string): string {
    if (token.kind === "symbol") return token.text === "(" ? this.#bracket(before) : this.#symbol(token, before);
    if (token.kind !== "word") return token.text;
    const word = token.text.toLowerCase();
    const [next] = this.#ahead(1);
    if (next?.text === "(" && !before.endsWith(".")) return this.#call(token.text, word);
    if (word === "is") return this.#is(token.text);
    if (word === "binary" && /\bcollate\s+$/i.test(before)) return '"C"';
    if (word === "indexed") return this.#indexed();
    if (word === "cross") return this.#cross(token.text);
    return isMixed(token.text) ? `"${token.text}"` : token.text;
  }

  /** A plus before a name only keeps SQLite off an index. */
  #symbol(token: Token, before: string): string {
    const isHint = token.text === "+" && this.#next()?.kind !== "space" && /(?:^|[\s(])$/.test(before);
    return isHint ? "" : token.text;
  }

  #bracket(before: string): string {
    const isSelected = /^(select|with|values)$/.test(wordOf(this.#ahead(1)[0]));
    const inner = this.#untilClosed();
    this.#at += 1;
    if (!isSelected || !/\b(from|join)\s*$/i.test(before)) return `(${inner})`;
    const [next] = this.#ahead(1);
    const word = wordOf(next);
    const isNamed = word !== "" && !AFTER_SUBQUERY.has(word);
    this.#subqueries += 1;
    return isNamed ? `(${inner})` : `(${inner}) as subquery_${this.#subqueries}`;
  }

  #arguments(): string[] {
    while (this.#next()?.text !== "(") this.#at += 1;
    this.#at += 1;
    const list: string[] = [];
    let text = new GrowingText();
    for (let token = this.#next(); token && token.text !== ")"; token = this.#next()) {
      this.#at += 1;
      if (token.text === ",") {
        list.push(text.all());
        text = new GrowingText();
      } else text.add(this.#translated(token, text.end));
    }
    this.#at += 1;
    return [...list, text.all()];
  }

  #call(name: string, word: string): string {
    if (word === "json_group_array") return `coalesce(json_agg(${this.#arguments().join(",")}), '[]')`;
    if (word === "iif") {
      const [condition, yes, no] = this.#arguments();
      return `case when ${condition} then ${yes} else ${no ?? "null"} end`;
    }
    if (word === "max" || word === "min") {
      const values = this.#arguments();
      const several = word === "max" ? "greatest" : "least";
      return `${values.length > 1 ? several : name}(${values.join(",")})`;
    }
    if (DEFINED.has(word)) return `sqlite_${word}`;
    return RENAMED[word] ?? name;
  }

  /** SQLite's `is` compares values; PostgreSQL's own uses of `is` stay. */
  #is(text: string): string {
    const [first, second] = this.#ahead(2).map(wordOf);
    const isNegated = first === "not";
    const compared = isNegated ? second : first;
    if (compared === "null" || compared === "distinct" || compared === "true" || compared === "false") return text;
    if (!isNegated) return "is not distinct from";
    while (wordOf(this.#next()) !== "not") this.#at += 1;
    this.#at += 1;
    return "is distinct from";
  }

  /** Tells SQLite which index to use. */
  #indexed(): string {
    const [by, name] = this.#ahead(2);
    while (this.#next() !== name) this.#at += 1;
    if (wordOf(by) === "by") this.#at += 1;
    return "";
  }

  /** Tells SQLite to join in the written order; such joins always have a condition. */
  #cross(text: string): string {
    if (wordOf(this.#ahead(1)[0]) !== "join") return text;
    while (this.#next()?.kind === "space") this.#at += 1;
    return "";
  }
}
