import type { Kysely } from "kysely";
import type { Unit } from "../../core/types.js";
import { stem } from "../../language/stem.js";
import { fold } from "../../language/words.js";
import { NOTE_INDEX_CHANGE } from "./change-feed.js";
import { executorOf, type RecordDatabase } from "./record-executor.js";
import type { Database } from "./schema.js";
import { indexedText, indexedWords, indexForm } from "./indexed-text.js";

export type TextColumn = "text" | "context";

/** A unit as the text index takes it; `scope` consists of `scopeWord` words. */
export interface TextEntry {
  readonly unit: Unit;
  readonly text: string;
  readonly context: string;
  readonly scope: readonly string[];
}

/** How the units of a scope are found: all of them where it is empty. */
export interface Within {
  /** Restricts the expression of a word; empty for no restriction. */
  readonly expression: string;
  /** Expressions that find the units of the scope together, each some; empty where `expression` restricts to them. */
  readonly groups: readonly string[];
}

/** Statements on the units of a scope that has groups. The first parameter is a JSON list of these. */
interface GroupStatements {
  /** Returns how many units the scope has, as a list of one number in a column `packed`. */
  readonly size: string;
  /** As `counts`, in the scope. */
  readonly counts: string;
  /** As `postings`, in the scope. */
  readonly postings: string;
}

/** How a database finds units by their words. Statements given as text are in SQLite's dialect, as everywhere. */
export interface TextIndexDialect {
  /** An expression for units that have one of the words in a column and lie in a scope, if one is given. */
  anyOf(column: TextColumn, words: readonly string[], scope: string): string;
  /** The units of a scope: those with one of its words. */
  inScope(words: readonly string[]): Within;
  /** Takes a JSON list of expressions; returns how many units each finds, in a column `packed`. */
  readonly counts: string;
  /** Takes a limit, below 0 for none, and a JSON list of expressions; returns a list of the units each finds. */
  readonly postings: string;
  /** Null where no scope has groups. */
  readonly inGroups: GroupStatements | null;
  /** Takes an expression, the unit to start after and a limit; returns units in ascending order. */
  readonly page: string;
  /** Takes an expression and the first and last unit of interest. */
  readonly between: string;
  /** Takes an expression and a list of units; returns those of them that it finds. */
  readonly among: string;
  /** Run before a unit becomes findable differently in a container, or in any (0), where caches follow such changes. */
  readonly noteChange: string | null;
  /** Whether the database finds the words of plain texts by itself. */
  readonly splitsPlainText: boolean;
  /** Statements that write units which the index does not have. */
  insertions(entries: readonly TextEntry[]): readonly Insertion[];
}

/** A statement in SQLite's dialect with its parameters. */
interface Insertion {
  readonly statement: string;
  readonly parameters: readonly (string | number)[];
}

export const REMOVE_TEXT = "delete from text_index where rowid = ?";

/** FTS5 query syntax (https://www.sqlite.org/fts5.html#full_text_query_syntax); a word in quotes is never syntax. */
const FTS5: TextIndexDialect = {
  anyOf(column, words, scope) {
    const any = words.map((word) => `"${indexForm(word).replaceAll('"', '""')}"`).join(" OR ");
    return `${column} : (${any})${scope === "" ? "" : ` AND ${scope}`}`;
  },
  inScope: (words) => ({
    expression: `scope : (${words.map((word) => `"${word}"`).join(" OR ")})`,
    groups: [],
  }),
  // One statement for all expressions: one apiece would cost more in calls than in searching.
  counts: `select json_group_array((select count(*) from text_index where text_index match expression.value)) as packed
    from json_each(?) expression`,
  postings: `select json_group_array(json((select json_group_array(rowid) from (
      select rowid from text_index where text_index match expression.value limit ?1 + 0)))) as packed
    from json_each(?2) expression`,
  inGroups: null,
  page: `select json_group_array(rowid) as packed from
    (select rowid from text_index where text_index match ? and rowid > ? order by rowid limit ? + 0)`,
  between: `select json_group_array(rowid) as packed from text_index
    where text_index match ? and rowid >= ? + 0 and rowid <= ? + 0`,
  among: `select json_group_array(rowid) as packed from text_index
    where text_index match ? and rowid in (select value from json_each(?))`,
  noteChange: NOTE_INDEX_CHANGE,
  splitsPlainText: true,
  insertions: (entries) =>
    entries.map(({ unit, text, context, scope }) => ({
      statement: "insert into text_index (rowid, text, context, scope) values (?, ?, ?, ?)",
      parameters: [unit, indexedText(text), indexedText(context), scope.join(" ")],
    })),
};

const PREFIXES: Readonly<Record<TextColumn | "scope", string>> = { text: "t", context: "c", scope: "s" };

/** The longest lexeme PostgreSQL allows, in characters of up to four bytes, less the prefix. */
const LONGEST_LEXEME = 500;

function lexeme(column: TextColumn | "scope", word: string): string {
  const stemmed = column === "scope" ? word : stem(fold(word));
  return `${PREFIXES[column]}:${stemmed.slice(0, LONGEST_LEXEME)}`;
}

