import { type Kysely, type Selectable, sql } from "kysely";
import type { Clock, ExtractionTask, ExtractionTaskStore } from "../../core/ports.js";
import { createId } from "../../lib/ids.js";
import { iso } from "../../lib/time.js";
import { fromJson, listParameter, toJson } from "./json.js";
import { leaseTime } from "./lease-time.js";
import { repositoryOf, type StoreContext } from "./repository.js";
import type { Database } from "./schema.js";
import { atomically } from "./transact.js";

/** Rows of one insert: each has eleven parameters, and SQLite allows some thirty thousand. */
const ROWS_AT_ONCE = 1_000;

/** Prompts with which a language model extracts from a document; other questions about one are not extraction. */
const READING = "extract-";

/**
 * Documents `d` of a container that the rules have finished, that no language model has read at this revision, and that have not
 * expired.
 */
const isUnread = (organizationId: string, containerId: number, now: string) => sql<boolean>`
  d.organization_id = ${organizationId} and d.status = 'done' and d.dreaming_status = 'done' and d.task_type = 'memory'
  and (d.forget_after is null or d.forget_after > ${now})
  and d.facts is null and d.remembered_revision = d.revision
  and d.id in (select dc.document_id from document_containers dc where dc.container_id = ${containerId})
  and not exists (select 1 from extractions e where e.organization_id = d.organization_id and e.document_id = d.id
    and e.revision = d.revision and substr(e.prompt_version, 1, ${READING.length}) = ${READING})`;

/** Documents of a container that are unread and have no tasks yet. */
const isUncut = (organizationId: string, containerId: number, now: string) => sql<boolean>`
  ${isUnread(organizationId, containerId, now)} and not exists (select 1 from extraction_tasks t
    where t.container_id = ${containerId} and t.document_id = d.id and t.revision = d.revision)`;

/** Unanswered tasks `t` of unread documents `d`. */
const isOpen = (organizationId: string, containerId: number, now: string) => sql<boolean>`
  t.container_id = ${containerId} and t.done_at is null and d.id = t.document_id and d.revision = t.revision
  and ${isUnread(organizationId, containerId, now)}`;

const isFree = (context: StoreContext, organizationId: string, containerId: number) => sql<boolean>`
  ${isOpen(organizationId, containerId, now(context.clock))}
  and (t.reserved_until is null or t.reserved_until <= ${leaseTime(context)})`;

