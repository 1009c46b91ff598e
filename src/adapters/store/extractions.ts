import { type Kysely, type RawBuilder, sql } from "kysely";
import type { Clock, DocumentCutting, DocumentReading, ExtractionStore, ReadingQuery } from "../../core/ports.js";
import { iso } from "../../lib/time.js";
import { writeRows } from "./fixed-query.js";
import { listParameter } from "./json.js";
import { repositoryOf, type StoreContext } from "./repository.js";
import type { Database } from "./schema.js";

const NOTE_READING = `insert into remembered_with (document_id, extractor) values (?, ?)
  on conflict (document_id) do update set extractor = excluded.extractor`;
const FORGET_CUTTING = "delete from cut_with where document_id = ?";
const NOTE_CUTTING = `insert into cut_with (document_id, chunking) values (?, ?)
  on conflict (document_id) do update set chunking = excluded.chunking`;

const extractionStore = repositoryOf<ExtractionStore, StoreContext>({
  async note({ db, clock }, organizationId, { documentId, revision, model, prompt, inputTokens, outputTokens, cost }) {
    await db
      .insertInto("extractions")
      .values({
        organization_id: organizationId,
        document_id: documentId,
        revision,
        model,
        prompt_version: prompt,
        input_tokens: inputTokens,
        output_tokens: outputTokens,
        cost: cost ?? null,
        created_at: iso(clock.now()),
      })
      .execute();
  },

  async totals({ db }, organizationId, documentId) {
    const sums = await db
      .selectFrom("extractions")
      .select([
        sql<number>`count(*)`.as("answers"),
        sql<number>`coalesce(sum(input_tokens), 0)`.as("inputTokens"),
        sql<number>`coalesce(sum(output_tokens), 0)`.as("outputTokens"),
        sql<number | null>`sum(cost)`.as("cost"),
        sql<number>`count(*) - count(cost)`.as("unpricedAnswers"),
      ])
      .where("organization_id", "=", organizationId)
      .$if(documentId !== undefined, (query) => query.where("document_id", "=", documentId ?? ""))
      .executeTakeFirstOrThrow();
    return { ...sums, cost: sums.answers === 0 ? 0 : sums.cost };
  },

  async costSince({ db }, organizationId, moment) {
    const row = await db
      .selectFrom("extractions")
      .select(sql<number>`coalesce(sum(cost), 0)`.as("cost"))
      .where("organization_id", "=", organizationId)
      .where("created_at", ">=", moment)
      .executeTakeFirstOrThrow();
    return row.cost;
  },

  async promptOf({ db }, organizationId, { id, revision }, prompts) {
    const row = await db
      .selectFrom("extractions")
      .select("prompt_version")
      .where("organization_id", "=", organizationId)
      .where("document_id", "=", id)
      .where("revision", "=", revision)
      .where(sql<boolean>`prompt_version in (select value from json_each(${listParameter(prompts)}))`)
      .orderBy("id", "desc")
      .limit(1)
      .executeTakeFirst();
    return row?.prompt_version ?? null;
  },

  async noteReading({ db }, documentId, extractor) {
    await writeRows(db, NOTE_READING, [documentId, extractor]);
  },

  readings: ({ db }, organizationId, query) => listReadings(db, organizationId, query),

  async noteCutting({ db }, documentId, chunking) {
    if (chunking === null) await writeRows(db, FORGET_CUTTING, [documentId]);
    else await writeRows(db, NOTE_CUTTING, [documentId, chunking]);
  },

  cuttings: ({ db }, organizationId, query) => listCuttings(db, organizationId, query),
});

/** What language-model calls cost, one row each, and what extracted each document's facts. */
export function createExtractionStore(db: Kysely<Database>, clock: Clock): ExtractionStore {
  return extractionStore({ db, clock });
}

async function listReadings(
  db: Kysely<Database>,
  organizationId: string,
  { exceptBy, ...scope }: ReadingQuery,
): Promise<DocumentReading[]> {
  const isReadByOthers = exceptBy
    ? sql`(r.extractor is null or r.extractor not in (select value from json_each(${listParameter(exceptBy)})))`
    : sql`true`;
  const { rows } = await sql<DocumentReading>`
    select ${WORKED}, r.extractor
    from documents d left join remembered_with r on r.document_id = d.id
    where d.organization_id = ${organizationId} and d.task_type = 'memory' and d.status = 'done'
      and d.dreaming_status = 'done' and d.facts is null and ${HAS_CHUNKS} and ${isWithin(scope)} and ${isReadByOthers}
    order by d.seq`.execute(db);
  return rows;
}

async function listCuttings(
  db: Kysely<Database>,
  organizationId: string,
  scope: Omit<ReadingQuery, "exceptBy">,
): Promise<DocumentCutting[]> {
  const { rows } = await sql<DocumentCutting>`
    select ${WORKED}, d.client, w.chunking
    from documents d left join cut_with w on w.document_id = d.id
    where d.organization_id = ${organizationId} and d.status = 'done' and ${isWithin(scope)}
      and ${HAS_CHUNKS}
    order by d.seq`.execute(db);
  return rows;
}

/** False for a document that only stands for memories that were added directly. */
const HAS_CHUNKS = sql`exists (select 1 from chunks where chunks.document_id = d.id)`;
/** Reads the size from the head of the row, without loading the text. */
const WORKED = sql`d.id, d.revision, octet_length(d.content) as bytes,
  (select c.tag from document_containers dc join containers c on c.id = dc.container_id
    where dc.document_id = d.id and c.deleted_at is null order by dc.position limit 1) as containerTag`;

function isWithin({ ids, containerTags, within }: Omit<ReadingQuery, "exceptBy">): RawBuilder<unknown> {
  const isNamed = ids ? sql`d.id in (select value from json_each(${listParameter(ids)}))` : sql`true`;
  const liesIn = containerTags
    ? sql`exists (select 1 from document_containers dc join containers c on c.id = dc.container_id
        where dc.document_id = d.id and c.deleted_at is null
          and c.tag in (select value from json_each(${listParameter(containerTags)})))`
    : sql`true`;
  const liesNowhereElse =
    within === "all"
      ? sql`true`
      : sql`not exists (select 1 from document_containers dc join containers c on c.id = dc.container_id
          where dc.document_id = d.id and c.tag not in (select value from json_each(${listParameter(within)})))`;
  return sql`${isNamed} and ${liesIn} and ${liesNowhereElse}
    and exists (select 1 from document_containers dc join containers c on c.id = dc.container_id
      where dc.document_id = d.id and c.deleted_at is null)`;
}
