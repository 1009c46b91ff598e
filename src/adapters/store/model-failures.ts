import { type Kysely, sql } from "kysely";
import type { DueFailure, FailureReason, ModelFailure, ModelFailureStore, ModelStep } from "../../core/ports.js";
import { listParameter } from "./json.js";
import { repositoryOf } from "./repository.js";
import type { Database } from "./schema.js";

/** How many reasons a tally lists. */
const MOST_REASONS = 10;

/** Documents `d` for which the step of `f` can be done: facts are extracted only where memories are formed. */
const CAN_BE_DONE = sql<boolean>`d.status = 'done' and d.dreaming_status = 'done'
  and (f.step <> 'facts' or (d.task_type = 'memory' and d.facts is null))`;

/** What language models would not or could not do, one row per step of a document. */
export const createModelFailureStore = repositoryOf<ModelFailureStore, Kysely<Database>>({
  async note(db, organizationId, { documentId, step, reason, attempts, mark, failedAt, nextAt }) {
    const said = { reason, attempts, mark, failed_at: failedAt, next_at: nextAt };
    const isThere = sql<boolean>`exists (select 1 from documents d where d.id = ${documentId}
      and d.organization_id = ${organizationId})`;
    // A reading may outlive its document.
    await sql`insert into model_failures
        (document_id, step, organization_id, reason, attempts, mark, failed_at, next_at)
      select ${documentId}, ${step}, ${organizationId}, ${said.reason}, ${said.attempts}, ${said.mark},
        ${said.failed_at}, ${said.next_at} where ${isThere}
      on conflict (document_id, step) do update set reason = excluded.reason, attempts = excluded.attempts,
        mark = excluded.mark, failed_at = excluded.failed_at, next_at = excluded.next_at`.execute(db);
  },

  async end(db, documentId, step) {
    await db.deleteFrom("model_failures").where("document_id", "=", documentId).where("step", "=", step).execute();
  },

  async ofDocuments(db, organizationId, documentIds) {
    const rows = await db
      .selectFrom("model_failures")
      .selectAll()
      .where("organization_id", "=", organizationId)
      .where(sql<boolean>`document_id in (select value from json_each(${listParameter(documentIds)}))`)
      .orderBy("document_id")
      .orderBy("step", "desc")
      .execute();
    return rows.map((row): ModelFailure => ({
      documentId: row.document_id,
      // Only this store writes the column.
      step: row.step as ModelStep,
      reason: row.reason,
      attempts: row.attempts,
      mark: row.mark,
      failedAt: row.failed_at,
      nextAt: row.next_at,
    }));
  },

  async due(db, organizationId, { step, mark, now, limit }) {
    const { rows } = await sql<DueFailure>`
      select f.document_id as documentId, f.step, d.revision,
        (select c.tag from document_containers dc join containers c on c.id = dc.container_id
          where dc.document_id = d.id and c.deleted_at is null order by dc.position limit 1) as containerTag
      from model_failures f join documents d on d.id = f.document_id
      where f.organization_id = ${organizationId} and f.step = ${step}
        and (f.mark <> ${mark} or f.next_at <= ${now}) and ${CAN_BE_DONE}
        and exists (select 1 from document_containers dc join containers c on c.id = dc.container_id
          where dc.document_id = d.id and c.deleted_at is null)
      order by f.failed_at, f.document_id limit ${limit}`.execute(db);
    return rows;
  },

  async putOff(db, failures, { mark, until }) {
    for (const { documentId, step } of failures)
      await sql`update model_failures set next_at = ${until}, mark = ${mark},
          attempts = case when mark = ${mark} then attempts else 0 end
        where document_id = ${documentId} and step = ${step}`.execute(db);
  },

  async tally(db, organizationId, { mark, within }) {
    const isVisible =
      within === "all"
        ? sql`true`
        : sql`exists (select 1 from document_containers dc join containers c on c.id = dc.container_id
            where dc.document_id = d.id and c.tag in (select value from json_each(${listParameter(within)})))`;
    // No rules can describe a picture.
    const failed = sql`from model_failures f join documents d on d.id = f.document_id
      where f.organization_id = ${organizationId} and f.step <> 'picture' and ${CAN_BE_DONE} and ${isVisible}`;
    const isGivenUp = sql`f.mark = ${mark} and f.next_at is null`;
    const { rows: counts } = await sql<{ documents: number; givenUp: number }>`
      select count(distinct d.id) as documents, count(distinct case when ${isGivenUp} then d.id end) as givenUp
      ${failed}`.execute(db);
    const { rows: reasons } = await sql<FailureReason>`
      select f.reason, count(*) as documents ${failed}
      group by f.reason order by count(*) desc, f.reason limit ${MOST_REASONS}`.execute(db);
    return { documents: counts[0]?.documents ?? 0, givenUp: counts[0]?.givenUp ?? 0, reasons };
  },
});
