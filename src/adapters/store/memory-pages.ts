import { type Kysely, type RawBuilder, sql } from "kysely";
import type { InferredMemory, MemoryQuery, PlacedMemory, StatedMemory } from "../../core/ports.js";
import { iso } from "../../lib/time.js";
import { isOneOf, readCandidates } from "./filtered-rows.js";
import { listParameter } from "./json.js";
import { createMemoryFilter } from "./memory-filter.js";
import { memoryOf, selectMemories } from "./memory-rows.js";
import type { Database } from "./schema.js";

/** What a search may find: newest versions that are neither forgotten nor expired. */
const active = (now: Date) =>
  sql<boolean>`(memories.is_latest = 1 and memories.is_forgotten = 0
    and (memories.forget_after is null or memories.forget_after > ${iso(now)}))`;

/**
 * Row numbers of existing containers, which lead into the index of memories. For a single container, the usual case, the index
 * has the requested order.
 */
async function isInContainers(db: Kysely<Database>, organizationId: string, tags: readonly string[]) {
  const containers = await db
    .selectFrom("containers")
    .select("id")
    .where("organization_id", "=", organizationId)
    .where("deleted_at", "is", null)
    .where(sql<boolean>`tag in (select value from json_each(${listParameter(tags)}))`)
    .execute();
  const [only, ...others] = containers;
  if (only && others.length === 0) return sql<boolean>`memories.container_id = ${only.id}`;
  return sql<boolean>`memories.container_id in (select cast(value as bigint) from json_each(${listParameter(containers.map(({ id }) => id))}))`;
}

/** One page of active memories, and how many there are, as `MemoryStore.list` promises. */
export async function listMemories(
  db: Kysely<Database>,
  organizationId: string,
  query: MemoryQuery,
  now: Date,
): Promise<{ memories: PlacedMemory[]; total: number }> {
  const isTold = sql<boolean>`memories.kind <> 'statement'`;
  const conditions = [await isInContainers(db, organizationId, query.containerTags), active(now), isTold];
  const matching = sql<boolean>`(${sql.join(conditions, sql` and `)})`;
  const column = sql.ref(query.sort === "updatedAt" ? "memories.updated_at" : "memories.created_at");
  const direction = sql.raw(query.order);
  const order = sql`${column} ${direction}, memories.seq ${direction}`;
  const readPage = async (isOnPage: RawBuilder<boolean>): Promise<PlacedMemory[]> => {
    const rows = await selectMemories(db, organizationId)
      .select("containers.uid as uid")
      .where(isOnPage)
      .orderBy(order)
      .execute();
    return rows.map((row) => ({ ...memoryOf(row), containerUid: row.uid }));
  };
  if (query.filters) {
    const filter = createMemoryFilter(db, { containers: query.containerTags, filters: query.filters });
    const candidates = await readCandidates(
      db,
      sql`select json_group_array(memories.seq order by ${order}) as packed from memories where ${matching}`,
    );
    const found = await filter(candidates);
    const page = found.slice(query.offset, query.offset + query.limit);
    // Some may have changed meanwhile.
    const rows = await readPage(sql`(${isOneOf("memories.seq", page)} and ${matching})`);
    const still = new Set(await filter(rows.map(({ seq }) => seq)));
    const memories = rows.filter(({ seq }) => still.has(seq));
    return { memories, total: found.length - (page.length - memories.length) };
  }
  // Sorts row numbers; otherwise whole rows would be read, and their sources counted, for everything that is sorted.
  const memories = await readPage(
    sql`memories.seq in (select memories.seq from memories where ${matching}
      order by ${order} limit ${query.limit} offset ${query.offset})`,
  );
  // Left to itself, the planner would read whole rows.
  const counted = await sql<{ total: number }>`
    select count(*) as total from memories indexed by memories_told where ${matching}`.execute(db);
  return { memories, total: counted.rows[0]?.total ?? 0 };
}

/** Guesses that await review, as `MemoryStore.inferred` promises. */
export async function listInferred(
  db: Kysely<Database>,
  organizationId: string,
  { containerTag, limit, now }: { containerTag: string; limit: number; now: Date },
): Promise<InferredMemory[]> {
  const parents = sql<number>`(select count(*) from memory_relations mr
    where mr.from_id = memories.id and mr.relation = 'derives')`;
  const rows = await selectMemories(db, organizationId)
    .select(parents.as("parents"))
    .where(await isInContainers(db, organizationId, [containerTag]))
    .where(active(now))
    .where("memories.is_inference", "=", 1)
    .orderBy("parents", "desc")
    .orderBy("memories.created_at", "desc")
    .orderBy("memories.seq", "desc")
    .limit(limit)
    .execute();
  return rows.map((row) => ({ memory: memoryOf(row), parentCount: row.parents }));
}

/** Every memory that these documents state, as `MemoryStore.ofDocuments` promises. */
export async function listOfDocuments(
  db: Kysely<Database>,
  organizationId: string,
  documentIds: readonly string[],
): Promise<StatedMemory[]> {
  const rows = await selectMemories(db, organizationId)
    .innerJoin("memory_sources", "memory_sources.memory_id", "memories.id")
    .select(["containers.uid as uid", "memory_sources.document_id as documentId", "memory_sources.added_at as addedAt"])
    .where(sql<boolean>`memory_sources.document_id in (select value from json_each(${listParameter(documentIds)}))`)
    // There is usually one organisation, so its index would lead through all memories.
    .orderBy(sql`+memories.seq`)
    .orderBy("memory_sources.document_id")
    .execute();
  return rows.map((row) => ({
    documentId: row.documentId,
    addedAt: row.addedAt,
    memory: { ...memoryOf(row), containerUid: row.uid },
  }));
}
