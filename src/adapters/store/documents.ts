import { type Kysely, type Selectable, sql } from "kysely";
import type { Clock, DocumentChange, DocumentDraft, DocumentQuery, DocumentStore } from "../../core/ports.js";
import type { Document, DocumentHead } from "../../core/types.js";
import { iso } from "../../lib/time.js";
import { createContainerStore } from "./containers.js";
import { documentFilterSql } from "./filters.js";
import { fromJson, listParameter, toJson } from "./json.js";
import type { Database } from "./schema.js";
import { dropChunkUnits } from "./text-index.js";

type Row = Selectable<Database["documents"]> & { tags: string };

/** Container tags of a document in the order they were given, as a JSON array. */
const TAGS = sql<string>`(
  select json_group_array(c.tag order by dc.position)
  from document_containers dc join containers c on c.id = dc.container_id
  where dc.document_id = documents.id
)`.as("tags");

const HEAD_COLUMNS = [
  "id",
  "organization_id",
  "custom_id",
  "revision",
  "title",
  "summary",
  "url",
  "source",
  "type",
  "status",
  "dreaming_status",
  "error_reason",
  "task_type",
  "dreaming",
  "metadata",
  "filepath",
  "document_date",
  "origin",
  "facts",
  "remember_as_is",
  "receipt",
  "created_at",
  "updated_at",
] as const;

export function createDocumentStore(db: Kysely<Database>, clock: Clock): DocumentStore {
  const containers = createContainerStore(db, clock);

  async function link(organizationId: string, documentId: string, tags: readonly string[]): Promise<void> {
    const rows = await containers.ensure(organizationId, tags);
    await db.deleteFrom("document_containers").where("document_id", "=", documentId).execute();
    await db
      .insertInto("document_containers")
      .values(rows.map((row, position) => ({ document_id: documentId, container_id: row.id, position })))
      .execute();
  }

  const select = (organizationId: string) =>
    db.selectFrom("documents").selectAll().select(TAGS).where("organization_id", "=", organizationId);

  const selectHeads = (organizationId: string) =>
    db.selectFrom("documents").select(HEAD_COLUMNS).select(TAGS).where("organization_id", "=", organizationId);

  return {
    async insert(organizationId, draft) {
      const now = iso(clock.now());
      const row = { ...rowOf(organizationId, draft), revision: 1, created_at: now, updated_at: now };
      await db.insertInto("documents").values(row).execute();
      await link(organizationId, draft.id, draft.containerTags);
      return {
        ...draft,
        organizationId,
        revision: 1,
        summary: null,
        url: null,
        errorReason: null,
        receipt: null,
        createdAt: now,
        updatedAt: now,
      };
    },

    async byId(organizationId, id) {
      const row = await select(organizationId).where("id", "=", id).executeTakeFirst();
      return row ? documentOf(row) : null;
    },

    async byCustomId(organizationId, customId) {
      const row = await select(organizationId).where("custom_id", "=", customId).executeTakeFirst();
      return row ? documentOf(row) : null;
    },

    async headsByIds(organizationId, ids) {
      const rows = await selectHeads(organizationId)
        .where(sql<boolean>`id in (select value from json_each(${listParameter(ids)}))`)
        .execute();
      return rows.map(headOf);
    },

    async update(organizationId, id, change) {
      if (change.containerTags) await link(organizationId, id, change.containerTags);
      await db
        .updateTable("documents")
        .set({ ...columnsOf(change), updated_at: iso(clock.now()) })
        .where("organization_id", "=", organizationId)
        .where("id", "=", id)
        .execute();
      if (change.status !== undefined || change.dreamingStatus !== undefined)
        await sql`update documents set waiting = status not in ('done', 'failed') or (dreaming_status = 'dreaming' and status <> 'failed') where id = ${id}`.execute(
          db,
        );
    },

    async keepRevision(_organizationId, id, revision, content) {
      await db
        .insertInto("document_revisions")
        .values({ document_id: id, revision, content, created_at: iso(clock.now()) })
        .onConflict((conflict) => conflict.doNothing())
        .execute();
    },

    async remove(organizationId, id) {
      const removed = await db
        .deleteFrom("documents")
        .where("organization_id", "=", organizationId)
        .where("id", "=", id)
        .returning("id")
        .execute();
      if (removed.length === 0) return;
      await dropChunkUnits(db, id, { beforeRevision: Number.MAX_SAFE_INTEGER });
      await db.deleteFrom("chunks").where("document_id", "=", id).execute();
      await db.deleteFrom("document_containers").where("document_id", "=", id).execute();
      await db.deleteFrom("document_revisions").where("document_id", "=", id).execute();
      await db.deleteFrom("memory_sources").where("document_id", "=", id).execute();
    },

    async list(organizationId, query) {
      const matching = selectHeads(organizationId)
        .$if(query.includeContent, (rows) => rows.select("content"))
        .where(documentConditions(query));
      const column = query.sort === "updatedAt" ? "updated_at" : "created_at";
      const rows = await matching
        .orderBy(column, query.order)
        .orderBy("id", query.order)
        .limit(query.limit)
        .offset(query.offset)
        .execute();
      const count = await db
        .selectFrom("documents")
        .select(sql<number>`count(*)`.as("total"))
        .where("organization_id", "=", organizationId)
        .where(documentConditions(query))
        .executeTakeFirstOrThrow();
      const documents = rows.map(({ content, ...row }) => ({
        ...headOf(row),
        ...(content !== undefined && { content }),
      }));
      return { documents, total: count.total };
    },

    async countWaiting(organizationId, tags) {
      const waiting = db
        .selectFrom("documents")
        .select(sql<number>`count(*)`.as("total"))
        .where("organization_id", "=", organizationId)
        .where("waiting", "=", 1);
      const row = await (tags === "all" ? waiting : waiting.where(inAnyContainer(tags))).executeTakeFirstOrThrow();
      return row.total;
    },
  };
}

