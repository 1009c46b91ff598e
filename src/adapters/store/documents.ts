import { type Kysely, type RawBuilder, type SelectQueryBuilder, sql } from "kysely";
import type { Clock, DocumentQuery, DocumentStore } from "../../core/ports.js";
import type { DocumentHead } from "../../core/types.js";
import { iso } from "../../lib/time.js";
import { createContainerStore } from "./containers.js";
import { readContents } from "./document-contents.js";
import { CATEGORY, countCategories, readOutlines } from "./document-outlines.js";
import { columnsOf, documentOf, type DocumentRow, headOf, type HeadRow, rowOf, SET_WAITING } from "./document-rows.js";
import { filterRows, isOneOf, readCandidates } from "./filtered-rows.js";
import { documentFilterSql } from "./filters.js";
import { readRows, readSteadyRows, writeRows } from "./fixed-query.js";
import { listParameter } from "./json.js";
import { columnsOfTable, packedRows } from "./packed-rows.js";
import { executorOf } from "./record-executor.js";
import { repositoryOf, type StoreContext } from "./repository.js";
import type { Database } from "./schema.js";
import { Slices } from "./slices.js";
import { DESCRIPTION_METHODS } from "./descriptions.js";
import { ATTACHMENT_METHODS } from "./document-attachments.js";
import { READING_METHODS } from "./document-readings.js";
import { REVISION_METHODS } from "./revisions.js";
import { dropChunkUnits } from "./text-index.js";
import { atomically } from "./transact.js";

/** A document's container tags, in the order given, as a JSON array. */
const TAGS_SQL = `(
  select json_group_array(c.tag order by dc.position)
  from document_containers dc join containers c on c.id = dc.container_id
  where dc.document_id = documents.id and c.deleted_at is null
)`;
const TAGS = sql.raw<string>(TAGS_SQL).as("tags");

const HEAD_COLUMNS = [
  "id",
  "organization_id",
  "custom_id",
  "revision",
  "remembered_revision",
  "title",
  "summary",
  "url",
  "source",
  "client",
  "type",
  "status",
  "dreaming_status",
  "error_reason",
  "task_type",
  "dreaming",
  "metadata",
  "filter_by_metadata",
  "filepath",
  "document_date",
  "forget_after",
  "origin",
  "facts",
  "remember_as_is",
  "receipt",
  "facts_left_out",
  "created_at",
  "updated_at",
] as const;

// Without the concatenation SQLite would embed the array as JSON instead of text.
const HEADS = packedRows<HeadRow>({ ...columnsOfTable("documents", HEAD_COLUMNS), tags: `${TAGS_SQL} || ''` });
const REVISION = "select revision from documents where id = ? and +organization_id = ?";
const LINK = "insert into document_containers (document_id, container_id, position) values (?, ?, ?)";
// Texts may be large, so they are not nested in another JSON text.
type PackedDocument = Pick<DocumentRow, "content" | "turns"> & { readonly head: string };
const BY_ID = `select content, turns, ${HEADS.expression} as head from documents
  where id = ? and +documents.organization_id = ?`;
// Runs in every search: there is usually one organisation, so its index would lead through all documents.
const HEADS_BY_IDS = `select json_group_array(${HEADS.expression} order by documents.seq) as packed from documents
  where +documents.organization_id = ?1 and documents.id in (select value from json_each(?2))`;

