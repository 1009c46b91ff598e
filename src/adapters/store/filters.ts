import { type RawBuilder, sql } from "kysely";
import type { FilterCondition, FilterExpression } from "../../core/types.js";

type Fragment = RawBuilder<boolean>;

/** The filter language of contract 1.13 as SQL over a JSON column of document metadata. */
export function documentFilterSql(expression: FilterExpression, metadata: RawBuilder<unknown>): Fragment {
  return combine(expression, (condition) => conditionSql(condition, metadata));
}

/**
 * The same for memories: a memory's own metadata decides where it has the key, otherwise that of any source document, because
 * clients set metadata on the document and filter the memories by it.
 */
export function memoryFilterSql(expression: FilterExpression): Fragment {
  return combine(expression, (condition) => {
    const path = pathOf(condition.key);
    return sql<boolean>`case
      when json_type(memories.metadata, ${path}) is not null then ${conditionSql(condition, sql`memories.metadata`)}
      when exists (select 1 from memory_sources ms where ms.memory_id = memories.id) then exists (
        select 1 from memory_sources ms join documents d on d.id = ms.document_id
        where ms.memory_id = memories.id and ${conditionSql(condition, sql`d.metadata`)}
      )
      else ${conditionSql(condition, sql`cast(null as text)`)} end`;
  });
}

function combine(expression: FilterExpression, toSql: (condition: FilterCondition) => Fragment): Fragment {
  if ("all" in expression) return join(expression.all, sql` and `, toSql);
  if ("any" in expression) return join(expression.any, sql` or `, toSql);
  return toSql(expression);
}

/** An empty list filters nothing (contract 1.16). */
function join(
  parts: readonly FilterExpression[],
  separator: RawBuilder<unknown>,
  toSql: (condition: FilterCondition) => Fragment,
): Fragment {
  if (parts.length === 0) return sql<boolean>`true`;
  const fragments = parts.map((part) => combine(part, toSql));
  return sql<boolean>`(${sql.join(fragments, separator)})`;
}

function conditionSql(condition: FilterCondition, metadata: RawBuilder<unknown>): Fragment {
  if (condition.type === "numeric") return numericSql(condition, metadata);
  const match = sql<boolean>`coalesce(${matchSql(condition, metadata)}, false)`;
  return condition.negate ? sql<boolean>`(not ${match})` : match;
}

function matchSql(condition: FilterCondition, metadata: RawBuilder<unknown>): Fragment {
  const path = pathOf(condition.key);
  const fold = (value: RawBuilder<unknown>) => (condition.ignoreCase ? sql`lower_unicode(${value})` : value);
  const wanted = fold(sql`${condition.value}`);
  const scalar = fold(scalarText(metadata, path));
  switch (condition.type) {
    case "string_contains":
      return sql<boolean>`(instr(${scalar}, ${wanted}) > 0)`;
    case "array_contains":
      return sql<boolean>`case when json_type(${metadata}, ${path}) = 'array'
        then exists (select 1 from json_each(${metadata}, ${path}) element where ${fold(sql`element.value`)} = ${wanted})
        else ${scalar} = ${wanted} end`;
    default:
      return sql<boolean>`(${scalar} = ${wanted})`;
  }
}

/** A scalar as text: numbers and booleans as JSON writes them; null for arrays and missing keys. */
function scalarText(metadata: RawBuilder<unknown>, path: string): RawBuilder<unknown> {
  return sql`case json_type(${metadata}, ${path})
    when 'text' then ${metadata} ->> ${path}
    when 'array' then null when 'object' then null
    else cast(${metadata} -> ${path} as text) end`;
}

const FLIPPED = { "<": ">=", "<=": ">", ">": "<=", ">=": "<", "=": "!=", "!=": "=" } as const;

/** A value that is not a number never matches; negation inverts the operator, so a missing key does not match either. */
function numericSql(condition: FilterCondition, metadata: RawBuilder<unknown>): Fragment {
  const operator = condition.negate ? FLIPPED[condition.operator] : condition.operator;
  const path = pathOf(condition.key);
  // Whole numbers as floating point, as in the sender's JSON; a function could not take integers beyond 2^53.
  const stored = sql`case json_type(${metadata}, ${path})
    when 'integer' then cast(${metadata} ->> ${path} as double precision)
    when 'real' then cast(${metadata} ->> ${path} as double precision)
    when 'text' then to_number(${metadata} ->> ${path}) end`;
  return sql<boolean>`coalesce(${stored} ${sql.raw(operator)} ${Number(condition.value)}, false)`;
}

/** The core restricts keys to `[A-Za-z0-9_.-]`; quoting keeps dots part of the key. */
function pathOf(key: string): string {
  return `$."${key}"`;
}
