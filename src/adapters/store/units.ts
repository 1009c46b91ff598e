import { type Kysely, sql } from "kysely";
import type { Clock, UnitStore } from "../../core/ports.js";
import { seqOf, kindOf, type Unit, type UnitKind, unitOf } from "../../core/types.js";
import { setDocumentForgotten } from "./document-expiry.js";
import { readRows, writeRows } from "./fixed-query.js";
import { listParameter } from "./json.js";
import { repositoryOf, type StoreContext } from "./repository.js";
import type { Database } from "./schema.js";
import { readStatements } from "./passage-statements.js";
import { loadUnits, readDetails } from "./unit-details.js";
import { rescopeUnit } from "./rescope.js";
import { findUnitsBeside } from "./units-beside.js";
import type { UnitCaches } from "./unit-caches.js";
import { matchSome, matchUnits } from "./unit-matching.js";
import { dropUnit, writeText } from "./text-index.js";
import { createTextSearch } from "./text-search.js";
import { atomically } from "./transact.js";
import { packVectors, vectorBytes } from "./vector-bytes.js";

const vectorInto = (places: string): string => `insert into vectors (space_id, container_id, unit, active, vector)
  select ?, container_id, ?, 1 - is_forgotten, ? from ${places}
  on conflict (space_id, container_id, unit) do update set vector = excluded.vector, active = excluded.active
  returning container_id`;
/** Writes to the containers that hold the unit: none for one that was removed or superseded meanwhile. */
const WRITE_VECTOR = {
  chunk: vectorInto(`chunks join documents on documents.id = chunks.document_id
    join document_containers on document_containers.document_id = documents.id where chunks.seq = ?`),
  memory: vectorInto("memories where seq = ? and is_latest = 1"),
};
const NOTE_VECTOR = "insert into vector_changes (space_id, container_id, unit) values (?, ?, ?)";

/**
 * Forgotten units that one search compares by meaning: they are in no matrix, and are read for the search. Words find all of
 * them.
 */
const MOST_FORGOTTEN = 20_000;

const IS_FORGOTTEN = `select is_forgotten from chunks
  join documents on documents.id = chunks.document_id where chunks.seq = ?`;

interface UnitContext extends StoreContext {
  readonly caches: UnitCaches | undefined;
}

