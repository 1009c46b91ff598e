import { type RawBuilder, sql } from "kysely";

type Expression = RawBuilder<unknown>;

/** What conditions compare of a member of some metadata. */
export interface Member {
  /** Its type, as `json_type` names it; null for a missing key. */
  readonly kind: Expression;
  /** A scalar as text: numbers and booleans as JSON writes them; null for arrays, objects and missing keys. */
  readonly scalar: (ignoreCase: boolean) => Expression;
  /** A number, also one written as text, as floating point; null for anything else. */
  readonly number: () => Expression;
  /** Whether an array has an element of this text. */
  readonly hasElement: (wanted: Expression, ignoreCase: boolean) => RawBuilder<boolean>;
}

const folded = (value: Expression, ignoreCase: boolean): Expression =>
  ignoreCase ? sql`lower_unicode(${value})` : value;

/** The member as expressions over the whole metadata. */
export function parsedEachTime(metadata: Expression, key: string): Member {
  // The core restricts keys to `[A-Za-z0-9_.-]`; quoting keeps dots part of the key.
  const path = `$."${key}"`;
  const kind = sql`json_type(${metadata}, ${path})`;
  const text = sql`${metadata} ->> ${path}`;
  return {
    kind,
    scalar: (ignoreCase) =>
      folded(
        sql`case ${kind} when 'text' then ${text} when 'array' then null when 'object' then null
          else cast(${metadata} -> ${path} as text) end`,
        ignoreCase,
      ),
    number: () => numberOf(kind, text),
    hasElement: (wanted, ignoreCase) =>
      sql<boolean>`exists (select 1 from json_each(${metadata}, ${path}) element
        where ${folded(sql`element.value`, ignoreCase)} = ${wanted})`,
  };
}

/** Whole numbers as floating point, as in the sender's JSON; a function could not take integers beyond 2^53. */
function numberOf(kind: Expression, text: Expression): Expression {
  return sql`case ${kind}
    when 'integer' then cast(${text} as double precision)
    when 'real' then cast(${text} as double precision)
    when 'text' then to_number(${text}) end`;
}

/** The members that a filter's conditions name, as columns of a subquery, which are computed once for each row. */
export interface MembersOnce {
  /** @param source names a subquery of `read` */
  of(source: string, key: string): Member;
  /** Reads what conditions have asked for by then. @param metadata rows of one column */
  read(metadata: Expression): Expression;
}

/** For PostgreSQL, which would otherwise parse the whole metadata for every mention of a member. */
export function membersOnce(): MembersOnce {
  const keys: string[] = [];
  const columns = new Map<string, Expression>();
  const placeOf = (key: string): number => {
    if (!keys.includes(key)) keys.push(key);
    return keys.indexOf(key) + 1;
  };
  return {
    of(source, key) {
      const place = placeOf(key);
      const part = sql`part[${sql.lit(place)}]`;
      const column = (name: string, expression: Expression): Expression => {
        columns.set(`${name}_${place}`, expression);
        return sql.ref(`${source}.${name}_${place}`);
      };
      const kindHere = sql`sqlite_json_type_of(${part})`;
      const text = sql`sqlite_json_value(${part})`;
      const scalar = sql`case when ${kindHere} in ('array', 'object') then null when ${kindHere} = 'text' then ${text}
        else cast(${part} as text) end`;
      const elements = (ignoreCase: boolean): Expression => sql`case when ${kindHere} = 'array' then array(
        select ${folded(sql`element.value`, ignoreCase)} from json_each(cast(${part} as text)) element) end`;
      const caseOf = (ignoreCase: boolean): string => (ignoreCase ? "_folded" : "");
      return {
        kind: column("kind", kindHere),
        scalar: (ignoreCase) => column(`scalar${caseOf(ignoreCase)}`, folded(scalar, ignoreCase)),
        number: () => column("number", numberOf(kindHere, text)),
        hasElement: (wanted, ignoreCase) =>
          sql<boolean>`${wanted} = any(${column(`elements${caseOf(ignoreCase)}`, elements(ignoreCase))})`,
      };
    },
    read: (metadata) => sql`select ${sql.join([...columns].map(([name, value]) => sql`${value} as ${sql.ref(name)}`))}
      from (select ${partsOf(keys)} as part from (${metadata}) as given(metadata) offset 0) as parts`,
  };
}

/** The members of these keys, in this order, from one pass over an object. */
function partsOf(keys: readonly string[]): Expression {
  return sql`array(select found.value from unnest(array[${sql.join(keys)}]) with ordinality as wanted(key, place)
    left join pg_catalog.json_each(sqlite_parsed(given.metadata)) found on found.key = wanted.key
    order by wanted.place)`;
}
