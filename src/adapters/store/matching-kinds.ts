import { type Kysely, type RawBuilder, sql } from "kysely";
import type { UnitCondition, UnitScope } from "../../core/ports.js";
import { databaseTraits } from "./database-traits.js";
import { filepathSql, ofOrganization } from "./documents.js";
import { documentFilterSql, isEvaluated, memoryFilterSql } from "./filters.js";
import { fixedQuery, type SlotAt } from "./fixed-query.js";
import { listParameter } from "./json.js";
import { executorOf } from "./record-executor.js";
import type { Database } from "./schema.js";

/** What units have to satisfy; see `UnitStore.matching`. */
export interface Matching {
  readonly organizationId: string;
  readonly scope: UnitScope;
  readonly condition: UnitCondition;
}

/** Where to resume: after a place in the first of some runs, then in the others. */
interface Cursor {
  readonly runs: readonly number[];
  readonly after: string | number;
  readonly limit: number;
}

/** What a slice found, and the last place it looked at: the run, counted from 0, and the place in it; null at the end. */
interface Slice {
  readonly seqs: readonly number[];
  readonly last: { readonly run: number; readonly after: string | number } | null;
}

/** How to find chunks or memories that satisfy a condition, all as `seq`. */
export interface MatchingKind {
  /** How to find those among given units. */
  readonly some: (matching: Matching) => (db: Kysely<Database>, seqs: readonly number[]) => Promise<number[]>;
  /** Stretches of an index that hold the units of containers. */
  readonly runsOf: (containerIds: readonly number[]) => readonly number[];
  /** Comes before all other places of a run. */
  readonly first: string | number;
  /** How to find those in a slice of the runs. */
  readonly slice: (matching: Matching) => (db: Kysely<Database>, cursor: Cursor) => Promise<Slice>;
}

export const MATCHING_CHUNKS: MatchingKind = {
  some: (matching) =>
    readSome(
      (db, slot) => sql`
      select chunks.seq as seq from json_each(${slot(0)}) wanted
      cross join chunks on chunks.seq = cast(wanted.value as bigint) cross join documents on documents.id = chunks.document_id
      where exists (select 1 from document_containers dc where dc.document_id = documents.id
          and dc.container_id in (select cast(value as bigint) from json_each(${listParameter(matching.scope.containerIds)})))
        and ${chunkSql(db, matching)}`,
    ),

  runsOf: (containerIds) => containerIds,
  first: "",

  slice: (matching) =>
    readSlice({
      places: (db, slot) => sql`select cast(run.key as bigint) as run, dc.document_id as place
        from json_each(${slot(RUNS)}) run
        cross join document_containers dc on dc.container_id = cast(run.value as bigint)
          and dc.document_id > iif(cast(run.key as bigint) = 0, ${slot(AFTER)}, '')
        ${inOrder(db)} limit ${slot(LIMIT)} + 0`,
      matched: (db) => sql`chunks.seq) from slice cross join documents on documents.id = slice.place
        cross join chunks on chunks.document_id = documents.id where ${chunkSql(db, matching)}`,
    }),
};

export const MATCHING_MEMORIES: MatchingKind = {
  some: (matching) =>
    readSome(
      (db, slot) => sql`
      select memories.seq as seq from json_each(${slot(0)}) wanted
      cross join memories on memories.seq = cast(wanted.value as bigint)
      where memories.container_id in (select cast(value as bigint) from json_each(${listParameter(matching.scope.containerIds)}))
        and memories.is_latest = 1 and ${memorySql(db, matching)}`,
    ),

  // The index sorts by two flags before it sorts by `seq`.
  runsOf: (containerIds) => containerIds.flatMap((id) => [0, 1, 2, 3].map((marks) => id * 4 + marks)),
  first: 0,

  slice: (matching) =>
    readSlice({
      places: (db, slot) => sql`select cast(run.key as bigint) as run, m.seq as place
        from json_each(${slot(RUNS)}) run
        cross join memories m on m.container_id = cast(run.value as bigint) >> 2 and m.is_latest = 1
          and m.is_forgotten = (cast(run.value as bigint) >> 1) & 1 and m.is_static = cast(run.value as bigint) & 1
          and m.seq > iif(cast(run.key as bigint) = 0, ${slot(AFTER)}, 0)
        ${inOrder(db)} limit ${slot(LIMIT)} + 0`,
      matched: (db) =>
        sql`memories.seq) from slice cross join memories on memories.seq = slice.place where ${memorySql(db, matching)}`,
    }),
};

