import { type Kysely, type RawBuilder, sql } from "kysely";
import type { DocumentPurge, PurgeReach } from "../../core/ports.js";
import { listParameter } from "./json.js";
import type { Database } from "./schema.js";

/** Lists that live for one transaction, so that every table is cleared with one statement. */
const LISTS = [
  sql`create temp table if not exists purged_documents (id text primary key)`,
  sql`create temp table if not exists purged_memories (id text primary key, unit integer not null)`,
  sql`create temp table if not exists purged_chains (id text primary key)`,
  sql`delete from purged_documents`,
  sql`delete from purged_memories`,
  sql`delete from purged_chains`,
];

/**
 * Deletes whatever depends on the listed documents and memories, and these themselves, children first; but neither their vectors
 * nor what the journal says of them. A new table with such rows belongs here.
 */
export const REMOVE_ROWS = [
  sql`delete from text_index where rowid in (select unit from purged_memories)`,
  sql`delete from text_index where rowid in
    (select seq * 2 from chunks where document_id in (select id from purged_documents))`,
  // Remaining memories may have their names from one of the documents.
  sql`update memories set entities = null where entities is not null and id in (
    select memory_id from memory_sources where document_id in (select id from purged_documents))`,
  sql`delete from profile_summaries where exists (
    select 1 from json_each(covers) where value in (select id from purged_memories))`,
  sql`delete from memory_sources where memory_id in (select id from purged_memories)`,
  sql`delete from memory_sources where document_id in (select id from purged_documents)`,
  sql`delete from memory_relations where from_id in (select id from purged_memories)`,
  sql`delete from memory_relations where to_id in (select id from purged_memories)`,
  sql`delete from memories where id in (select id from purged_memories)`,
  sql`delete from files where document_id in (select id from purged_documents)`,
  sql`delete from chunks where document_id in (select id from purged_documents)`,
  sql`delete from document_revisions where document_id in (select id from purged_documents)`,
  sql`delete from extraction_tasks where document_id in (select id from purged_documents)`,
  sql`delete from remembered_with where document_id in (select id from purged_documents)`,
  sql`delete from model_failures where document_id in (select id from purged_documents)`,
  sql`delete from cut_with where document_id in (select id from purged_documents)`,
  sql`delete from document_descriptions where document_id in (select id from purged_documents)`,
  sql`delete from message_pictures where document_id in (select id from purged_documents)`,
  sql`delete from document_readings where document_id in (select id from purged_documents)`,
  sql`delete from document_attachments where document_id in (select id from purged_documents)`,
  sql`delete from document_attachments where attached_to in (select id from purged_documents)
    and document_id not in (select id from documents)`,
  // What remains says only that the item is not to be read again before it changes.
  sql`update connection_items set reason = null,
    item = json_set(item, '$.title', null, '$.path', null, '$.address', null, '$.detail', null)
    where document_id in (select id from purged_documents)`,
  sql`delete from left_items where document_id in (select id from purged_documents)`,
  sql`update sync_runs set failures = '[]', notes = '[]', error = null where exists (select 1 from connection_items
    where connection_items.connection_id = sync_runs.connection_id
    and document_id in (select id from purged_documents))`,
  sql`delete from document_containers where document_id in (select id from purged_documents)`,
  sql`delete from documents where id in (select id from purged_documents)`,
  // A running job ends by itself when it finds its document gone; its row holds only ids.
  sql`delete from jobs where state <> 'running'
    and case when json_valid(payload) then payload ->> '$.documentId' end in (select id from purged_documents)`,
  sql`delete from operations where id in (
    select operations.id from operations, json_tree(operations.result) part where part.type = 'text' and (
      part.value in (select id from purged_documents) or part.value in (select id from purged_memories)))`,
];

/** Deletes the rows of everything on the lists, children first. */
const REMOVE_LISTED = [
  sql`insert or ignore into purged_chains
    select coalesce(root_id, id) from memories where id in (select id from purged_memories)`,
  sql`insert into vector_changes (space_id, container_id, unit) select space_id, container_id, unit from vectors
    where unit in (select unit from purged_memories)`,
  sql`delete from vectors where unit in (select unit from purged_memories)`,
  sql`insert into vector_changes (space_id, container_id, unit) select space_id, container_id, unit from vectors
    where unit in (select seq * 2 from chunks where document_id in (select id from purged_documents))`,
  sql`delete from vectors
    where unit in (select seq * 2 from chunks where document_id in (select id from purged_documents))`,
  // Journal entries of later versions repeat what earlier ones said.
  sql`update journal set before = null, after = null, cause = null where subject_id in (
      select id from memories where id in (select id from purged_chains)
        or root_id in (select id from purged_chains))
    and exists (select 1 from json_tree(coalesce(journal.before, '{}')) part
      where part.type = 'text' and part.value in (select id from purged_memories))`,
  sql`update journal set before = null, after = null, cause = null
    where subject_id in (select id from purged_memories)`,
  // An approval may have joined chains temporarily: entries of one repeat what the other said.
  sql`update journal set before = null, after = null, cause = null
    where action in ('memory.approved', 'memory.reverted') and before ->> '$.id' in (select id from purged_memories)`,
  sql`update journal set before = null, after = null, cause = null
    where subject_id in (select id from purged_documents)`,
  ...REMOVE_ROWS,
  sql`update memories set parent_id = null where parent_id in (select id from purged_memories)
    and root_id in (select id from purged_chains)`,
  // What was superseded stays so, under a head that no search finds.
  sql`update memories set is_latest = 1, is_forgotten = 1, forget_reason = 'what replaced it was purged'
    where seq in (select max(seq) from memories
      where id in (select id from purged_chains) or root_id in (select id from purged_chains)
      group by coalesce(root_id, id) having max(is_latest) = 0)`,
  sql`delete from purged_documents`,
  sql`delete from purged_memories`,
  sql`delete from purged_chains`,
];