const documentStore = repositoryOf<DocumentStore, StoreContext>({
  async insert({ db, clock }, organizationId, draft) {
    const now = iso(clock.now());
    const row = { ...rowOf(organizationId, draft), revision: 1, created_at: now, updated_at: now };
    await atomically(db, async (db) => {
      await db.insertInto("documents").values(row).execute();
      await link({ db, clock }, organizationId, draft.id, draft.containerTags);
    });
    return {
      ...draft,
      organizationId,
      revision: 1,
      rememberedRevision: 0,
      summary: null,
      errorReason: null,
      receipt: null,
      factsLeftOut: 0,
      createdAt: now,
      updatedAt: now,
    };
  },

  async byId({ db }, organizationId, id) {
    const [row] = await readRows<PackedDocument>(db, BY_ID, [id, organizationId]);
    return row ? documentOf({ ...HEADS.unpack(row.head), content: row.content, turns: row.turns }) : null;
  },

  async newestRevision({ db }, organizationId, id) {
    const [row] = await readRows<{ revision: number }>(db, REVISION, [id, organizationId]);
    return row?.revision ?? null;
  },

  async byCustomId({ db }, organizationId, customId, tags) {
    const row = await select(db, organizationId)
      .where("custom_id", "=", customId)
      .where(liesInAny(tags))
      .orderBy(isAtHomeIn(tags), "desc")
      .orderBy(LAST_CHANGE, "desc")
      .orderBy("seq", "desc")
      .limit(1)
      .executeTakeFirst();
    return row ? documentOf(row) : null;
  },

  async headsByIds({ db }, organizationId, ids) {
    const rows = await HEADS.read(db, HEADS_BY_IDS, [organizationId, listParameter(ids)]);
    return rows.map(headOf);
  },

  async headsByCustomIds({ db }, organizationId, customIds, tags) {
    const rows = await selectHeads(db, organizationId)
      .where(sql<boolean>`custom_id in (select value from json_each(${listParameter(customIds)}))`)
      .where(liesInAny(tags))
      .orderBy(LAST_CHANGE)
      .orderBy("seq")
      .execute();
    return rows.map(headOf);
  },

  async update({ db, clock }, organizationId, id, change) {
    const changesState = change.status !== undefined || change.dreamingStatus !== undefined;
    await atomically(db, async (db) => {
      const columns = { ...columnsOf(change), updated_at: iso(clock.now()) };
      const set = [...Object.keys(columns).map((name) => `${name} = ?`), ...(changesState ? [SET_WAITING] : [])];
      const state = changesState ? [change.status ?? null, change.status ?? null, change.dreamingStatus ?? null] : [];
      const statement = `update documents set ${set.join(", ")} where id = ? and +organization_id = ? returning id`;
      const updated = await readRows(db, statement, [...Object.values(columns), ...state, id, organizationId]);
      if (updated.length === 0) return;
      if (!change.containerTags) return;
      await db.deleteFrom("document_containers").where("document_id", "=", id).execute();
      await link({ db, clock }, organizationId, id, change.containerTags);
    });
  },

  ...REVISION_METHODS,
  ...DESCRIPTION_METHODS,
  ...READING_METHODS,
  ...ATTACHMENT_METHODS,

  async expired({ db }, organizationId, now, limit) {
    const rows = await db
      .selectFrom("documents")
      .select("id")
      .where(ofOrganization(organizationId))
      .where("is_forgotten", "=", 0)
      .where("forget_after", "<=", iso(now))
      .limit(limit)
      .execute();
    return rows.map(({ id }) => id);
  },

  async remove({ db }, organizationId, id) {
    await atomically(db, async (db) => {
      const removed = await db
        .deleteFrom("documents")
        .where("organization_id", "=", organizationId)
        .where("id", "=", id)
        .returning("id")
        .execute();
      if (removed.length === 0) return;
      await dropChunkUnits(db, id, { before: Number.MAX_SAFE_INTEGER });
      await db.deleteFrom("chunks").where("document_id", "=", id).execute();
      await db.deleteFrom("document_containers").where("document_id", "=", id).execute();
      await db.deleteFrom("document_revisions").where("document_id", "=", id).execute();
      await db.deleteFrom("memory_sources").where("document_id", "=", id).execute();
      await db.deleteFrom("files").where("document_id", "=", id).execute();
      await db.deleteFrom("extraction_tasks").where("document_id", "=", id).execute();
      await db.deleteFrom("remembered_with").where("document_id", "=", id).execute();
      await db.deleteFrom("model_failures").where("document_id", "=", id).execute();
      await db.deleteFrom("cut_with").where("document_id", "=", id).execute();
      await db.deleteFrom("document_descriptions").where("document_id", "=", id).execute();
      await db.deleteFrom("document_readings").where("document_id", "=", id).execute();
      await db.deleteFrom("message_pictures").where("document_id", "=", id).execute();
      await db.deleteFrom("left_items").where("document_id", "=", id).execute();
    });
  },

  async list({ db }, organizationId, query) {
    const column = sql.ref(query.sort === "updatedAt" ? "updated_at" : "created_at");
    const direction = sql.raw(query.order);
    const order = sql`${column} ${direction}, id ${direction}`;
    const inOrder = (db: Kysely<Database>) => db.selectFrom("documents").orderBy(order);
    const conditions = documentConditions(organizationId, query);
    const matching = sql<boolean>`(${isOf(organizationId, query)} and ${conditions})`;
    if (query.filters) {
      const condition = documentFilterSql(executorOf(db).database, query.filters, sql`documents.metadata`);
      const slices = new Slices(db, { containers: query.containerTags ?? [], filters: query.filters });
      const candidates = await readCandidates(
        db,
        sql`select json_group_array(seq order by ${order}) as packed from documents where ${matching}`,
      );
      const found = await filterRows({ table: "documents", condition, slices })(candidates);
      const page = found.slice(query.offset, query.offset + query.limit);
      // Some may have changed meanwhile.
      const isStill = sql<boolean>`(${ofOrganization(organizationId)} and ${conditions} and ${condition})`;
      const isOnPage = sql<boolean>`(${isOneOf("documents.seq", page)} and ${isStill})`;
      const { documents } = await slices.next((db) =>
        readPage(db, query, { rows: inOrder(db).where(isOnPage), condition: isStill }),
      );
      return { documents, total: found.length - (page.length - documents.length) };
    }
    const { documents, count } = await readPage(db, query, {
      rows: inOrder(db).where(matching).limit(query.limit).offset(query.offset),
      condition: sql<boolean>`(${ofOrganization(organizationId)} and ${conditions})`,
    });
    // A page that is not full is the last one. A second count might include changes made since.
    if (count < query.limit && (count > 0 || query.offset === 0)) return { documents, total: query.offset + count };
    const { total } = await db
      .selectFrom("documents")
      .select(sql<number>`count(*)`.as("total"))
      .where(matching)
      .executeTakeFirstOrThrow();
    return { documents, total };
  },

  outlines: ({ db }, organizationId, ids, excerpt) => readOutlines(db, organizationId, ids, excerpt),

  countCategories: ({ db }, organizationId, tags) => countCategories(db, organizationId, tags),

  async countWaiting({ db }, organizationId, tags) {
    const isEverywhere = tags === "all" ? 1 : 0;
    const parameters = [organizationId, isEverywhere, listParameter(tags === "all" ? [] : tags)];
    const [row] = await readSteadyRows<{ total: number }>(db, WAITING, parameters);
    return row?.total ?? 0;
  },

  async countUnsearchable({ db }, organizationId, tags) {
    const parameters = [organizationId, tags === "all" ? 1 : 0, listParameter(tags === "all" ? [] : tags)];
    const [row] = await readSteadyRows<{ total: number }>(db, UNSEARCHABLE, parameters);
    return row?.total ?? 0;
  },
});

