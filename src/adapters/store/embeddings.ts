import { type Kysely, type Selectable, sql } from "kysely";
import type { EmbedderRole, EmbeddingStore, PlacedEmbedder, PlainUnit } from "../../core/ports.js";
import { listParameter } from "./json.js";
import { repositoryOf } from "./repository.js";
import type { Database } from "./schema.js";

/** Prefixes the fingerprint of an abandoned space; no embedder's fingerprint begins like this. */
const ABANDONED = "abandoned ";
/** The key in `meta` under which earlier versions noted the embedder they used. */
const FORMER = "embedder";
const ASKED = "embedder_asked";

const IS_SETTLED = sql`and exists (
  select 1 from documents where documents.id = chunks.document_id and documents.status in ('done', 'failed'))`;

/** Which embedder is in use, and what lacks a vector. */
export const createEmbeddingStore = repositoryOf<EmbeddingStore, Kysely<Database>>({
  async placed(db) {
    const rows = await db.selectFrom("embedder_roles").selectAll().execute();
    return Object.fromEntries(rows.map((row) => [row.role as EmbedderRole, placedOf(row)]));
  },

  async place(db, role, { choice, name, fingerprint, since, move, dropAfter }) {
    const row = {
      choice: JSON.stringify(choice),
      name,
      fingerprint,
      since,
      move: move && JSON.stringify(move),
      drop_after: dropAfter,
    };
    await db
      .insertInto("embedder_roles")
      .values({ role, ...row })
      .onConflict((conflict) => conflict.column("role").doUpdateSet(row))
      .execute();
  },

  async remove(db, role) {
    await db.deleteFrom("embedder_roles").where("role", "=", role).execute();
  },

  async lastAsked(db) {
    const text = await readMeta(db, ASKED);
    return text === null ? null : (JSON.parse(text) as PlacedEmbedder["choice"]);
  },

  async noteAsked(db, choice) {
    const value = JSON.stringify(choice);
    await db
      .insertInto("meta")
      .values({ key: ASKED, value })
      .onConflict((conflict) => conflict.column("key").doUpdateSet({ value }))
      .execute();
  },

  formerFingerprint: (db) => readMeta(db, FORMER),

  async totals(db) {
    const { rows } = await sql<{ units: number; bytes: number }>`
      select sum(units) as units, sum(bytes) as bytes from (
        select count(*) as units, coalesce(sum(octet_length(content)), 0) as bytes from chunks
        union all
        select count(*), coalesce(sum(octet_length(text)), 0) from memories
        where is_latest = 1 and kind <> 'statement')`.execute(db);
    return rows[0] ?? { units: 0, bytes: 0 };
  },

  async countEmbedded(db, spaceId) {
    const { rows } = await sql<{ n: number }>`
      select count(distinct unit) as n from vectors where space_id = ${spaceId}`.execute(db);
    return rows[0]?.n ?? 0;
  },

  async missing(db, space, { kind, after, window, settled }) {
    const { rows: ends } = await sql<{ end: number | null }>`
      select max(seq) as end from (
        select seq from ${sql.table(kind === "chunk" ? "chunks" : "memories")} where seq > ${after}
        order by seq limit ${window})`.execute(db);
    const end = ends[0]?.end ?? null;
    if (end === null) return { units: [], end };
    const isMissing = (unit: string) => sql`not exists (
      select 1 from vectors where vectors.unit = ${sql.raw(unit)} and vectors.space_id = ${space.id})`;
    const units =
      kind === "chunk"
        ? await readChunks(
            db,
            sql`chunks.seq > ${after} and chunks.seq <= ${end} and ${isMissing("chunks.seq * 2")}
            ${settled ? IS_SETTLED : sql``}`,
          )
        : await readMemories(
            db,
            sql`memories.seq > ${after} and memories.seq <= ${end} and ${isMissing("memories.seq * 2 + 1")}`,
          );
    return { units, end };
  },

  async followed(db, space, from) {
    const row = await db
      .selectFrom("vector_followers")
      .select("seq")
      .where("follower", "=", followerOf(space.id))
      .where("space_id", "=", from.id)
      .executeTakeFirst();
    return row?.seq ?? null;
  },

  async noteFollowed(db, space, from, seq) {
    const follower = followerOf(space.id);
    await db.deleteFrom("vector_followers").where("follower", "=", follower).where("space_id", "!=", from.id).execute();
    await db
      .insertInto("vector_followers")
      .values({ follower, space_id: from.id, seq, layout: null })
      .onConflict((conflict) => conflict.columns(["follower", "space_id"]).doUpdateSet({ seq }))
      .execute();
  },

  unfollow: (db, { id }) => forgetFollower(db, id),

  async lacking(db, from, to, { after, limit }) {
    const floor = Number((await readMeta(db, `vector_floor:${from.id}`)) ?? 0);
    if (after < floor) return null;
    const { rows } = await sql<{ unit: number }>`
      select distinct change.unit as unit from vector_changes change
      where change.space_id = ${from.id} and change.seq > ${after}
        and exists (select 1 from vectors v where v.unit = change.unit and v.space_id = ${from.id})
        and not exists (select 1 from vectors v where v.unit = change.unit and v.space_id = ${to.id})
      limit ${limit}`.execute(db);
    return readUnits(
      db,
      rows.map(({ unit }) => unit),
    );
  },

  async sample(db, space, count) {
    const { rows: bounds } = await sql<{ first: number | null; last: number | null }>`
      select min(id) as first, max(id) as last from vectors where space_id = ${space.id}`.execute(db);
    const { first, last } = bounds[0] ?? { first: null, last: null };
    if (first === null || last === null) return [];
    const places = Array.from({ length: count }, () => Math.floor(first + Math.random() * (last - first + 1)));
    const { rows } = await sql<{ unit: number }>`
      select distinct (select unit from vectors where space_id = ${space.id} and active = 1 and id >= cast(place.value as bigint)
        order by id limit 1) as unit
      from json_each(${listParameter(places)}) place`.execute(db);
    return readUnits(
      db,
      rows.flatMap(({ unit }) => unit ?? []),
    );
  },

  async abandon(db, fingerprint) {
    if (fingerprint.startsWith(ABANDONED)) return null;
    const row = await db
      .selectFrom("vector_spaces")
      .select("id")
      .where("fingerprint", "=", fingerprint)
      .executeTakeFirst();
    if (!row) return null;
    await db
      .updateTable("vector_spaces")
      .set({ fingerprint: `${ABANDONED}${row.id} ${fingerprint}` })
      .where("id", "=", row.id)
      .execute();
    await forgetFollower(db, row.id);
    return row.id;
  },

  async abandoned(db) {
    const rows = await db
      .selectFrom("vector_spaces")
      .select("id")
      .where("fingerprint", "like", `${ABANDONED}%`)
      .execute();
    return rows.map(({ id }) => id);
  },
});

