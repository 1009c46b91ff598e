import { type Kysely, sql } from "kysely";
import type { Clock, MemoryStore } from "../../core/ports.js";
import type { FilterExpression, Memory } from "../../core/types.js";
import { factKey } from "../../language/fact-key.js";
import { iso } from "../../lib/time.js";
import { createMemoryFilter } from "./memory-filter.js";
import { readRows, type Value } from "./fixed-query.js";
import { listParameter, toJson } from "./json.js";
import { listInferred, listMemories, listOfDocuments } from "./memory-pages.js";
import { readRelations, writeRelation } from "./memory-relations.js";
import { columnsOf, memoryOf, NEW_MEMORIES, readMemories, SELECT_WHOLE, selectMemories } from "./memory-rows.js";
import { purgeMemories } from "./purge.js";
import { repositoryOf, type StoreContext } from "./repository.js";
import type { Database } from "./schema.js";

const forgottenOnly = sql<boolean>`(memories.is_latest = 1 and memories.is_forgotten = 1)`;
const activeOnly = sql<boolean>`(memories.is_latest = 1 and memories.is_forgotten = 0)`;

/** Looks a container up by tag and organisation, because tags are unique only within one. */
const IN_CONTAINER = "containers.organization_id = ?1 and containers.tag = ?2";
const ACTIVE_ONLY = "memories.is_latest = 1 and memories.is_forgotten = 0";

const CANDIDATES_AT_ONCE = 1_000;

// Without what `isFlagged` names.
const SHOWN = `${IN_CONTAINER} and ${ACTIVE_ONLY} and memories.is_static = ?3
  and (memories.forget_after is null or memories.forget_after > ?4)
  and not (memories.is_inference = 1 and coalesce(json_extract(memories.metadata, '$.trust') = 'flagged', false))
  and memories.kind <> 'statement' and memories.seq > ?5`;
const ACTIVE = `${SELECT_WHOLE} and ${SHOWN} order by memories.seq desc limit ?6 + 0`;
const NEWEST_SEQS = `select memories.seq as seq from memories join containers on containers.id = memories.container_id
  where memories.organization_id = ?1 and ${SHOWN} and memories.seq < ?6 order by memories.seq desc limit ?7 + 0`;
const SHOWN_SEQS = `${SELECT_WHOLE} and ${SHOWN} and memories.seq in (select cast(value as bigint) from json_each(?6))
  order by memories.seq desc`;
const BY_ID = `${SELECT_WHOLE} and memories.id = ?2`;
const BY_IDS = `${SELECT_WHOLE} and memories.id in (select value from json_each(?2))`;
const BY_TEXT = `${SELECT_WHOLE} and ${IN_CONTAINER} and memories.text_key = ?3 and ${ACTIVE_ONLY}`;

const INSERT = `insert into memories (
    id, organization_id, container_id, text, text_key, version, is_latest, parent_id, root_id, kind, is_static,
    is_inference, is_forgotten, forget_after, forget_reason, strength, origin, metadata, entities, buckets, created_at,
    updated_at, own_forget_after
  ) select ?3, ?1, c.id, ?4, ?5, ?6, 1, ?7, ?8, ?9, ?10, ?11, 0, ?12, ?13, 1, ?14, ?15, ?16, ?17, ?18, ?18, ?19
  from containers c where c.organization_id = ?1 and c.tag = ?2
  returning ${NEW_MEMORIES.expression} as memory`;

const ADD_SOURCE = `insert into memory_sources (memory_id, document_id, quote, quote_start, quote_end, added_at)
  values (?, ?, ?, ?, ?, ?) on conflict do nothing returning memory_id`;