type Build = (db: Kysely<Database>, slot: SlotAt) => RawBuilder<unknown>;

/** @param build a query whose parameter is a list of `seq` */
function readSome(build: Build): ReturnType<MatchingKind["some"]> {
  const select = fixedQuery<{ seq: number }>((db, slot) => sql`${build(db, slot)}`);
  return async (db, seqs) => {
    const rows = await select(db, listParameter(seqs));
    return rows.map(({ seq }) => seq);
  };
}

/** Places of a slice's parameters. */
const [RUNS, AFTER, LIMIT] = [0, 1, 2];

function inOrder(db: Kysely<Database>): RawBuilder<unknown> {
  return databaseTraits(db).readsInWrittenOrder ? sql`` : sql`order by 1, 2`;
}

/** @param matched the end of `json_group_array(`: what to take from the slice */
function readSlice({
  places,
  matched,
}: {
  readonly places: Build;
  readonly matched: Build;
}): ReturnType<MatchingKind["slice"]> {
  const select = fixedQuery<{ run: number | null; after: string | number; seqs: string }>(
    (db, slot) => sql`
    with slice as materialized (${places(db, slot)}), furthest as materialized (select max(run) as run from slice)
    select furthest.run as run, (select max(place) from slice where slice.run = furthest.run) as after,
      (select json_group_array(${matched(db, slot)}) as seqs from furthest`,
  );
  return async (db, { runs, after, limit }) => {
    const [row] = await select(db, listParameter(runs), after, limit);
    if (!row || row.run === null) return { seqs: [], last: null };
    return { seqs: JSON.parse(row.seqs) as number[], last: { run: row.run, after: row.after } };
  };
}

function chunkSql(db: Kysely<Database>, { organizationId, scope, condition }: Matching): RawBuilder<unknown> {
  const { filters, exceptDocumentIds } = condition;
  const conditions = [ofOrganization(organizationId), ...sourceConditions(condition)];
  if (filters) conditions.push(documentFilterSql(executorOf(db).database, filters, sql`documents.metadata`));
  if (exceptDocumentIds)
    conditions.push(
      sql<boolean>`documents.id not in (select value from json_each(${listParameter(exceptDocumentIds)}))`,
    );
  if (condition.inEveryContainer)
    conditions.push(
      sql<boolean>`(select count(*) from document_containers every where every.document_id = documents.id
        and every.container_id in (select cast(value as bigint) from json_each(${listParameter(scope.containerIds)})))
        = ${scope.containerIds.length}`,
    );
  return sql.join(conditions, sql` and `);
}

function memorySql(db: Kysely<Database>, { organizationId, condition }: Matching): RawBuilder<unknown> {
  const conditions = [sql<boolean>`memories.organization_id = ${organizationId}`];
  const { database } = executorOf(db);
  // Those that are evaluated apply to what this finds (`unit-matching.ts`).
  if (condition.filters && !isEvaluated(database, condition.filters))
    conditions.push(memoryFilterSql(database, condition.filters));
  const ofSource = sourceConditions(condition);
  if (ofSource.length > 0)
    conditions.push(
      sql<boolean>`exists (
        select 1 from memory_sources ms join documents on documents.id = ms.document_id
        where ms.memory_id = memories.id and ${sql.join(ofSource, sql` and `)})`,
    );
  return sql.join(conditions, sql` and `);
}

/** What must hold of a chunk's document, or of one document that states a memory. */
function sourceConditions({ filepath, documentIds }: UnitCondition) {
  return [
    ...(filepath === undefined ? [] : [filepathSql(filepath)]),
    ...(documentIds === undefined
      ? []
      : [sql<boolean>`documents.id in (select value from json_each(${listParameter(documentIds)}))`]),
  ];
}
