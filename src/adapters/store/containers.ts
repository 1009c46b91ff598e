import { type Kysely, type Selectable, type Updateable, sql } from "kysely";
import type { Clock, ContainerChange, ContainerRow, ContainerStore } from "../../core/ports.js";
import { type Container, unitOf } from "../../core/types.js";
import { createId } from "../../lib/ids.js";
import { iso, yieldTurn } from "../../lib/time.js";
import { moveTasks } from "./extraction-tasks.js";
import { fixedQuery, readSteadyRows } from "./fixed-query.js";
import { fromJson, listParameter, toJson } from "./json.js";
import { purgeContainer } from "./purge.js";
import { rescopeUnit } from "./rescope.js";
import { repositoryOf, type StoreContext } from "./repository.js";
import type { Database } from "./schema.js";
import { atomically } from "./transact.js";

/** Chunks moved in one go, so that a long document does not keep callers waiting. */
const YIELD_EVERY = 50;

const inUse = (db: Kysely<Database>, organizationId: string) =>
  db.selectFrom("containers").where("organization_id", "=", organizationId).where("deleted_at", "is", null);

const selectAll = fixedQuery((db, slot) =>
  inUse(db, slot(0)).select(["id", "tag", "time_zone as timeZone"]).orderBy("id"),
);

const TAGGED = `select id, tag, time_zone as timeZone from containers where organization_id = ? and deleted_at is null
  and tag in (select value from json_each(?)) order by id`;

const selectByTag = fixedQuery((db, slot) => inUse(db, slot(0)).selectAll().where("tag", "=", slot<string>(1)));

const selectOfDocument = fixedQuery((db, slot) =>
  db
    .selectFrom("document_containers")
    .innerJoin("containers", "containers.id", "document_containers.container_id")
    .select(["containers.id", "containers.tag", "containers.time_zone as timeZone"])
    .where("containers.organization_id", "=", slot<string>(0))
    .where("containers.deleted_at", "is", null)
    .where("document_containers.document_id", "=", slot<string>(1))
    .orderBy("document_containers.position"),
);