const memoryStore = repositoryOf<MemoryStore, StoreContext>({
  async insert({ db, clock }, organizationId, draft, lineage) {
    const [row] = await readMemories(db, INSERT, [
      organizationId,
      draft.containerTag,
      draft.id,
      draft.text,
      factKey(draft.text),
      lineage.version,
      lineage.parentId,
      lineage.rootId,
      draft.kind,
      draft.isStatic ? 1 : 0,
      draft.isInference ? 1 : 0,
      draft.forgetAfter,
      draft.forgetReason,
      draft.origin,
      toJson(draft.metadata),
      toJson(draft.entities),
      toJson(draft.buckets),
      iso(clock.now()),
      draft.ownForgetAfter === undefined ? draft.forgetAfter : draft.ownForgetAfter,
    ]);
    if (!row) throw new Error(`There is no container ${draft.containerTag} for a memory`);
    return row;
  },

  async byId({ db }, organizationId, id) {
    const [memory] = await readMemories(db, BY_ID, [organizationId, id]);
    return memory ?? null;
  },

  byIds: ({ db }, organizationId, ids) => readMemories(db, BY_IDS, [organizationId, listParameter(ids)]),

  async latestOf({ db }, organizationId, rootId) {
    const row = await selectMemories(db, organizationId)
      .where((where) => where.or([where("memories.root_id", "=", rootId), where("memories.id", "=", rootId)]))
      .where("memories.is_latest", "=", 1)
      .executeTakeFirst();
    return row ? memoryOf(row) : null;
  },

  async byText({ db }, organizationId, containerTag, text) {
    const [memory] = await readMemories(db, BY_TEXT, [organizationId, containerTag, factKey(text)]);
    return memory ?? null;
  },

  async byExactText({ db }, organizationId, containerTag, text) {
    const withText = () =>
      selectMemories(db, organizationId)
        .where(inContainer(organizationId, containerTag))
        .where("memories.text_key", "=", factKey(text))
        .where("memories.text", "=", text)
        .orderBy("memories.seq", "desc");
    // A single query for both would use neither partial index.
    const active = await withText().where(activeOnly).execute();
    const forgotten = await withText().where(forgottenOnly).execute();
    return [...active, ...forgotten].map(memoryOf);
  },

  async ofDocument({ db }, organizationId, documentId) {
    const rows = await selectMemories(db, organizationId)
      .innerJoin("memory_sources", "memory_sources.memory_id", "memories.id")
      .where("memory_sources.document_id", "=", documentId)
      .orderBy("memories.seq")
      .execute();
    return rows.map(memoryOf);
  },

  async update({ db, clock }, organizationId, id, change) {
    await db
      .updateTable("memories")
      .set({ ...columnsOf(change), updated_at: iso(clock.now()) })
      .where("organization_id", "=", organizationId)
      .where("id", "=", id)
      .execute();
  },

  async addSource({ db, clock }, _organizationId, memoryId, documentId, quote) {
    const { text, at } = typeof quote === "string" ? { text: quote, at: null } : (quote ?? { text: null, at: null });
    const added = await readRows(db, ADD_SOURCE, [
      memoryId,
      documentId,
      text,
      at?.start ?? null,
      at?.end ?? null,
      iso(clock.now()),
    ]);
    return added.length > 0;
  },

  async removeSource({ db }, organizationId, memoryId, documentId) {
    await db
      .deleteFrom("memory_sources")
      .where("memory_id", "=", memoryId)
      .where("document_id", "=", documentId)
      .where((where) =>
        where.exists(
          where
            .selectFrom("memories")
            .select("id")
            .whereRef("memories.id", "=", "memory_sources.memory_id")
            .where("memories.organization_id", "=", organizationId),
        ),
      )
      .execute();
  },

  async sources({ db }, organizationId, memoryIds) {
    const rows = await db
      .selectFrom("memory_sources")
      .innerJoin("memories", "memories.id", "memory_sources.memory_id")
      .select(["memory_id", "document_id"])
      .where("memories.organization_id", "=", organizationId)
      .where(sql<boolean>`memory_id in (select value from json_each(${listParameter(memoryIds)}))`)
      .orderBy("added_at")
      .execute();
    return rows.map((row) => ({ memoryId: row.memory_id, documentId: row.document_id }));
  },

  async active({ db, clock }, organizationId, containerTag, { isStatic, limit, filters, afterSeq }) {
    const now = iso(clock.now());
    const from = afterSeq ?? 0;
    const ofKind = (kind: 0 | 1): Promise<Memory[]> => {
      const shown = [organizationId, containerTag, kind, now, from] as const;
      return filters
        ? readFiltered(db, { shown, containerTag, filters, limit })
        : readMemories(db, ACTIVE, [...shown, limit]);
    };
    if (isStatic !== undefined) return ofKind(isStatic ? 1 : 0);
    // The index has the newest of each kind; to get the newest of both, SQLite would sort the whole container.
    const memories = [...(await ofKind(0)), ...(await ofKind(1))];
    return memories.toSorted((one, other) => other.seq - one.seq).slice(0, limit);
  },

  async versions({ db }, organizationId, rootIds, { withUndone } = { withUndone: false }) {
    const isShown = withUndone ? sql<boolean>`true` : sql<boolean>`not (is_latest = 0 and is_forgotten = 1)`;
    const ids = listParameter(rootIds);
    const rows = await selectMemories(db, organizationId)
      .where(
        sql<boolean>`memories.seq in (
          select seq from memories where root_id in (select value from json_each(${ids}))
          union select seq from memories where id in (select value from json_each(${ids})))`,
      )
      .where(isShown)
      .orderBy("memories.version")
      .orderBy("memories.seq")
      .execute();
    return rows.map(memoryOf);
  },

  async statements({ db }, organizationId, memoryIds) {
    const rows = await db
      .selectFrom("memory_sources")
      .innerJoin("memories", "memories.id", "memory_sources.memory_id")
      .select(["memory_id", "document_id", "quote", "quote_start", "quote_end", "added_at"])
      .where("memories.organization_id", "=", organizationId)
      .where(sql<boolean>`memory_id in (select value from json_each(${listParameter(memoryIds)}))`)
      .orderBy("added_at")
      .execute();
    return rows.map((row) => ({
      memoryId: row.memory_id,
      documentId: row.document_id,
      quote: row.quote,
      quoteAt:
        row.quote_start === null || row.quote_end === null ? null : { start: row.quote_start, end: row.quote_end },
      addedAt: row.added_at,
    }));
  },

  async containerOf({ db }, organizationId, id) {
    const row = await db
      .selectFrom("memories")
      .innerJoin("containers", "containers.id", "memories.container_id")
      .select(["containers.id", "containers.tag", "containers.time_zone as timeZone"])
      .where("memories.organization_id", "=", organizationId)
      .where("memories.id", "=", id)
      .where("containers.deleted_at", "is", null)
      .executeTakeFirst();
    return row ?? null;
  },

  relations: ({ db }, organizationId, memoryIds, options) => readRelations(db, organizationId, memoryIds, options),

  relate: ({ db, clock }, organizationId, fromId, toId, relation) =>
    writeRelation(db, organizationId, { fromId, toId, relation }, iso(clock.now())),

  list: ({ db, clock }, organizationId, query) => listMemories(db, organizationId, query, clock.now()),

  inferred: ({ db, clock }, organizationId, containerTag, limit) =>
    listInferred(db, organizationId, { containerTag, limit, now: clock.now() }),

  ofDocuments: ({ db }, organizationId, documentIds) => listOfDocuments(db, organizationId, documentIds),

  async inContainer({ db }, organizationId, containerId, { activeOnly: isActiveOnly, limit }) {
    let query = selectMemories(db, organizationId).where("memories.container_id", "=", containerId);
    if (isActiveOnly) query = query.where(activeOnly);
    const rows = await query.orderBy("memories.seq").limit(limit).execute();
    return rows.map(memoryOf);
  },

  purge: ({ db }, organizationId, containerId, limit) => purgeMemories(db, organizationId, { containerId, limit }),

  async move({ db }, organizationId, id, containerId) {
    await db
      .updateTable("memories")
      .set({ container_id: containerId })
      .where("organization_id", "=", organizationId)
      .where("id", "=", id)
      .execute();
  },

  async expired({ db }, organizationId, now, limit) {
    const rows = await selectMemories(db, organizationId)
      .where(activeOnly)
      .where("memories.forget_after", "<=", iso(now))
      .limit(limit)
      .execute();
    return rows.map(memoryOf);
  },
});

