import { type Kysely, sql } from "kysely";
import type { Clock, SummaryLine, SummaryStore } from "../../core/ports.js";
import { iso } from "../../lib/time.js";
import { repositoryOf, type StoreContext } from "./repository.js";
import type { Database } from "./schema.js";

const summaryStore = repositoryOf<SummaryStore, StoreContext>({
  async holding({ db, clock }, organizationId, containerTag) {
    const { rows } = await sql<{ bucket: string; lines: string; covers: string; prompt: string }>`
      select s.bucket, s.lines, s.covers, s.prompt from profile_summaries s
      join containers c on c.id = s.container_id
      where c.organization_id = ${organizationId} and c.tag = ${containerTag} and not exists (
        select 1 from json_each(s.covers) covered left join memories m on m.id = covered.value
        where m.id is null or m.container_id <> s.container_id or m.is_latest = 0 or m.is_forgotten = 1
          or m.is_inference = 1 or m.forget_after <= ${iso(clock.now())})`.execute(db);
    return rows.map(({ bucket, lines, covers, prompt }) => ({
      bucket,
      // The columns hold what `save` wrote.
      lines: JSON.parse(lines) as SummaryLine[],
      covers: JSON.parse(covers) as string[],
      prompt,
    }));
  },

  async save({ db, clock }, organizationId, containerTag, { bucket, lines, covers, prompt }) {
    await sql`insert into profile_summaries (container_id, bucket, lines, covers, prompt, made_at)
      select c.id, ${bucket}, ${JSON.stringify(lines)}, ${JSON.stringify(covers)}, ${prompt}, ${iso(clock.now())}
      from containers c where c.organization_id = ${organizationId} and c.tag = ${containerTag}
      on conflict (container_id, bucket) do update set lines = excluded.lines, covers = excluded.covers,
        prompt = excluded.prompt, made_at = excluded.made_at`.execute(db);
  },

  async changedSince({ db }, organizationId, journalSeq) {
    const { rows } = await sql<{ tag: string | null; newest: number }>`
      select container_tag as tag, max(seq) as newest from journal
      where organization_id = ${organizationId} and seq > ${journalSeq} group by container_tag`.execute(db);
    const newest = rows.reduce((highest, row) => Math.max(highest, row.newest), journalSeq);
    return { tags: rows.flatMap(({ tag }) => tag ?? []), journalSeq: newest };
  },
});

export function createSummaryStore(db: Kysely<Database>, clock: Clock): SummaryStore {
  return summaryStore({ db, clock });
}