export function createDocumentStore(db: Kysely<Database>, clock: Clock): DocumentStore {
  return documentStore({ db, clock });
}

async function link(
  { db, clock }: StoreContext,
  organizationId: string,
  documentId: string,
  tags: readonly string[],
): Promise<void> {
  const rows = await createContainerStore(db, clock).ensure(organizationId, tags);
  for (const [position, { id }] of rows.entries()) await writeRows(db, LINK, [documentId, id, position]);
}

function select(db: Kysely<Database>, organizationId: string) {
  return db.selectFrom("documents").selectAll().select(TAGS).where("organization_id", "=", organizationId);
}

function selectHeads(db: Kysely<Database>, organizationId: string) {
  return db.selectFrom("documents").select(HEAD_COLUMNS).select(TAGS).where("organization_id", "=", organizationId);
}

/**
 * For rows that are looked up another way. There is usually one organisation, so its index would lead through all documents; the
 * plus keeps SQLite off it.
 */
export function ofOrganization(organizationId: string) {
  return sql<boolean>`+documents.organization_id = ${organizationId}`;
}

/** For few rows: the plus keeps SQLite from reading all documents in this order. */
const LAST_CHANGE = sql`+documents.updated_at`;

const WAITING = `select count(*) as total from documents
  where organization_id = ?1 and waiting = 1 and (?2 = 1 or exists (
    select 1 from document_containers dc join containers c on c.id = dc.container_id
    where dc.document_id = documents.id and c.tag in (select value from json_each(?3))))`;

const UNSEARCHABLE = `${WAITING} and status <> 'done'`;

/** For few rows that are already found, such as the waiting ones. */
function liesInAny(tags: "all" | readonly string[]) {
  if (tags === "all") return sql<boolean>`true`;
  return sql<boolean>`exists (
    select 1 from document_containers dc join containers c on c.id = dc.container_id
    where dc.document_id = documents.id and c.tag in (select value from json_each(${listParameter(tags)}))
  )`;
}

