import { CompiledQuery, type Kysely, sql } from "kysely";
import type { UnitDetail, UnitScope, WholeUnit } from "../../core/ports.js";
import { kindOf, seqOf, unitOf, type Chunk, type Memory, type Unit } from "../../core/types.js";
import { iso } from "../../lib/time.js";
import { chunkOf } from "./chunks.js";
import { ofOrganization } from "./documents.js";
import { fromJson, listParameter } from "./json.js";
import { memoryOf, selectMemories } from "./memory-rows.js";
import type { Database } from "./schema.js";

const isOneOf = (column: string, values: readonly number[]) =>
  sql<boolean>`${sql.raw(column)} in (select value from json_each(${listParameter(values)}))`;

function seqsOf(units: readonly Unit[], kind: "chunk" | "memory"): number[] {
  return units.filter((unit) => kindOf(unit) === kind).map(seqOf);
}

/** What ranking reads of hundreds of candidates: as few columns as it needs. */
export async function readDetails(
  db: Kysely<Database>,
  within: { organizationId: string; scope: UnitScope; now: Date },
  units: readonly Unit[],
): Promise<UnitDetail[]> {
  const chunks = seqsOf(units, "chunk");
  const memories = seqsOf(units, "memory");
  return [
    ...(chunks.length > 0 ? await chunkDetails(db, within, chunks) : []),
    ...(memories.length > 0 ? await memoryDetails(db, within, memories) : []),
  ];
}

type ChunkRow = readonly [
  seq: number,
  id: string,
  documentId: string,
  position: number,
  content: string,
  metadata: string | null,
  containerId: number,
];

async function chunkDetails(
  db: Kysely<Database>,
  { organizationId, scope }: { organizationId: string; scope: UnitScope },
  seqs: readonly number[],
): Promise<UnitDetail[]> {
  const rows = await packedRows<ChunkRow>(db, CHUNKS, [
    organizationId,
    listParameter(seqs),
    listParameter(scope.containerIds),
  ]);
  const byUnit = new Map<Unit, UnitDetail>();
  for (const [seq, id, documentId, position, text, metadata, containerId] of rows)
    byUnit.set(unitOf("chunk", seq), {
      unit: unitOf("chunk", seq),
      id,
      containerId,
      text,
      chunk: { documentId, position, metadata: fromJson<NonNullable<Chunk["metadata"]>>(metadata) },
      memory: null,
      documentIds: [documentId],
    });
  return [...byUnit.values()];
}

type MemoryRow = readonly [
  seq: number,
  id: string,
  containerId: number,
  text: string,
  metadata: string | null,
  isInference: number,
  kind: Memory["kind"],
  isStatic: number,
  strength: number,
  createdAt: string,
  sources: readonly (readonly [documentId: string, quote: string | null])[],
];

async function memoryDetails(
  db: Kysely<Database>,
  { organizationId, scope, now }: { organizationId: string; scope: UnitScope; now: Date },
  seqs: readonly number[],
): Promise<UnitDetail[]> {
  const rows = await packedRows<MemoryRow>(db, MEMORIES, [
    organizationId,
    listParameter(seqs),
    listParameter(scope.containerIds),
    scope.includeForgotten ? 1 : 0,
    iso(now),
  ]);
  return rows.map(
    ([seq, id, containerId, text, metadata, isInference, kind, isStatic, strength, createdAt, sources]) => ({
      unit: unitOf("memory", seq),
      id,
      containerId,
      text,
      chunk: null,
      memory: {
        metadata: fromJson<NonNullable<Memory["metadata"]>>(metadata),
        isInference: isInference === 1,
        kind,
        isStatic: isStatic === 1,
        strength,
        createdAt,
        quotes: sources.flatMap(([documentId, text]) => (text === null ? [] : [{ documentId, text }])),
      },
      documentIds: sources.map(([documentId]) => documentId),
    }),
  );
}

// Hundreds of rows in every search: as one text they cost half of what they cost as an object each.
const CHUNKS = `select json_group_array(json_array(chunks.seq, chunks.id, chunks.document_id, chunks.position,
    chunks.content, chunks.metadata, document_containers.container_id)) as packed
  from chunks
  join documents on documents.id = chunks.document_id
  join document_containers on document_containers.document_id = documents.id
  where +documents.organization_id = ?1
    and chunks.seq in (select value from json_each(?2))
    and document_containers.container_id in (select value from json_each(?3))`;
/** The documents that state a memory, with the words in which they do, oldest link first. */
const SOURCES = `json((select json_group_array(json_array(document_id, quote)) from
  (select document_id, quote from memory_sources where memory_id = memories.id order by added_at)))`;
const MEMORIES = `select json_group_array(json_array(seq, id, container_id, text, metadata, is_inference, kind,
    is_static, strength, created_at, ${SOURCES})) as packed
  from memories
  where +organization_id = ?1
    and seq in (select value from json_each(?2))
    and +container_id in (select value from json_each(?3))
    and +is_latest = 1
    and (?4 = 1 or (+is_forgotten = 0 and (forget_after is null or forget_after > ?5)))`;

async function packedRows<Row>(
  db: Kysely<Database>,
  query: string,
  parameters: readonly (string | number)[],
): Promise<Row[]> {
  const { rows } = await db.executeQuery(CompiledQuery.raw(query, [...parameters]));
  const [row] = rows as { packed: string }[];
  return JSON.parse(row?.packed ?? "[]") as Row[];
}

/** The whole of a few units, to show them. */
export async function loadUnits(
  db: Kysely<Database>,
  organizationId: string,
  units: readonly Unit[],
): Promise<WholeUnit[]> {
  const chunks = await db
    .selectFrom("chunks")
    .innerJoin("documents", "documents.id", "chunks.document_id")
    .selectAll("chunks")
    .where(ofOrganization(organizationId))
    .where(isOneOf("chunks.seq", seqsOf(units, "chunk")))
    .execute();
  const memories = await selectMemories(db, organizationId)
    .where(isOneOf("memories.seq", seqsOf(units, "memory")))
    .execute();
  return [
    ...chunks.map((row) => ({ unit: unitOf("chunk", row.seq), chunk: chunkOf(row), memory: null })),
    ...memories.map((row) => ({ unit: unitOf("memory", row.seq), chunk: null, memory: memoryOf(row) })),
  ];
}