async function readMeta(db: Kysely<Database>, key: string): Promise<string | null> {
  const row = await db.selectFrom("meta").select("value").where("key", "=", key).executeTakeFirst();
  return row?.value ?? null;
}

async function forgetFollower(db: Kysely<Database>, spaceId: number): Promise<void> {
  await db.deleteFrom("vector_followers").where("follower", "=", followerOf(spaceId)).execute();
}

async function readUnits(db: Kysely<Database>, units: readonly number[]): Promise<PlainUnit[]> {
  if (units.length === 0) return [];
  const wanted = sql`(select cast(value as bigint) as value from json_each(${listParameter(units)}))`;
  return [
    ...(await readChunks(db, sql`chunks.seq in (select value / 2 from ${wanted} where value % 2 = 0)`)),
    ...(await readMemories(db, sql`memories.seq in (select value / 2 from ${wanted} where value % 2 = 1)`)),
  ];
}

async function readChunks(db: Kysely<Database>, condition: ReturnType<typeof sql>): Promise<PlainUnit[]> {
  const { rows } = await sql<UnitRow>`
    select chunks.seq * 2 as unit, chunks.content as text, chunks.context as context,
      (select json_group_array(dc.container_id) from document_containers dc
        where dc.document_id = chunks.document_id) as containers
    from chunks where ${condition} order by chunks.seq`.execute(db);
  return rows.map(unitOfRow);
}

async function readMemories(db: Kysely<Database>, condition: ReturnType<typeof sql>): Promise<PlainUnit[]> {
  const { rows } = await sql<UnitRow>`
    select memories.seq * 2 + 1 as unit, memories.text as text, '' as context,
      json_array(memories.container_id) as containers
    from memories where is_latest = 1 and kind <> 'statement' and ${condition} order by memories.seq`.execute(db);
  return rows.map(unitOfRow);
}

/** The name under which one space's log notes how far another space has followed it. */
function followerOf(spaceId: number): string {
  return `space:${spaceId}`;
}

interface UnitRow {
  readonly unit: number;
  readonly text: string;
  readonly context: string;
  readonly containers: string;
}

function unitOfRow({ unit, text, context, containers }: UnitRow): PlainUnit {
  return { unit, text, context, containerIds: JSON.parse(containers) as number[] };
}

function placedOf(row: Selectable<Database["embedder_roles"]>): PlacedEmbedder {
  return {
    choice: JSON.parse(row.choice) as PlacedEmbedder["choice"],
    name: row.name,
    fingerprint: row.fingerprint,
    since: row.since,
    move: row.move === null ? null : (JSON.parse(row.move) as PlacedEmbedder["move"]),
    dropAfter: row.drop_after,
  };
}