/** Whether the first container of a document is one of these. */
function isAtHomeIn(tags: "all" | readonly string[]) {
  // Rows without a place all count equally; PostgreSQL refuses to order by a mere constant.
  if (tags === "all") return sql<boolean>`documents.seq > 0`;
  return sql<boolean>`exists (
    select 1 from document_containers dc join containers c on c.id = dc.container_id
    where dc.document_id = documents.id and dc.position = 0
      and c.tag in (select value from json_each(${listParameter(tags)}))
  )`;
}

/** For lists: reads the containers once, however many documents are considered. */
function inContainers(organizationId: string, tags: readonly string[], operator: "any" | "all") {
  const wanted = [...new Set(tags)];
  const complete = operator === "all" ? sql`group by dc.document_id having count(*) = ${wanted.length}` : sql``;
  return sql<boolean>`documents.id in (
    select dc.document_id from containers c join document_containers dc on dc.container_id = c.id
    where c.organization_id = ${organizationId} and c.tag in (select value from json_each(${listParameter(wanted)}))
    ${complete})`;
}

/** Documents of an organisation; for those in processing, by way of the waiting ones rather than through all documents. */
function isOf(organizationId: string, { statuses }: DocumentQuery) {
  // As `SET_WAITING` defines it.
  const isProcessed = statuses?.every((status) => status !== "done" && status !== "failed") ?? false;
  if (!isProcessed) return sql<boolean>`documents.organization_id = ${organizationId}`;
  return sql<boolean>`${ofOrganization(organizationId)} and documents.seq in (
    select waiting.seq from documents waiting where waiting.organization_id = ${organizationId} and waiting.waiting = 1)`;
}

/**
 * A page of documents as `DocumentStore.list` promises, and how many it had when it was read: some may no longer satisfy the
 * condition when their texts are read. @param rows of the page, in its order, which satisfy the condition
 */
async function readPage(
  db: Kysely<Database>,
  { includeContent }: DocumentQuery,
  { rows, condition }: { readonly rows: DocumentRows; readonly condition: RawBuilder<boolean> },
): Promise<{ documents: (DocumentHead & { content?: string })[]; count: number }> {
  const head = sql.raw<string>(HEADS.expression);
  const page = await rows
    .select(head.as("head"))
    .select("id")
    .$if(includeContent, (rows) => rows.select(sql<number>`octet_length(content)`.as("bytes")))
    .execute();
  const contents = includeContent ? await readContents(db, page, { head, condition }) : null;
  const documents = page.flatMap((row) => {
    const read = contents?.get(row.id);
    if (read === null) return [];
    return [{ ...headOf(HEADS.unpack((read ?? row).head)), ...(read && { content: read.content }) }];
  });
  return { documents, count: page.length };
}

type DocumentRows = SelectQueryBuilder<Database, "documents", object>;

/** All conditions except those of `isOf` and the filter. */
function documentConditions(organizationId: string, query: DocumentQuery) {
  const conditions = [sql<boolean>`true`];
  if (query.containerTags) conditions.push(inContainers(organizationId, query.containerTags, query.operator));
  if (query.statuses)
    conditions.push(sql<boolean>`documents.status in (select value from json_each(${listParameter(query.statuses)}))`);
  if (query.source !== undefined) conditions.push(sql<boolean>`documents.source = ${query.source}`);
  if (query.sources)
    conditions.push(sql<boolean>`documents.source in (select value from json_each(${listParameter(query.sources)}))`);
  if (query.categories)
    conditions.push(sql<boolean>`${CATEGORY} in (select value from json_each(${listParameter(query.categories)}))`);
  if (query.filepath !== undefined) conditions.push(filepathSql(query.filepath));
  if (query.toldAt !== undefined) conditions.push(toldAt(query.toldAt));
  return sql<boolean>`(${sql.join(conditions, sql` and `)})`;
}

function toldAt(moment: string) {
  return sql<boolean>`(documents.forget_after is null or documents.forget_after > ${moment})`;
}

/** A path that ends in `/` is a prefix; any other must match in full. */
export function filepathSql(filepath: string) {
  return filepath.endsWith("/")
    ? sql<boolean>`substr(documents.filepath, 1, length(${filepath})) = ${filepath}`
    : sql<boolean>`documents.filepath = ${filepath}`;
}
