import { type Kysely, type Selectable, sql } from "kysely";
import type { MemoryChange } from "../../core/ports.js";
import type { BucketVerdict, Memory } from "../../core/types.js";
import { readRows, type Value } from "./fixed-query.js";
import { fromJson, toJson } from "./json.js";
import { columnsOfTable, packedRows } from "./packed-rows.js";
import type { Database } from "./schema.js";

/** A memory as selected. */
export type MemoryRow = Selectable<Database["memories"]> & { tag: string; source_count: number };

/** Deleted documents are no longer sources, so this counts the documents that still state the fact. */
const SOURCE_COUNT_SQL = "(select count(*) from memory_sources ms where ms.memory_id = memories.id)";
const SOURCE_COUNT = sql.raw<number>(SOURCE_COUNT_SQL).as("source_count");

const OWN_COLUMNS = columnsOfTable("memories", [
  "seq",
  "id",
  "organization_id",
  "container_id",
  "text",
  "text_key",
  "version",
  "is_latest",
  "parent_id",
  "root_id",
  "kind",
  "is_static",
  "is_inference",
  "is_forgotten",
  "forget_after",
  "own_forget_after",
  "forget_reason",
  "strength",
  "origin",
  "metadata",
  "entities",
  "buckets",
  "created_at",
  "updated_at",
]);

/** Memories joined with their containers. */
export const WHOLE_MEMORIES = packedRows<MemoryRow>({
  ...OWN_COLUMNS,
  tag: "containers.tag",
  source_count: SOURCE_COUNT_SQL,
});

/** New memories, for the `returning` clause of an insert. */
export const NEW_MEMORIES = packedRows<MemoryRow>({
  ...OWN_COLUMNS,
  tag: "(select c.tag from containers c where c.id = memories.container_id)",
  source_count: "0",
});

/** The beginning of a statement for whole memories of an organisation, its first parameter; each memory is one text `memory`. */
export const SELECT_WHOLE = `select ${WHOLE_MEMORIES.expression} as memory
  from memories join containers on containers.id = memories.container_id
  where memories.organization_id = ?1`;

/** The memories of a statement that returns one per row, as the text `memory`. */
export async function readMemories(
  db: Kysely<Database>,
  statement: string,
  parameters: readonly Value[],
): Promise<Memory[]> {
  const rows = await readRows<{ memory: string }>(db, statement, parameters);
  return rows.map(({ memory }) => memoryOf(WHOLE_MEMORIES.unpack(memory)));
}

/** Memories of an organisation with the tag of their container. */
export function selectMemories(db: Kysely<Database>, organizationId: string) {
  return db
    .selectFrom("memories")
    .innerJoin("containers", "containers.id", "memories.container_id")
    .selectAll("memories")
    .select(["containers.tag as tag", SOURCE_COUNT])
    .where("memories.organization_id", "=", organizationId);
}

/** The columns that a change sets. */
export function columnsOf(change: MemoryChange): Partial<Selectable<Database["memories"]>> {
  const columns: Partial<Selectable<Database["memories"]>> = {};
  if (change.isLatest !== undefined) columns.is_latest = change.isLatest ? 1 : 0;
  if (change.isForgotten !== undefined) columns.is_forgotten = change.isForgotten ? 1 : 0;
  if (change.forgetAfter !== undefined) columns.forget_after = change.forgetAfter;
  const { forgetAfter, ownForgetAfter = forgetAfter } = change;
  if (ownForgetAfter !== undefined) columns.own_forget_after = ownForgetAfter;
  if (change.forgetReason !== undefined) columns.forget_reason = change.forgetReason;
  if (change.isInference !== undefined) columns.is_inference = change.isInference ? 1 : 0;
  if (change.isStatic !== undefined) columns.is_static = change.isStatic ? 1 : 0;
  if (change.strength !== undefined) columns.strength = change.strength;
  if (change.metadata !== undefined) columns.metadata = toJson(change.metadata);
  if (change.entities !== undefined) columns.entities = toJson(change.entities);
  if (change.buckets !== undefined) columns.buckets = toJson(change.buckets);
  if (change.lineage) {
    columns.parent_id = change.lineage.parentId;
    columns.root_id = change.lineage.rootId;
    columns.version = change.lineage.version;
  }
  return columns;
}

/** Only this file writes the columns, so the narrow types are certain. */
export function memoryOf(row: MemoryRow): Memory {
  return {
    seq: row.seq,
    id: row.id,
    // A deleted container has given up its tag.
    containerTag: row.tag.replace(/#\d+$/, ""),
    text: row.text,
    version: row.version,
    isLatest: row.is_latest === 1,
    parentId: row.parent_id,
    rootId: row.root_id,
    kind: row.kind as Memory["kind"],
    isStatic: row.is_static === 1,
    isInference: row.is_inference === 1,
    isForgotten: row.is_forgotten === 1,
    forgetAfter: row.forget_after,
    ownForgetAfter: row.own_forget_after,
    forgetReason: row.forget_reason,
    sourceCount: row.source_count,
    strength: row.strength,
    origin: row.origin as Memory["origin"],
    metadata: fromJson(row.metadata),
    ...(row.entities !== null && { entities: fromJson<string[]>(row.entities) ?? [] }),
    ...(row.buckets !== null && { buckets: JSON.parse(row.buckets) as BucketVerdict }),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
