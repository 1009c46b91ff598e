import type { FilterExpression } from "../../core/types.js";
import { countWords } from "../../language/count-words.js";
import { createId } from "../../lib/ids.js";
import type { SqliteConnection, SqliteValue } from "../../lib/sqlite.js";
import { heldConditions, numberOf, satisfies, type Values } from "./filter-evaluation.js";

/** Defines the functions that queries and migrations use and SQLite lacks. */
export function defineQueryFunctions(connection: SqliteConnection): void {
  connection.function("lower_unicode", { deterministic: true }, (value) =>
    typeof value === "string" ? value.toLowerCase() : (value ?? null),
  );
  connection.function("to_number", { deterministic: true }, (value) => {
    if (typeof value === "number") return value;
    return typeof value === "string" ? numberOf(value) : null;
  });
  connection.function("count_words", { deterministic: true }, (value) =>
    typeof value === "string" ? countWords(value) : null,
  );
  connection.function("create_id", { deterministic: false }, (_row) => createId());
  defineFilterFunctions(connection);
}

function defineFilterFunctions(connection: SqliteConnection): void {
  const parseFilter = rememberLast((text) => JSON.parse(text) as FilterExpression);
  connection.function("satisfies_filter", { deterministic: true }, (filter, metadata) =>
    satisfies(parseFilter(String(filter)), parseMetadata(metadata)) ? 1 : 0,
  );
  connection.function("held_conditions", { deterministic: true }, (filter, metadata) =>
    heldConditions(parseFilter(String(filter)), parseMetadata(metadata)),
  );
}

function parseMetadata(value: SqliteValue | undefined): Values {
  return typeof value === "string" ? (JSON.parse(value) as Values) : null;
}

/** The filter is the same for every row of a query. */
function rememberLast<Parsed>(parse: (text: string) => Parsed): (text: string) => Parsed {
  let last: { readonly text: string; readonly parsed: Parsed } | undefined;
  return (text) => {
    if (last?.text !== text) last = { text, parsed: parse(text) };
    return last.parsed;
  };
}