const containerStore = repositoryOf<ContainerStore, StoreContext>({
  find: ({ db }, ...parameters) => find(db, ...parameters),
  get: ({ db }, ...parameters) => get(db, ...parameters),
  ensure,

  ofDocument: ({ db }, organizationId, documentId) => selectOfDocument(db, organizationId, documentId),

  async update({ db, clock }, organizationId, tag, change) {
    return atomically(db, async (db) => {
      await ensure({ db, clock }, organizationId, [tag]);
      const row = await db
        .updateTable("containers")
        .set({ ...columnsOf(change), updated_at: iso(clock.now()) })
        .where("organization_id", "=", organizationId)
        .where("tag", "=", tag)
        .returningAll()
        .executeTakeFirstOrThrow();
      return containerOf(row);
    });
  },

  async guidance({ db }, organizationId) {
    const rows = await inUse(db, organizationId)
      .select(["entity_context as text", sql<number>`count(*)`.as("containers")])
      .where("entity_context", "is not", null)
      .where("entity_context_is_owners", "=", 1)
      .groupBy("entity_context")
      .execute();
    return rows.map(({ text, containers }) => ({ text: text ?? "", containers }));
  },

  async list({ db, clock }, organizationId, tags) {
    let query = inUse(db, organizationId)
      .selectAll()
      .select([DOCUMENT_COUNT, memoryCount(iso(clock.now())), LAST_DOCUMENT, LAST_MEMORY]);
    if (tags !== "all") query = query.where(isOneOf(tags));
    const rows = await query.execute();
    return rows.map((row) => ({
      ...containerOf(row),
      documentCount: row.document_count,
      memoryCount: row.memory_count,
      lastActivityAt: later(row.last_document, row.last_memory),
    }));
  },

  async remove({ db, clock }, organizationId, tag) {
    await db
      .updateTable("containers")
      // No tag contains a `#`, so no other container can have this name.
      .set({ deleted_at: iso(clock.now()), tag: sql<string>`tag || '#' || id` })
      .where("organization_id", "=", organizationId)
      .where("tag", "=", tag)
      .execute();
  },

  async documentsIn({ db }, organizationId, containerId, limit) {
    const rows = await db
      .selectFrom("document_containers")
      .innerJoin("containers", "containers.id", "document_containers.container_id")
      .innerJoin("documents", "documents.id", "document_containers.document_id")
      .select("document_containers.document_id")
      .where("containers.organization_id", "=", organizationId)
      .where("document_containers.container_id", "=", containerId)
      .orderBy("document_containers.document_id")
      .limit(limit)
      .execute();
    return rows.map((row) => row.document_id);
  },

  async findEvery({ db }, organizationId) {
    const rows = await db
      .selectFrom("containers")
      .select(["id", "tag", "time_zone", "deleted_at"])
      .where("organization_id", "=", organizationId)
      .orderBy("id")
      .execute();
    return rows.map(({ id, tag, time_zone, deleted_at }) => ({
      id,
      timeZone: time_zone,
      tag: tag.replace(/#\d+$/, ""),
      isDeleted: deleted_at !== null,
    }));
  },

  async countOwnDocuments({ db }, organizationId, containerId) {
    const { rows } = await sql<{ n: number }>`select count(*) as n from document_containers dc
      join containers c on c.id = dc.container_id and c.organization_id = ${organizationId}
      where dc.container_id = ${containerId} and not exists (
        select 1 from document_containers o where o.document_id = dc.document_id and o.container_id <> dc.container_id
      )`.execute(db);
    return rows[0]?.n ?? 0;
  },

  async relocate({ db }, organizationId, documentId, containerIds) {
    await atomically(db, async (db) => {
      const known = await db
        .selectFrom("documents")
        .select("id")
        .where("id", "=", documentId)
        .where(sql<boolean>`+organization_id = ${organizationId}`)
        .executeTakeFirst();
      if (!known) return;
      await db.deleteFrom("document_containers").where("document_id", "=", documentId).execute();
      const rows = containerIds.map((id, position) => ({ document_id: documentId, container_id: id, position }));
      if (rows.length > 0) await db.insertInto("document_containers").values(rows).execute();
      await moveTasks(db, documentId, containerIds);
      const chunks = await db.selectFrom("chunks").select("seq").where("document_id", "=", documentId).execute();
      for (const [index, { seq }] of chunks.entries()) {
        if (index % YIELD_EVERY === YIELD_EVERY - 1) await yieldTurn();
        await rescopeUnit(db, unitOf("chunk", seq), containerIds);
      }
    });
  },

  async purge({ db }, organizationId, tag) {
    const rows = await db
      .selectFrom("containers")
      .select(["id", "tag"])
      .where("organization_id", "=", organizationId)
      .where(sql<boolean>`(tag = ${tag} or tag = ${tag} || '#' || id)`)
      .execute();
    for (const row of rows) await purgeContainer(db, organizationId, { id: row.id, tag });
  },
});

export function createContainerStore(db: Kysely<Database>, clock: Clock): ContainerStore {
  return containerStore({ db, clock });
}

async function find(
  db: Kysely<Database>,
  organizationId: string,
  tags: "all" | readonly string[],
): Promise<ContainerRow[]> {
  if (tags === "all") return selectAll(db, organizationId);
  return [...(await readSteadyRows<ContainerRow>(db, TAGGED, [organizationId, listParameter(tags)]))];
}

async function get(db: Kysely<Database>, organizationId: string, tag: string): Promise<Container | null> {
  const [row] = await selectByTag(db, organizationId, tag);
  return row ? containerOf(row) : null;
}

async function ensure(
  { db, clock }: StoreContext,
  organizationId: string,
  tags: readonly string[],
): Promise<ContainerRow[]> {
  if (tags.length === 0) return [];
  const known = await find(db, organizationId, tags);
  const missing = [...new Set(tags)].filter((tag) => known.every((row) => row.tag !== tag));
  const now = iso(clock.now());
  if (missing.length === 0) return inOrder(known, tags);
  for (const tag of missing)
    await db
      .insertInto("containers")
      .values({ organization_id: organizationId, tag, uid: createId(), created_at: now, updated_at: now })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  return inOrder(await find(db, organizationId, tags), tags);
}

/** Each container once, in tag order. */
function inOrder(found: readonly ContainerRow[], tags: readonly string[]): ContainerRow[] {
  const rows = new Map(found.map((row) => [row.tag, row]));
  return [...new Set(tags)].flatMap((tag) => rows.get(tag) ?? []);
}

function isOneOf(tags: readonly string[]) {
  return sql<boolean>`containers.tag in (select value from json_each(${listParameter(tags)}))`;
}

const DOCUMENT_COUNT = sql<number>`(
  select count(*) from document_containers dc where dc.container_id = containers.id
)`.as("document_count");

/** Leaves out expired memories: they are few and counted separately, so that each count needs only an index. */
const memoryCount = (now: string) =>
  sql<number>`(
    select count(*) from memories m where m.container_id = containers.id and m.is_latest = 1 and m.is_forgotten = 0
  ) - (
    select count(*) from memories m where m.container_id = containers.id and m.forget_after <= ${now}
      and m.forget_after is not null and m.is_latest = 1 and m.is_forgotten = 0
  )`.as("memory_count");

const LAST_DOCUMENT = sql<string | null>`(
  select max(d.updated_at) from document_containers dc join documents d on d.id = dc.document_id
  where dc.container_id = containers.id
)`.as("last_document");

/** By row number, which the index has; by date, every memory would have to be read. */
const LAST_MEMORY = sql<string | null>`(
  select m.created_at from memories m where m.seq = (
    select max(seq) from (
      select max(seq) as seq from memories m
        where m.container_id = containers.id and m.is_latest = 1 and m.is_forgotten = 0 and m.is_static = 0
      union all
      select max(seq) from memories m
        where m.container_id = containers.id and m.is_latest = 1 and m.is_forgotten = 0 and m.is_static = 1
    ))
)`.as("last_memory");

function later(one: string | null, other: string | null): string | null {
  if (one === null || other === null) return one ?? other;
  return one > other ? one : other;
}

function columnsOf(change: ContainerChange): Updateable<Database["containers"]> {
  return {
    ...(change.name !== undefined && { name: change.name }),
    ...(change.description !== undefined && { description: change.description }),
    ...(change.entityContext !== undefined && {
      entity_context: change.entityContext,
      entity_context_by: change.entityContextBy?.name ?? null,
      entity_context_is_owners: change.entityContextBy?.isOwner === true ? 1 : 0,
    }),
    ...(change.memoryFilesystemPaths !== undefined && {
      memory_filesystem_paths: toJson(change.memoryFilesystemPaths),
    }),
    ...(change.profileBuckets !== undefined && { profile_buckets: JSON.stringify(change.profileBuckets) }),
    ...(change.visibility !== undefined && { visibility: change.visibility }),
    ...(change.isExperimental !== undefined && { is_experimental: change.isExperimental ? 1 : 0 }),
    ...(change.emoji !== undefined && { emoji: change.emoji }),
    ...(change.timeZone !== undefined && { time_zone: change.timeZone }),
  };
}

/** Only this file writes the columns, so the narrow types are certain. */
function containerOf(row: Selectable<Database["containers"]>): Container {
  return {
    id: row.id,
    uid: row.uid,
    tag: row.tag,
    name: row.name,
    description: row.description,
    entityContext: row.entity_context,
    entityContextBy:
      row.entity_context_by === null
        ? null
        : { name: row.entity_context_by, isOwner: row.entity_context_is_owners === 1 },
    memoryFilesystemPaths: fromJson(row.memory_filesystem_paths),
    profileBuckets: fromJson<Container["profileBuckets"]>(row.profile_buckets) ?? [],
    visibility: row.visibility as Container["visibility"],
    isExperimental: row.is_experimental === 1,
    emoji: row.emoji,
    timeZone: row.time_zone,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