export function createMemoryStore(db: Kysely<Database>, clock: Clock): MemoryStore {
  return memoryStore({ db, clock });
}

interface FilteredRead {
  /** The parameters of `SHOWN`. */
  readonly shown: readonly Value[];
  readonly containerTag: string;
  readonly filters: FilterExpression;
  readonly limit: number;
}

/** Active memories that satisfy a filter, newest first. */
async function readFiltered(
  db: Kysely<Database>,
  { shown, containerTag, filters, limit }: FilteredRead,
): Promise<Memory[]> {
  const filter = createMemoryFilter(db, { containers: [containerTag], filters });
  const found: number[] = [];
  for (let before = Number.MAX_SAFE_INTEGER; found.length < limit;) {
    const rows = await readRows<{ seq: number }>(db, NEWEST_SEQS, [...shown, before, CANDIDATES_AT_ONCE]);
    const seqs = rows.map(({ seq }) => seq);
    found.push(...(await filter(seqs, limit - found.length)));
    if (seqs.length < CANDIDATES_AT_ONCE) break;
    before = seqs.at(-1) ?? 0;
  }
  // Some may have changed meanwhile.
  const memories = await readMemories(db, SHOWN_SEQS, [...shown, listParameter(found)]);
  const still = new Set(await filter(memories.map(({ seq }) => seq)));
  return memories.filter(({ seq }) => still.has(seq));
}

/** With the organisation, because tags are unique only within one. */
function inContainer(organizationId: string, tag: string) {
  return sql<boolean>`(containers.organization_id = ${organizationId} and containers.tag = ${tag})`;
}