function inAnyContainer(tags: readonly string[]) {
  return sql<boolean>`exists (
    select 1 from document_containers dc join containers c on c.id = dc.container_id
    where dc.document_id = documents.id and c.tag in (select value from json_each(${listParameter(tags)}))
  )`;
}

function inAllContainers(tags: readonly string[]) {
  const wanted = [...new Set(tags)];
  return sql<boolean>`(
    select count(*) from document_containers dc join containers c on c.id = dc.container_id
    where dc.document_id = documents.id and c.tag in (select value from json_each(${listParameter(wanted)}))
  ) = ${wanted.length}`;
}

function documentConditions(query: DocumentQuery) {
  const conditions = [sql<boolean>`true`];
  if (query.containerTags)
    conditions.push(
      query.operator === "all" ? inAllContainers(query.containerTags) : inAnyContainer(query.containerTags),
    );
  if (query.statuses)
    conditions.push(sql<boolean>`documents.status in (select value from json_each(${listParameter(query.statuses)}))`);
  if (query.source !== undefined) conditions.push(sql<boolean>`documents.source = ${query.source}`);
  if (query.filepath !== undefined) conditions.push(filepathSql(query.filepath));
  if (query.filters) conditions.push(documentFilterSql(query.filters, sql`documents.metadata`));
  return sql<boolean>`(${sql.join(conditions, sql` and `)})`;
}

/** A path that ends in `/` is a prefix, any other must match whole. */
export function filepathSql(filepath: string) {
  return filepath.endsWith("/")
    ? sql<boolean>`substr(documents.filepath, 1, ${filepath.length}) = ${filepath}`
    : sql<boolean>`documents.filepath = ${filepath}`;
}

function rowOf(organizationId: string, draft: DocumentDraft) {
  const isWaiting = (draft.status !== "done" && draft.status !== "failed") || draft.dreamingStatus === "dreaming";
  return {
    id: draft.id,
    organization_id: organizationId,
    custom_id: draft.customId,
    content: draft.content,
    title: draft.title,
    summary: null,
    url: null,
    source: draft.source,
    type: draft.type,
    status: draft.status,
    dreaming_status: draft.dreamingStatus,
    error_reason: null,
    task_type: draft.taskType,
    dreaming: draft.dreaming,
    metadata: toJson(draft.metadata),
    filepath: draft.filepath,
    document_date: draft.documentDate,
    origin: draft.origin,
    facts: toJson(draft.facts),
    remember_as_is: draft.rememberAsIs ? 1 : 0,
    receipt: null,
    waiting: isWaiting ? 1 : 0,
  };
}

function columnsOf(change: DocumentChange): Partial<Selectable<Database["documents"]>> {
  const columns: Partial<Selectable<Database["documents"]>> = {};
  if (change.content !== undefined) columns.content = change.content;
  if (change.revision !== undefined) columns.revision = change.revision;
  if (change.title !== undefined) columns.title = change.title;
  if (change.summary !== undefined) columns.summary = change.summary;
  if (change.type !== undefined) columns.type = change.type;
  if (change.status !== undefined) columns.status = change.status;
  if (change.dreamingStatus !== undefined) columns.dreaming_status = change.dreamingStatus;
  if (change.errorReason !== undefined) columns.error_reason = change.errorReason;
  if (change.taskType !== undefined) columns.task_type = change.taskType;
  if (change.dreaming !== undefined) columns.dreaming = change.dreaming;
  if (change.metadata !== undefined) columns.metadata = toJson(change.metadata);
  if (change.source !== undefined) columns.source = change.source;
  if (change.filepath !== undefined) columns.filepath = change.filepath;
  if (change.documentDate !== undefined) columns.document_date = change.documentDate;
  if (change.facts !== undefined) columns.facts = toJson(change.facts);
  if (change.rememberAsIs !== undefined) columns.remember_as_is = change.rememberAsIs ? 1 : 0;
  if (change.receipt !== undefined) columns.receipt = toJson(change.receipt);
  return columns;
}

/** The columns hold what this file wrote, so the narrow types are known. */
function documentOf(row: Row): Document {
  return { ...headOf(row), content: row.content };
}

function headOf(row: Omit<Row, "content" | "seq" | "waiting">): DocumentHead {
  return {
    id: row.id,
    organizationId: row.organization_id,
    customId: row.custom_id,
    containerTags: fromJson<string[]>(row.tags) ?? [],
    revision: row.revision,
    title: row.title,
    summary: row.summary,
    url: row.url,
    source: row.source,
    type: row.type,
    status: row.status as Document["status"],
    dreamingStatus: row.dreaming_status as Document["dreamingStatus"],
    errorReason: row.error_reason,
    taskType: row.task_type as Document["taskType"],
    dreaming: row.dreaming as Document["dreaming"],
    metadata: fromJson(row.metadata),
    filepath: row.filepath,
    documentDate: row.document_date,
    origin: row.origin as Document["origin"],
    facts: fromJson(row.facts),
    rememberAsIs: row.remember_as_is === 1,
    receipt: fromJson(row.receipt),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