const unitStore = repositoryOf<UnitStore, UnitContext>({
  async indexText({ db }, entry) {
    await atomically(db, async (db) => {
      const forgotten = kindOf(entry.unit) === "chunk" && (await isForgotten(db, entry.unit));
      await writeText(db, { ...entry, forgotten });
    });
  },

  async addVector({ db }, unit, space, values) {
    await atomically(db, async (db) => {
      const written = await readRows<{ container_id: number }>(db, WRITE_VECTOR[kindOf(unit)], [
        space.id,
        unit,
        vectorBytes(values),
        seqOf(unit),
      ]);
      for (const { container_id: containerId } of written)
        await writeRows(db, NOTE_VECTOR, [space.id, containerId, unit]);
    });
  },

  async withoutVector({ db }, space, afterUnit, limit) {
    const { rows } = await sql<{ unit: number; containers: string; text: string; context: string }>`
      select unit, containers, text, context from (
        select * from (
          select chunks.seq * 2 as unit, chunks.content as text, chunks.context as context,
            (select json_group_array(dc.container_id) from document_containers dc
              where dc.document_id = chunks.document_id) as containers
          from chunks where chunks.seq > ${Math.floor(afterUnit / 2)}
            and not exists (select 1 from vectors v where v.unit = chunks.seq * 2 and v.space_id = ${space.id})
          order by chunks.seq limit ${limit})
        union all
        select * from (
          select memories.seq * 2 + 1, memories.text, '', json_array(memories.container_id)
          from memories where memories.seq > ${Math.floor((afterUnit - 1) / 2)} and is_latest = 1 and is_forgotten = 0
            and kind <> 'statement'
            and not exists (select 1 from vectors v where v.unit = memories.seq * 2 + 1 and v.space_id = ${space.id})
          order by memories.seq limit ${limit})
      ) order by unit limit ${limit}`.execute(db);
    return rows.map((row) => ({ ...row, containerIds: JSON.parse(row.containers) as number[] }));
  },

  async rescope({ db }, unit, containerIds) {
    await atomically(db, (db) => rescopeUnit(db, unit, containerIds));
  },

  async unindex({ db }, unit) {
    await atomically(db, (db) => dropUnit(db, unit));
  },

  async setForgotten({ db }, unit, containerId, forgotten) {
    await atomically(db, async (db) => {
      const row = await db
        .selectFrom("memories")
        .select(["text", "kind"])
        .where("seq", "=", seqOf(unit))
        .executeTakeFirst();
      if (!row) return;
      // A statement is found by the conversation turn it quotes, as long as it holds.
      if (row.kind === "statement" && !forgotten) return dropUnit(db, unit);
      await writeText(db, { unit, containerIds: [containerId], text: row.text, context: "", forgotten });
      const changed = await db
        .updateTable("vectors")
        .set({ active: forgotten ? 0 : 1 })
        .where("unit", "=", unit)
        .returning(["space_id", "container_id", "unit"])
        .execute();
      if (changed.length > 0) await db.insertInto("vector_changes").values(changed).execute();
    });
  },

  setDocumentForgotten: ({ db }, organizationId, documentId, forgotten) =>
    setDocumentForgotten(db, organizationId, documentId, forgotten),

  searchText: ({ db, caches }, scope, words, options) => createTextSearch(db, caches).search(scope, words, options),

  async forgottenVectors({ db }, scope, space) {
    const rows = await db
      .selectFrom("vectors")
      .select(["unit", "vector"])
      .where("space_id", "=", space.id)
      .where("active", "=", 0)
      .where(
        sql<boolean>`unit & 1 in (select cast(value as bigint) from json_each(${listParameter(scope.kinds.map(sideOf))}))`,
      )
      .where(
        sql<boolean>`container_id in (select cast(value as bigint) from json_each(${listParameter(scope.containerIds)}))`,
      )
      .limit(MOST_FORGOTTEN)
      .execute();
    return packVectors(rows, space.dimensions);
  },

  async matching({ db, caches }, organizationId, scope, condition) {
    const matching = { organizationId, scope, condition };
    if (!caches?.followed) return matchUnits(db, matching);
    const key = JSON.stringify([organizationId, scope.containerIds, scope.kinds, condition]);
    return caches.followed.matching.answer(key, {
      all: () => matchUnits(db, matching),
      some: (units) => matchSome(db, matching, units),
    });
  },

  beside: ({ db }, units, distance) => findUnitsBeside(db, units, distance),

  statements: ({ db }, organizationId, documentIds) => readStatements(db, organizationId, documentIds),

  details: ({ db, clock, caches }, organizationId, scope, units) =>
    readDetails(db, caches?.followed?.details, { organizationId, scope, now: clock.now() }, units),

  load: ({ db }, organizationId, units) => loadUnits(db, organizationId, units),
});

/** @param caches within a transaction, whose changes may be rolled back, at most counts */
export function createUnitStore(db: Kysely<Database>, clock: Clock, caches?: UnitCaches): UnitStore {
  return unitStore({ db, clock, caches });
}

/** The lowest bit of the units of a kind. */
function sideOf(kind: UnitKind): number {
  return unitOf(kind, 0);
}

/** Whether a chunk belongs to a forgotten document. */
async function isForgotten(db: Kysely<Database>, chunk: Unit): Promise<boolean> {
  const [found] = await readRows<{ is_forgotten: 0 | 1 }>(db, IS_FORGOTTEN, [seqOf(chunk)]);
  return found?.is_forgotten === 1;
}
