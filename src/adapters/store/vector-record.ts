import { setImmediate as nextTurn } from "node:timers/promises";

import { type Kysely, sql } from "kysely";
import type { VectorRecord } from "../../core/ports.js";
import type { Unit } from "../../core/types.js";
import { listParameter } from "./json.js";
import { fixedQuery, readRows, readSteadyRows, type SlotAt } from "./fixed-query.js";
import { repositoryOf } from "./repository.js";
import type { Database } from "./schema.js";
import { atomically } from "./transact.js";
import { packVectors, VectorOfDigits, vectorOf } from "./vector-bytes.js";

/** Not a parameter: SQLite uses a partial index only for a condition that it can see. */
const ACTIVE = sql<boolean>`active = 1`;
/** A follower further behind than this, or gone for good, no longer holds up trimming the log: it rebuilds instead. */
const LONGEST_LOG = 200_000;

/** Rows deleted by one transaction; takes a few milliseconds. */
const ROWS_PER_DELETE = 250;

const HEAD = "select seq from vector_changes where space_id = ? order by seq desc limit 1";

/** As digits: a hundred thousand byte arrays, each allocated separately, would leave more gaps than the vectors take. */
const VISIT = `select unit, hex(vector) as digits from vectors
  where space_id = ? and container_id = ? and active = 1 and unit > ? order by unit limit ? + 0`;

const changesOf = (db: Kysely<Database>, slot: SlotAt) =>
  db
    .selectFrom("vector_changes as change")
    .leftJoin("vectors as vector", (join) =>
      join
        .onRef("vector.space_id", "=", "change.space_id")
        .onRef("vector.container_id", "=", "change.container_id")
        .onRef("vector.unit", "=", "change.unit")
        .on(sql<boolean>`vector.active = 1`),
    )
    .select([
      "change.seq as seq",
      "change.container_id as containerId",
      "change.unit as unit",
      "vector.vector as bytes",
    ])
    .where("change.space_id", "=", slot<number>(0))
    .where("change.seq", ">", slot<number>(1))
    .orderBy("change.seq")
    .limit(sql<number>`${slot<number>(2)} + 0`);

const selectChanges = fixedQuery(changesOf);
const selectChangesOf = fixedQuery((db, slot) =>
  changesOf(db, slot).where("change.container_id", "=", slot<number>(3)),
);
const selectProgress = fixedQuery((db, slot) =>
  db
    .selectFrom("vector_followers")
    .select(["seq", "layout"])
    .where("follower", "=", slot<string>(0))
    .where("space_id", "=", slot<number>(1)),
);
const selectFloor = fixedQuery((db, slot) => db.selectFrom("meta").select("value").where("key", "=", slot<string>(0)));