/** Creates empty lists of what is to be removed. */
export async function openLists(db: Kysely<Database>): Promise<void> {
  for (const statement of LISTS) await statement.execute(db);
}

/** Lists documents of an organisation. */
export async function listDocuments(
  db: Kysely<Database>,
  organizationId: string,
  ids: readonly string[],
): Promise<void> {
  await sql`insert or ignore into purged_documents
    select value from json_each(${listParameter(ids)})
    where not exists (select 1 from documents where id = value and organization_id <> ${organizationId})`.execute(db);
}

/**
 * Lists what only listed documents state. The journal also knows what a document once stated, before it was changed or deleted.
 */
export async function listStated(
  db: Kysely<Database>,
  organizationId: string,
  { within, earlier }: DocumentPurge,
): Promise<void> {
  const isMine = sql`exists (select 1 from containers c where c.id = m.container_id and ${isWithin(within, sql`c.tag`)})`;
  const isStatedElsewhere = sql`exists (select 1 from memory_sources s where s.memory_id = m.id
    and s.document_id not in (select id from purged_documents))`;
  const statedOnce = earlier
    ? sql`union select journal.subject_id from journal, purged_documents d where journal.subject = 'memory'
        and (journal.cause = 'document ' || d.id
          or substr(journal.cause, 1, length(d.id) + 10) = 'document ' || d.id || ' ')`
    : sql``;
  await sql`insert or ignore into purged_memories select m.id, m.seq * 2 + 1 from memories m
    where m.organization_id = ${organizationId} and ${isMine} and not ${isStatedElsewhere} and m.id in (
      select memory_id from memory_sources where document_id in (select id from purged_documents)
      ${statedOnce})`.execute(db);
}

/** Whether a journal state refers to a listed document `d` by id. Searching its text for the id first is quicker. */
const names = (state: RawBuilder<unknown>) => sql`(instr(${state}, d.id) > 0
  and exists (select 1 from json_tree(${state}) part where part.type = 'text' and part.value = d.id))`;

/** Whether a column has the tag of a container that the caller may purge. */
export function isWithin(within: PurgeReach, tag: RawBuilder<unknown>): RawBuilder<unknown> {
  return within === "all" ? sql`true` : sql`${tag} in (select value from json_each(${listParameter(within)}))`;
}

/**
 * Blanks what the journal of some containers says of other memories because of listed documents, such as quotes. Reads all of
 * it.
 */
export async function silenceTraces(db: Kysely<Database>, organizationId: string, within: PurgeReach): Promise<void> {
  await sql`update journal set before = null, after = null, cause = null
    where organization_id = ${organizationId} and ${isWithin(within, sql`container_tag`)} and exists (select 1 from purged_documents d
      where cause = 'document ' || d.id or substr(cause, 1, length(d.id) + 10) = 'document ' || d.id || ' '
        or ${names(sql`before`)} or ${names(sql`after`)})`.execute(db);
}

/** Lists memories of an organisation with all their versions. */
export async function listChains(db: Kysely<Database>, organizationId: string, ids: readonly string[]): Promise<void> {
  const named = sql`(select coalesce(root_id, id) from memories
    where id in (select value from json_each(${listParameter(ids)})) and organization_id = ${organizationId})`;
  await sql`insert or ignore into purged_memories select id, seq * 2 + 1 from memories where id in ${named}`.execute(
    db,
  );
  await sql`insert or ignore into purged_memories select id, seq * 2 + 1 from memories
    where root_id in ${named}`.execute(db);
}

/** Lists some memories of a container, in any version. */
export async function listContained(
  db: Kysely<Database>,
  organizationId: string,
  containerId: number,
  limit: number,
): Promise<void> {
  await sql`insert into purged_memories select id, seq * 2 + 1 from memories
    where container_id = ${containerId} and organization_id = ${organizationId} limit ${limit}`.execute(db);
}

const GUESSES_FROM = sql`cross join memory_relations r on r.relation = 'derives' and r.to_id =`;
const IN_ONE_CONTAINER = sql`join memories guess on guess.id = r.from_id join memories ground on ground.id = r.to_id
  and ground.container_id = guess.container_id`;

/** Lists guesses derived from what is listed in the same container, and guesses derived from those. */
export async function listDerived(db: Kysely<Database>): Promise<void> {
  await sql`insert or ignore into purged_memories
    with recursive derived (id) as (
      select r.from_id from purged_memories p ${GUESSES_FROM} p.id ${IN_ONE_CONTAINER}
      union
      select r.from_id from derived d ${GUESSES_FROM} d.id ${IN_ONE_CONTAINER})
    select memories.id, memories.seq * 2 + 1 from derived join memories on memories.id = derived.id
      where memories.is_inference = 1`.execute(db);
}

/** @returns how many are on each list, and the documents' files */
export async function countListed(
  db: Kysely<Database>,
): Promise<{ documents: number; memories: number; files: string[] }> {
  const { rows: files } = await sql<{ key: string }>`
    select key from files where document_id in (select id from purged_documents)`.execute(db);
  const { rows } = await sql<{ documents: number; memories: number }>`
    select (select count(*) from documents where id in (select id from purged_documents)) as documents,
      (select count(*) from purged_memories) as memories`.execute(db);
  return { documents: rows[0]?.documents ?? 0, memories: rows[0]?.memories ?? 0, files: files.map(({ key }) => key) };
}

/** Removes everything on the lists. */
export async function removeListed(db: Kysely<Database>): Promise<void> {
  for (const statement of REMOVE_LISTED) await statement.execute(db);
}
