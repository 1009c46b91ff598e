import { type Kysely, type Selectable, sql } from "kysely";
import type { ChunkDraft, ChunkStore, Clock } from "../../core/ports.js";
import { unitOf, type Chunk } from "../../core/types.js";
import { iso } from "../../lib/time.js";
import { ofOrganization } from "./documents.js";
import { fixedQuery } from "./fixed-query.js";
import { fromJson, listParameter, toJson } from "./json.js";
import type { Database } from "./schema.js";
import { dropUnit } from "./text-index.js";
import { atomically } from "./transact.js";

/** Rows of one insert; keeps the number of parameters below SQLite's limit. */
const BATCH = 500;

const selectOfDocument = fixedQuery((db, slot) =>
  db
    .selectFrom("chunks")
    .innerJoin("documents", "documents.id", "chunks.document_id")
    .selectAll("chunks")
    .where(ofOrganization(slot(0)))
    .where("chunks.document_id", "=", slot<string>(1))
    .where("chunks.revision", "=", slot<number>(2))
    .orderBy("chunks.position"),
);

export function createChunkStore(db: Kysely<Database>, clock: Clock): ChunkStore {
  return {
    async replace(organizationId, documentId, revision, drafts) {
      return atomically(db, async (db) => {
        if (!(await isOfOrganization(db, organizationId, documentId))) return [];
        const { kept, added, dropped } = await compare(db, documentId, drafts);
        for (const seq of dropped) await dropUnit(db, unitOf("chunk", seq));
        await sql`delete from chunks where seq in (select value from json_each(${listParameter(dropped)}))`.execute(db);
        await placeAgain(db, documentId, revision, kept);
        await insertChunks(db, documentId, revision, added);
        return createChunkStore(db, clock).ofDocument(organizationId, documentId, revision);
      });
    },

    ofDocument,

    async newest(organizationId, documentId) {
      const newest = await db
        .selectFrom("chunks")
        .select((of) => of.fn.max("revision").as("revision"))
        .where("document_id", "=", documentId)
        .executeTakeFirst();
      return newest?.revision ? ofDocument(organizationId, documentId, newest.revision) : [];
    },

    async at(organizationId, places) {
      const asked = JSON.stringify(
        places.map(({ documentId, revision, position }) => [documentId, revision, position]),
      );
      // In this order SQLite looks each place up; in another it would read all chunks.
      const { rows } = await sql<Selectable<Database["chunks"]>>`
        select chunks.* from json_each(${asked}) place cross join chunks
          on chunks.document_id = place.value ->> 0 and chunks.revision = place.value ->> 1
          and chunks.position = place.value ->> 2
        join documents on documents.id = chunks.document_id
        where ${ofOrganization(organizationId)}`.execute(db);
      return rows.map(chunkOf);
    },

    async withoutVector(organizationId, documentId, revision, space) {
      const chunks = await ofDocument(organizationId, documentId, revision);
      if (!space) return chunks;
      const { rows } = await sql<{ seq: number }>`
        select chunks.seq from chunks where document_id = ${documentId} and revision = ${revision} and not exists (
          select 1 from vectors where vectors.unit = chunks.seq * 2 and vectors.space_id = ${space.id})`.execute(db);
      const missing = new Set(rows.map((row) => row.seq));
      return chunks.filter((chunk) => missing.has(chunk.seq));
    },
  };

  async function ofDocument(organizationId: string, documentId: string, revision: number): Promise<Chunk[]> {
    const rows = await selectOfDocument(db, organizationId, documentId, revision);
    return rows.map(chunkOf);
  }

  async function insertChunks(
    db: Kysely<Database>,
    documentId: string,
    revision: number,
    drafts: readonly PlacedDraft[],
  ): Promise<void> {
    const now = iso(clock.now());
    for (let start = 0; start < drafts.length; start += BATCH) {
      const values = drafts.slice(start, start + BATCH).map(({ draft, position }) => ({
        id: draft.id,
        document_id: documentId,
        revision,
        position,
        content: draft.content,
        context: draft.context,
        metadata: toJson(draft.metadata),
        created_at: now,
      }));
      await db.insertInto("chunks").values(values).execute();
    }
  }
}

interface PlacedDraft {
  readonly draft: ChunkDraft;
  readonly position: number;
}

interface Comparison {
  readonly kept: readonly { readonly seq: number; readonly position: number }[];
  readonly added: readonly PlacedDraft[];
  /** Row numbers of chunks that are no more. */
  readonly dropped: readonly number[];
}

/** What the chunks of a document have in common with new ones. Of equal ones each is kept once, in order. */
async function compare(db: Kysely<Database>, documentId: string, drafts: readonly ChunkDraft[]): Promise<Comparison> {
  const rows = await db
    .selectFrom("chunks")
    .select(["seq", "content", "context", "metadata"])
    .where("document_id", "=", documentId)
    .orderBy("revision", "desc")
    .orderBy("position")
    .execute();
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
    const seq = known.get(JSON.stringify([draft.content, draft.context, toJson(draft.metadata)]))?.pop();
    if (seq === undefined) added.push({ draft, position });
    else kept.push({ seq, position });
  }
  return { kept, added, dropped: [...known.values()].flat() };
}

/** Gives kept chunks their places in a revision. */
async function placeAgain(
  db: Kysely<Database>,
  documentId: string,
  revision: number,
  kept: Comparison["kept"],
): Promise<void> {
  // Places are unique, so those that are taken are cleared first.
  await sql`update chunks set position = -1 - position
    where document_id = ${documentId} and revision = ${revision}`.execute(db);
  const places = JSON.stringify(kept.map(({ seq, position }) => [seq, position]));
  await sql`update chunks set revision = ${revision}, position = place.value ->> 1
    from json_each(${places}) place where chunks.seq = place.value ->> 0`.execute(db);
}

async function isOfOrganization(db: Kysely<Database>, organizationId: string, documentId: string): Promise<boolean> {
  const row = await db
    .selectFrom("documents")
    .select("id")
    .where(ofOrganization(organizationId))
    .where("id", "=", documentId)
    .executeTakeFirst();
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
    metadata: fromJson(row.metadata),
    createdAt: row.created_at,
  };
}