const extractionTaskStore = repositoryOf<ExtractionTaskStore, StoreContext>({
  async unread({ db, clock }, organizationId, containerId, limit) {
    const { rows } = await sql<{ id: string; readRevision: number | null }>`
      select d.id as id, (
        select max(revision) from (
          select revision from extractions e where e.organization_id = d.organization_id and e.document_id = d.id
            and substr(e.prompt_version, 1, ${READING.length}) = ${READING}
          union all
          select revision from extraction_tasks t where t.container_id = ${containerId} and t.document_id = d.id
            and t.window_end > t.window_start
            group by revision having count(t.done_at) = count(*) and count(*) = max(t.parts))) as readRevision
      from documents d where ${isUncut(organizationId, containerId, now(clock))} order by d.seq limit ${limit}`.execute(
      db,
    );
    return rows;
  },

  async open({ db, clock }, organizationId, { id, revision, containerId }, windows) {
    const common = {
      organization_id: organizationId,
      container_id: containerId,
      document_id: id,
      revision,
      handles: null,
      reserved_until: null,
      reserved_by: null,
    };
    const rows = windows.map(({ start, end }, index) => ({
      ...common,
      id: createId(),
      part: index + 1,
      parts: windows.length,
      window_start: start,
      window_end: end,
      done_at: null,
    }));
    const nothing = {
      ...common,
      id: createId(),
      part: 0,
      parts: 0,
      window_start: 0,
      window_end: 0,
      done_at: now(clock),
    };
    await atomically(db, async (db) => {
      await db
        .deleteFrom("extraction_tasks")
        .where("container_id", "=", containerId)
        .where("document_id", "=", id)
        .where("revision", "<", revision)
        .where("done_at", "is", null)
        .execute();
      const all = rows.length > 0 ? rows : [nothing];
      for (let start = 0; start < all.length; start += ROWS_AT_ONCE)
        await db
          .insertInto("extraction_tasks")
          .values(all.slice(start, start + ROWS_AT_ONCE))
          .onConflict((conflict) => conflict.doNothing())
          .execute();
    });
  },

  countFree: (context, organizationId, containerId, limit) =>
    count(
      context.db,
      sql`select 1 from extraction_tasks t, documents d where ${isFree(context, organizationId, containerId)} limit ${limit}`,
    ),

  async countOpen({ db, clock }, organizationId, containerId, limit) {
    const cut = await count(
      db,
      sql`select 1 from extraction_tasks t, documents d where ${isOpen(organizationId, containerId, now(clock))} limit ${limit}`,
    );
    const uncut = await count(
      db,
      sql`select 1 from documents d where ${isUncut(organizationId, containerId, now(clock))} limit ${limit}`,
    );
    return Math.min(limit, cut + uncut);
  },

  async reserve(context, organizationId, containerId, { limit, maxCharacters, forMs, by }) {
    return atomically(context.db, async (db) => {
      const { rows } = await sql<{ seq: number; characters: number }>`
        select t.seq as seq, t.window_end - t.window_start as characters from extraction_tasks t, documents d
        where ${isFree(context, organizationId, containerId)} order by d.seq, t.part limit ${limit}`.execute(db);
      const ids: string[] = [];
      let characters = 0;
      for (const row of rows) {
        characters += row.characters;
        if (ids.length > 0 && characters > maxCharacters) break;
        const id = createId();
        await db
          .updateTable("extraction_tasks")
          .set({ id, handles: null, reserved_until: leaseTime(context, forMs), reserved_by: by })
          .where("seq", "=", row.seq)
          .execute();
        ids.push(id);
      }
      return ids;
    });
  },

  async byId({ db }, organizationId, id) {
    const row = await db
      .selectFrom("extraction_tasks")
      .innerJoin("containers", "containers.id", "extraction_tasks.container_id")
      .selectAll("extraction_tasks")
      .select("containers.tag as tag")
      .where("extraction_tasks.id", "=", id)
      .where("extraction_tasks.organization_id", "=", organizationId)
      .where("containers.deleted_at", "is", null)
      .executeTakeFirst();
    return row ? taskOf(row) : null;
  },

  async setHandles({ db }, organizationId, id, memoryIds) {
    await db
      .updateTable("extraction_tasks")
      .set({ handles: toJson(memoryIds) })
      .where("id", "=", id)
      .where("organization_id", "=", organizationId)
      .execute();
  },

  async finish({ db, clock }, organizationId, id) {
    await db
      .updateTable("extraction_tasks")
      .set({ done_at: now(clock), reserved_until: null })
      .where("id", "=", id)
      .where("organization_id", "=", organizationId)
      .execute();
  },
});

/** Which parts of documents agents read. Rows hold ids and places, never text. */
export function createExtractionTaskStore(db: Kysely<Database>, clock: Clock): ExtractionTaskStore {
  return extractionTaskStore({ db, clock });
}

function now(clock: Clock) {
  return iso(clock.now());
}

async function count(db: Kysely<Database>, rows: ReturnType<typeof sql>): Promise<number> {
  const { rows: counted } = await sql<{ n: number }>`select count(*) as n from (${rows})`.execute(db);
  return counted[0]?.n ?? 0;
}

/** Moves a document's tasks to its first container, unless that already has the same ones. */
export async function moveTasks(
  db: Kysely<Database>,
  documentId: string,
  containerIds: readonly number[],
): Promise<void> {
  const elsewhere = sql`document_id = ${documentId}
    and container_id not in (select cast(value as bigint) from json_each(${listParameter(containerIds)}))`;
  const [first] = containerIds;
  if (first !== undefined)
    await sql`update extraction_tasks set container_id = ${first} where seq in (
      select min(seq) from extraction_tasks where ${elsewhere} group by revision, part)
      and not exists (select 1 from extraction_tasks there where there.container_id = ${first}
        and there.document_id = extraction_tasks.document_id and there.revision = extraction_tasks.revision
        and there.part = extraction_tasks.part)`.execute(db);
  await sql`delete from extraction_tasks where ${elsewhere}`.execute(db);
}

function taskOf(row: Selectable<Database["extraction_tasks"]> & { readonly tag: string }): ExtractionTask {
  return {
    id: row.id,
    containerTag: row.tag,
    documentId: row.document_id,
    revision: row.revision,
    part: row.part,
    parts: row.parts,
    window: { start: row.window_start, end: row.window_end },
    handles: fromJson<string[]>(row.handles),
    doneAt: row.done_at,
  };
}