function lexemesOf({ text, context, scope }: TextEntry): string[] {
  return [
    ...indexedWords(text).map((word) => lexeme("text", word)),
    ...indexedWords(context).map((word) => lexeme("context", word)),
    ...scope.map((word) => lexeme("scope", word)),
  ];
}

/** Lexemes taken literally (https://www.postgresql.org/docs/current/datatype-textsearch.html): no parser, no dictionary. */
function anyLexeme(lexemes: readonly string[]): string {
  return `(${lexemes.map(quoted).join(" | ")})`;
}

function quoted(lexeme: string): string {
  return `'${lexeme.replaceAll("\\", "\\\\").replaceAll("'", "''")}'`;
}

/**
 * The time that PostgreSQL takes to begin a search of its index grows with the square of the lexemes in the expression: for
 * 5,000 it takes 5 s. A scope with more than this many is read in groups, for which 100,000 units take 0.1 s.
 */
const MOST_TOGETHER = 500;
const GROUP_SIZE = 16;

function groupsOf(lexemes: readonly string[]): string[] {
  const starts = Array.from({ length: Math.ceil(lexemes.length / GROUP_SIZE) }, (_, group) => group * GROUP_SIZE);
  return starts.map((start) => anyLexeme(lexemes.slice(start, start + GROUP_SIZE)));
}

/** A unit may be in several containers. */
const WITH_MEMBERS = `with members as materialized (select distinct text_index.rowid
  from json_each(?1) scope join text_index on words @@ cast(scope.value as tsquery))`;

/** Bare, PostgreSQL would look up each member by its key for each word. */
const IS_MEMBER = "coalesce(rowid in (select rowid from members), false)";

const INSERT_WORDS = "insert into text_index (rowid, words) values (?, cast(? as tsvector))";
const INSERT_LIST = `insert into text_index (rowid, words)
  select cast(value ->> '$[0]' as bigint), cast(value ->> '$[1]' as tsvector) from json_each(?)`;

/** The same words and stems in a `tsvector`, with a prefix for each column; PostgreSQL's ranking is not used. */
const TSVECTOR: TextIndexDialect = {
  anyOf(column, words, scope) {
    const any = anyLexeme(words.map((word) => lexeme(column, word)));
    return scope === "" ? any : `${any} & ${scope}`;
  },
  inScope(words) {
    const lexemes = words.map((word) => lexeme("scope", word));
    if (lexemes.length > MOST_TOGETHER) return { expression: "", groups: groupsOf(lexemes) };
    return { expression: anyLexeme(lexemes), groups: [] };
  },
  counts: `select json_group_array((
      select count(*) from text_index where words @@ cast(expression.value as tsquery))) as packed
    from json_each(?) expression`,
  postings: `select json_group_array((select json_group_array(rowid) from (
      select rowid from text_index where words @@ cast(expression.value as tsquery)
      order by rowid limit nullif(?1 + 0, -1)) found)) as packed
    from json_each(?2) expression`,
  inGroups: {
    size: `${WITH_MEMBERS} select json_group_array(number) as packed from (select count(*) as number from members) counted`,
    counts: `${WITH_MEMBERS} select json_group_array((select count(*) from text_index
      where words @@ cast(expression.value as tsquery) and ${IS_MEMBER})) as packed
      from json_each(?2) expression`,
    postings: `${WITH_MEMBERS} select json_group_array((select json_group_array(rowid) from (
      select rowid from text_index
      where words @@ cast(expression.value as tsquery) and ${IS_MEMBER}
      order by rowid limit nullif(?2 + 0, -1)) found)) as packed
      from json_each(?3) expression`,
  },
  page: `select json_group_array(rowid) as packed from (select rowid from text_index
    where words @@ cast(? as tsquery) and rowid > ? order by rowid limit ? + 0) found`,
  between: `select json_group_array(rowid) as packed from text_index
    where words @@ cast(? as tsquery) and rowid >= ? + 0 and rowid <= ? + 0`,
  among: `select json_group_array(rowid) as packed from text_index
    where words @@ cast(? as tsquery) and rowid in (select cast(value as bigint) from json_each(?))`,
  noteChange: null,
  splitsPlainText: false,
  insertions(entries) {
    const values = entries.map((entry) => [entry.unit, lexemesOf(entry).map(quoted).join(" ")] as const);
    const [only, ...more] = values;
    // Unpacking a list costs more than writing the row.
    if (only && more.length === 0) return [{ statement: INSERT_WORDS, parameters: only }];
    return [{ statement: INSERT_LIST, parameters: [JSON.stringify(values)] }];
  },
};

export const TEXT_INDEX_DIALECTS: Readonly<Record<RecordDatabase, TextIndexDialect>> = {
  sqlite: FTS5,
  postgres: TSVECTOR,
};

export function textIndexDialect(db: Kysely<Database>): TextIndexDialect {
  return TEXT_INDEX_DIALECTS[executorOf(db).database];
}