/** The record's vectors, and the log that indexes follow. */
export const createVectorRecord = repositoryOf<VectorRecord, Kysely<Database>>({
  head: (db, ...parameters) => head(db, ...parameters),

  async counts(db, spaceId) {
    const rows = await db
      .selectFrom("vectors")
      .select(["container_id", sql<number>`count(*)`.as("n")])
      .where("space_id", "=", spaceId)
      .where(ACTIVE)
      .groupBy("container_id")
      .execute();
    return new Map(rows.map((row) => [row.container_id, row.n]));
  },

  async pick(db, space, containerIds, units) {
    const rows = await db
      .selectFrom("vectors")
      .select(["unit", "vector"])
      .where("space_id", "=", space.id)
      .where(ACTIVE)
      .where(
        sql<boolean>`container_id in (select cast(value as bigint) from json_each(${listParameter(containerIds)}))`,
      )
      .where(sql<boolean>`unit in (select cast(value as bigint) from json_each(${listParameter(units)}))`)
      .execute();
    // A unit that is in several of the containers has the same vector in each.
    return packVectors([...new Map(rows.map((row) => [row.unit, row])).values()], space.dimensions);
  },

  async page(db, space, containerId, afterUnit, limit) {
    const rows = await pageRows(db, space.id, containerId, afterUnit, limit);
    return rows.map((row) => ({ seq: 0, containerId, unit: row.unit, vector: vectorOf(row.vector) }));
  },

  async visit(db, space, { containerId, afterUnit, limit }, see) {
    const rows = await readRows<{ unit: Unit; digits: string }>(db, VISIT, [space.id, containerId, afterUnit, limit]);
    const one = new VectorOfDigits(space.dimensions);
    for (const { unit, digits } of rows) see(unit, one.read(digits));
    return rows.map(({ unit }) => unit);
  },

  async changesSince(db, space, seq, options) {
    const { containerId, limit } = options;
    const rows =
      containerId === undefined
        ? await selectChanges(db, space.id, seq, limit)
        : await selectChangesOf(db, space.id, seq, limit, containerId);
    // Checked afterwards: the log may have been trimmed just before it was read.
    if (seq < (await floor(db, space.id))) return { changes: [], truncated: true };
    const changes = rows.map(({ bytes, ...row }) => ({ ...row, vector: bytes === null ? null : vectorOf(bytes) }));
    return { changes, truncated: false };
  },

  async trim(db, spaceId, keepNewest) {
    const slowest = await db
      .selectFrom("vector_followers")
      .select(sql<number | null>`min(seq)`.as("seq"))
      .where("space_id", "=", spaceId)
      .executeTakeFirstOrThrow();
    const newest = await head(db, spaceId);
    const last = Math.max(Math.min(newest - keepNewest, slowest.seq ?? newest), newest - LONGEST_LOG);
    if (last <= (await floor(db, spaceId))) return 0;
    return atomically(db, async (transaction) => {
      await transaction
        .insertInto("meta")
        .values({ key: `vector_floor:${spaceId}`, value: String(last) })
        .onConflict((conflict) => conflict.column("key").doUpdateSet({ value: String(last) }))
        .execute();
      const result = await transaction
        .deleteFrom("vector_changes")
        .where("space_id", "=", spaceId)
        .where("seq", "<=", last)
        .executeTakeFirst();
      return Number(result.numDeletedRows);
    });
  },

  async progress(db, follower, spaceId) {
    const [row] = await selectProgress(db, follower, spaceId);
    return { position: row?.seq ?? 0, layout: row?.layout ?? null };
  },

  async setPosition(db, follower, spaceId, seq) {
    await db
      .insertInto("vector_followers")
      .values({ follower, space_id: spaceId, seq, layout: null })
      .onConflict((conflict) => conflict.columns(["follower", "space_id"]).doUpdateSet({ seq }))
      .execute();
  },

  async replaceLayout(db, follower, spaceId, { known, next }) {
    if (known !== null) {
      const { numUpdatedRows } = await db
        .updateTable("vector_followers")
        .set({ layout: next })
        .where("follower", "=", follower)
        .where("space_id", "=", spaceId)
        .where("layout", "=", known)
        .executeTakeFirstOrThrow();
      return numUpdatedRows > 0n;
    }
    const { numInsertedOrUpdatedRows } = await db
      .insertInto("vector_followers")
      .values({ follower, space_id: spaceId, seq: 0, layout: next })
      .onConflict((conflict) =>
        conflict
          .columns(["follower", "space_id"])
          .doUpdateSet({ layout: next })
          .where("vector_followers.layout", "is", null),
      )
      .executeTakeFirstOrThrow();
    return (numInsertedOrUpdatedRows ?? 0n) > 0n;
  },

  async placements(db, spaceId) {
    const rows = await db.selectFrom("vector_placements").selectAll().where("space_id", "=", spaceId).execute();
    return new Map(rows.map((row) => [row.container_id, row.collection]));
  },

  async setPlacement(db, spaceId, containerId, collection) {
    await db
      .insertInto("vector_placements")
      .values({ space_id: spaceId, container_id: containerId, collection })
      .onConflict((conflict) => conflict.columns(["space_id", "container_id"]).doUpdateSet({ collection }))
      .execute();
  },

  async removePlacement(db, spaceId, containerId) {
    await db
      .deleteFrom("vector_placements")
      .where("space_id", "=", spaceId)
      .where("container_id", "=", containerId)
      .execute();
  },

  async dropSpace(db, spaceId) {
    const some = (table: string, key: string) => sql`delete from ${sql.table(table)} where ${sql.ref(key)} in
      (select ${sql.ref(key)} from ${sql.table(table)} where space_id = ${spaceId} limit ${ROWS_PER_DELETE})`;
    for (const [table, key] of [
      ["vectors", "id"],
      ["vector_changes", "seq"],
    ] as const)
      while (Number((await some(table, key).execute(db)).numAffectedRows ?? 0) > 0) await nextTurn();
    await atomically(db, async (transaction) => {
      for (const table of ["vectors", "vector_changes", "vector_followers", "vector_placements"] as const) {
        await transaction.deleteFrom(table).where("space_id", "=", spaceId).execute();
      }
      await transaction.deleteFrom("meta").where("key", "=", `vector_floor:${spaceId}`).execute();
      await transaction.deleteFrom("vector_spaces").where("id", "=", spaceId).execute();
    });
  },

  async spaces(db) {
    return db.selectFrom("vector_spaces").select(["id", "fingerprint", "dimensions"]).execute();
  },
});

async function head(db: Kysely<Database>, spaceId: number): Promise<number> {
  const [row] = await readSteadyRows<{ seq: number }>(db, HEAD, [spaceId]);
  return row?.seq ?? floor(db, spaceId);
}

/** Everything up to this change was trimmed from the log. */
async function floor(db: Kysely<Database>, spaceId: number): Promise<number> {
  const [row] = await selectFloor(db, `vector_floor:${spaceId}`);
  return row ? Number(row.value) : 0;
}

async function pageRows(db: Kysely<Database>, spaceId: number, containerId: number, afterUnit: Unit, limit: number) {
  return db
    .selectFrom("vectors")
    .select(["unit", "vector"])
    .where("space_id", "=", spaceId)
    .where("container_id", "=", containerId)
    .where(ACTIVE)
    .where("unit", ">", afterUnit)
    .orderBy("unit")
    .limit(limit)
    .execute();
}
