import { type Kysely, type Selectable, sql } from "kysely";
import type { ChunkDraft, ChunkStore, Clock } from "../../core/ports.js";
import { unitOf, type Chunk } from "../../core/types.js";
import { iso } from "../../lib/time.js";
import { ofOrganization } from "./documents.js";
import { readRows, writeRows } from "./fixed-query.js";
import { fromJson, listParameter, toJson } from "./json.js";
import { repositoryOf, type StoreContext } from "./repository.js";
import type { Database } from "./schema.js";
import { chunkMetadataOf, storedChunkMetadata } from "./stranger-mark.js";
import { dropUnit } from "./text-index.js";
import { atomically } from "./transact.js";

const OF_DOCUMENT = `select chunks.* from chunks join documents on documents.id = chunks.document_id
  where +documents.organization_id = ? and chunks.document_id = ? and chunks.revision = ? order by chunks.position`;
const IN_ANY_REVISION = `select seq, content, context, metadata from chunks where document_id = ?
  order by revision desc, position`;
const INSERT = `insert into chunks (id, document_id, revision, position, content, context, metadata, created_at)
  values (?, ?, ?, ?, ?, ?, ?, ?)`;
const LAST_POSITION = "select max(position) as position from chunks where document_id = ? and revision = ?";
const FROM_POSITION = `select * from chunks where document_id = ? and revision = ? and position >= ? order by position`;
const AMONG =
  "select seq from chunks where document_id = ? and seq in (select cast(value as bigint) from json_each(?))";
const IS_OF_ORGANIZATION = "select 1 from documents where +organization_id = ? and id = ?";
const WITHOUT_VECTOR = `select chunks.seq from chunks where document_id = ? and revision = ? and not exists (
  select 1 from vectors where vectors.unit = chunks.seq * 2 and vectors.space_id = ?)`;

const chunkStore = repositoryOf<ChunkStore, StoreContext>({
  async replace({ db, clock }, organizationId, documentId, revision, drafts) {
    return atomically(db, async (db) => {
      if (!(await isOfOrganization(db, organizationId, documentId))) return [];
      const { kept, added, dropped } = await compare(db, documentId, drafts);
      await dropChunks(db, dropped);
      if (kept.length > 0) await placeAgain(db, documentId, revision, kept);
      await insertChunks({ db, clock }, documentId, revision, added);
      return ofDocument(db, organizationId, documentId, revision);
    });
  },

  async difference({ db }, organizationId, documentId, drafts) {
    if (!(await isOfOrganization(db, organizationId, documentId))) return { added: [], dropped: [] };
    const { added, dropped } = await compare(db, documentId, drafts);
    return { added: added.map(({ draft }) => draft), dropped };
  },

  async append({ db, clock }, organizationId, documentId, revision, drafts) {
    return atomically(db, async (db) => {
      if (!(await isOfOrganization(db, organizationId, documentId))) return [];
      const [last] = await readRows<{ position: number | null }>(db, LAST_POSITION, [documentId, revision]);
      const first = Math.max(-1, last?.position ?? -1) + 1;
      const placed = drafts.map((draft, index) => ({ draft, position: first + index }));
      await insertChunks({ db, clock }, documentId, revision, placed);
      const rows = await readRows<Selectable<Database["chunks"]>>(db, FROM_POSITION, [documentId, revision, first]);
      return rows.map(chunkOf);
    });
  },

  async drop({ db }, organizationId, documentId, seqs) {
    await atomically(db, async (db) => {
      if (!(await isOfOrganization(db, organizationId, documentId))) return;
      const rows = await readRows<{ seq: number }>(db, AMONG, [documentId, listParameter(seqs)]);
      await dropChunks(
        db,
        rows.map(({ seq }) => seq),
      );
    });
  },

  ofDocument: ({ db }, ...parameters) => ofDocument(db, ...parameters),

  async newest({ db }, organizationId, documentId) {
    const newest = await db
      .selectFrom("chunks")
      .select((of) => of.fn.max("revision").as("revision"))
      .where("document_id", "=", documentId)
      .executeTakeFirst();
    return newest?.revision ? ofDocument(db, organizationId, documentId, newest.revision) : [];
  },

  async at({ db }, organizationId, places) {
    const asked = JSON.stringify(places.map(({ documentId, revision, position }) => [documentId, revision, position]));
    // In this order SQLite looks each place up; in any other it would read all chunks.
    const { rows } = await sql<Selectable<Database["chunks"]>>`
      select chunks.* from json_each(${asked}) place cross join chunks
        on chunks.document_id = place.value ->> 0 and chunks.revision = cast(place.value ->> 1 as bigint)
        and chunks.position = cast(place.value ->> 2 as bigint)
      join documents on documents.id = chunks.document_id
      where ${ofOrganization(organizationId)}`.execute(db);
    return rows.map(chunkOf);
  },

  async withoutVector({ db }, organizationId, documentId, revision, space) {
    const chunks = await ofDocument(db, organizationId, documentId, revision);
    if (!space) return chunks;
    const rows = await readRows<{ seq: number }>(db, WITHOUT_VECTOR, [documentId, revision, space.id]);
    const missing = new Set(rows.map((row) => row.seq));
    return chunks.filter((chunk) => missing.has(chunk.seq));
  },
});

