import { type RawBuilder, sql } from "kysely";
import type { FilterCondition, FilterExpression } from "../../core/types.js";
import { conditionsOf } from "./filter-evaluation.js";
import { type Member, membersOnce, parsedEachTime } from "./filter-members.js";
import type { RecordDatabase } from "./record-executor.js";

type Fragment = RawBuilder<boolean>;

/** Conditions of a filter that SQLite still evaluates itself. */
const MOST_IN_SQL = 3;
/** More conditions take PostgreSQL milliseconds a row where the metadata is large. */
const MOST_CHEAP = 10;

/** The filter language of contract 1.13 as SQL over a JSON column of document metadata. */
export function documentFilterSql(
  database: RecordDatabase,
  expression: FilterExpression,
  metadata: RawBuilder<unknown>,
): Fragment {
  if (isEvaluated(database, expression))
    return sql<boolean>`satisfies_filter(${JSON.stringify(expression)}, ${metadata})`;
  if (isParsedEachTime(database, expression))
    return combine(expression, (condition) => conditionSql(condition, parsedEachTime(metadata, condition.key)));
  const members = membersOnce();
  const matches = combine(expression, (condition) => conditionSql(condition, members.of("own", condition.key)));
  return sql<boolean>`(with own as materialized (${members.read(sql`values (${metadata})`)})
    select ${matches} from own)`;
}

/**
 * The same for memories: a memory's own metadata decides where it has the key, otherwise that of any source document, because
 * clients set metadata on the document and filter the memories by it. For filters that `isEvaluated` names, see `memory-filter.ts`.
 */
export function memoryFilterSql(database: RecordDatabase, expression: FilterExpression): Fragment {
  if (isParsedEachTime(database, expression))
    return combine(expression, (condition) => {
      const ofSource = conditionSql(condition, parsedEachTime(sql`d.metadata`, condition.key));
      return ownOrSource(condition, parsedEachTime(sql`memories.metadata`, condition.key), {
        exists: sql<boolean>`exists (select 1 from memory_sources ms where ms.memory_id = memories.id)`,
        matches: sql<boolean>`exists (select 1 ${SOURCES} and ${ofSource})`,
      });
    });
  const members = membersOnce();
  const matches = combine(expression, (condition) => {
    const ofSource = conditionSql(condition, members.of("source", condition.key));
    return ownOrSource(condition, members.of("own", condition.key), {
      exists: sql<boolean>`exists (select 1 from source)`,
      matches: sql<boolean>`exists (select 1 from source where ${ofSource})`,
    });
  });
  return sql<boolean>`(with own as materialized (${members.read(sql`values (memories.metadata)`)}),
    source as materialized (${members.read(sql`select d.metadata ${SOURCES}`)})
    select ${matches} from own)`;
}

const SOURCES = sql`from memory_sources ms join documents d on d.id = ms.document_id where ms.memory_id = memories.id`;

function ownOrSource(
  condition: FilterCondition,
  own: Member,
  source: { readonly exists: Fragment; readonly matches: Fragment },
): Fragment {
  return sql<boolean>`case
    when ${own.kind} is not null then ${conditionSql(condition, own)}
    when ${source.exists} then ${source.matches}
    else ${withoutKey(condition)} end`;
}

/** What a condition says about metadata that does not have its key. */
function withoutKey({ type, negate }: FilterCondition): Fragment {
  return type !== "numeric" && negate ? sql<boolean>`true` : sql<boolean>`false`;
}

/**
 * Whether a function evaluates the filter. SQLite looks a member up anew for each condition, so that two hundred on 60 KB take
 * 2 ms a document and 20 ms a memory, and one on a list of 10,000 texts 30 ms; a function takes 0.2 ms and 3 ms for any number. A
 * few values of small metadata are compared in half the time by SQL.
 */
export function isEvaluated(database: RecordDatabase, expression: FilterExpression): boolean {
  if (database !== "sqlite") return false;
  const conditions = conditionsOf(expression);
  const isSlow = ({ type, ignoreCase }: FilterCondition): boolean => ignoreCase || type.endsWith("_contains");
  return conditions.length > MOST_IN_SQL || conditions.some(isSlow);
}

/** Whether a row with large metadata may take milliseconds. */
export function isCostly(database: RecordDatabase, expression: FilterExpression): boolean {
  return isEvaluated(database, expression) || conditionsOf(expression).length > MOST_CHEAP;
}

/**
 * Whether to parse the metadata for each mention of a member: SQLite keeps what it has parsed, and for a single condition
 * PostgreSQL needs a third longer with a subquery. With two hundred conditions on 60 KB it needs half a second a document without.
 */
function isParsedEachTime(database: RecordDatabase, expression: FilterExpression): boolean {
  return database === "sqlite" || conditionsOf(expression).length <= 1;
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

function conditionSql(condition: FilterCondition, member: Member): Fragment {
  if (condition.type === "numeric") return numericSql(condition, member);
  const match = sql<boolean>`coalesce(${matchSql(condition, member)}, false)`;
  return condition.negate ? sql<boolean>`(not ${match})` : match;
}

function matchSql({ type, value, ignoreCase }: FilterCondition, member: Member): Fragment {
  const wanted = ignoreCase ? sql`lower_unicode(${value})` : sql`${value}`;
  const scalar = member.scalar(ignoreCase);
  switch (type) {
    case "string_contains":
      return sql<boolean>`(instr(${scalar}, ${wanted}) > 0)`;
    case "array_contains":
      return sql<boolean>`case when ${member.kind} = 'array' then ${member.hasElement(wanted, ignoreCase)}
        else ${scalar} = ${wanted} end`;
    default:
      return sql<boolean>`(${scalar} = ${wanted})`;
  }
}

const FLIPPED = { "<": ">=", "<=": ">", ">": "<=", ">=": "<", "=": "!=", "!=": "=" } as const;

/** A value that is not a number never matches; negation inverts the operator, so a missing key does not match either. */
function numericSql(condition: FilterCondition, member: Member): Fragment {
  const operator = condition.negate ? FLIPPED[condition.operator] : condition.operator;
  // As text: the SQLite library binds numbers below 2e-16 as 0.
  const wanted = sql`cast(${String(Number(condition.value))} as double precision)`;
  return sql<boolean>`coalesce(${member.number()} ${sql.raw(operator)} ${wanted}, false)`;
}