export function createChunkStore(db: Kysely<Database>, clock: Clock): ChunkStore {
  return chunkStore({ db, clock });
}

async function ofDocument(
  db: Kysely<Database>,
  organizationId: string,
  documentId: string,
  revision: number,
): Promise<Chunk[]> {
  const rows = await readRows<Selectable<Database["chunks"]>>(db, OF_DOCUMENT, [organizationId, documentId, revision]);
  return rows.map(chunkOf);
}

async function insertChunks(
  { db, clock }: StoreContext,
  documentId: string,
  revision: number,
  drafts: readonly PlacedDraft[],
): Promise<void> {
  const now = iso(clock.now());
  for (const { draft, position } of drafts)
    await writeRows(db, INSERT, [
      draft.id,
      documentId,
      revision,
      position,
      draft.content,
      draft.context,
      toJson(storedChunkMetadata(draft.metadata)),
      now,
    ]);
}

interface PlacedDraft {
  readonly draft: ChunkDraft;
  readonly position: number;
}

interface Comparison {
  readonly kept: readonly { readonly seq: number; readonly position: number }[];
  readonly added: readonly PlacedDraft[];
  /** Row numbers of chunks that no longer exist. */
  readonly dropped: readonly number[];
}

/** Finds which existing chunks match new ones. Each of several equal ones is kept once, in order. */
async function compare(db: Kysely<Database>, documentId: string, drafts: readonly ChunkDraft[]): Promise<Comparison> {
  type Row = Pick<Selectable<Database["chunks"]>, "seq" | "content" | "context" | "metadata">;
  const rows = await readRows<Row>(db, IN_ANY_REVISION, [documentId]);
  const known = new Map<string, number[]>();
  for (const row of rows.toReversed()) {
    const key = JSON.stringify([row.content, row.context, row.metadata]);
    const equal = known.get(key);
    if (equal) equal.push(row.seq);
    else known.set(key, [row.seq]);
  }
  const kept: { seq: number; position: number }[] = [];
  const added: PlacedDraft[] = [];
  for (const [position, draft] of drafts.entries()) {
    const seq = known
      .get(JSON.stringify([draft.content, draft.context, toJson(storedChunkMetadata(draft.metadata))]))
      ?.pop();
    if (seq === undefined) added.push({ draft, position });
    else kept.push({ seq, position });
  }
  return { kept, added, dropped: [...known.values()].flat() };
}

async function dropChunks(db: Kysely<Database>, seqs: readonly number[]): Promise<void> {
  for (const seq of seqs) await dropUnit(db, unitOf("chunk", seq));
  if (seqs.length > 0)
    await sql`delete from chunks where seq in (select cast(value as bigint) from json_each(${listParameter(seqs)}))`.execute(
      db,
    );
}

/** Gives kept chunks their places in a new revision. */
async function placeAgain(
  db: Kysely<Database>,
  documentId: string,
  revision: number,
  kept: Comparison["kept"],
): Promise<void> {
  // Places are unique, so taken ones are cleared first.
  await sql`update chunks set position = -1 - position
    where document_id = ${documentId} and revision = ${revision}`.execute(db);
  const places = JSON.stringify(kept.map(({ seq, position }) => [seq, position]));
  await sql`update chunks set revision = ${revision}, position = cast(place.value ->> 1 as bigint)
    from json_each(${places}) place where chunks.seq = cast(place.value ->> 0 as bigint)`.execute(db);
}

async function isOfOrganization(db: Kysely<Database>, organizationId: string, documentId: string): Promise<boolean> {
  const [row] = await readRows(db, IS_OF_ORGANIZATION, [organizationId, documentId]);
  return row !== undefined;
}

/** A chunk as it is selected. */
export type ChunkColumns = Selectable<Database["chunks"]>;

export function chunkOf(row: ChunkColumns): Chunk {
  return {
    seq: row.seq,
    id: row.id,
    documentId: row.document_id,
    revision: row.revision,
    position: row.position,
    content: row.content,
    context: row.context,
    type: "text",
    metadata: chunkMetadataOf(fromJson(row.metadata)),
    createdAt: row.created_at,
  };
}
