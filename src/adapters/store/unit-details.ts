import type { Kysely } from "kysely";
import type { UnitDetail, UnitScope, WholeUnit } from "../../core/ports.js";
import { kindOf, seqOf, unitOf, type ChunkMetadata, type Memory, type Unit } from "../../core/types.js";
import { iso } from "../../lib/time.js";
import { chunkOf, type ChunkColumns } from "./chunks.js";
import type { DetailCache, HeldDetail } from "./detail-cache.js";
import { readPacked } from "./fixed-query.js";
import { listParameter } from "./json.js";
import { memoryOf, WHOLE_MEMORIES } from "./memory-rows.js";
import { columnsOfTable, type PackedRows, packedRows } from "./packed-rows.js";
import { readStatements } from "./passage-statements.js";
import type { Database } from "./schema.js";
import { chunkMetadataOf, type Stored } from "./stranger-mark.js";

function seqsOf(units: readonly Unit[], kind: "chunk" | "memory"): number[] {
  return units.filter((unit) => kindOf(unit) === kind).map(seqOf);
}

interface Within {
  readonly organizationId: string;
  readonly scope: UnitScope;
  readonly now: Date;
}

/** What ranking reads of hundreds of candidates: as few columns as it needs, and nothing twice while nothing changes. */
export async function readDetails(
  db: Kysely<Database>,
  cache: DetailCache | undefined,
  within: Within,
  units: readonly Unit[],
): Promise<UnitDetail[]> {
  const { scope, organizationId } = within;
  // Forgotten units are rarely asked for.
  const known = scope.includeForgotten ? undefined : cache?.known(organizationId);
  const unknown = known ? units.filter((unit) => !known.has(unit)) : units;
  const read = async () =>
    (
      await Promise.all([
        readChunks(db, within, seqsOf(unknown, "chunk")),
        readMemories(db, within, seqsOf(unknown, "memory")),
      ])
    ).flat();
  const found = known && cache && unknown.length > 0 ? await cache.learn(organizationId, unknown, read) : await read();
  const fresh = new Map(found.map((held) => [held.detail.unit, held]));
  const inScope = new Set(scope.containerIds);
  const moment = iso(within.now);
  const details: UnitDetail[] = [];
  for (const unit of units) {
    const held = fresh.get(unit) ?? known?.get(unit);
    if (!held || (held.forgetAfter !== null && held.forgetAfter <= moment && !scope.includeForgotten)) continue;
    const { detail } = held;
    const containerId = held.containerIds.find((id) => inScope.has(id));
    if (containerId === undefined) continue;
    details.push(containerId === detail.containerId ? detail : { ...detail, containerId });
  }
  return details;
}

type ChunkRow = readonly [
  seq: number,
  id: string,
  documentId: string,
  position: number,
  content: string,
  metadata: Stored<ChunkMetadata> | null,
  containerIds: readonly number[],
  forgetAfter: string | null,
  mayBeOutdated: number | boolean,
];

async function readChunks(
  db: Kysely<Database>,
  { organizationId }: Within,
  seqs: readonly number[],
): Promise<HeldDetail[]> {
  if (seqs.length === 0) return [];
  const rows = await readPacked<ChunkRow>(db, CHUNKS, [organizationId, listParameter(seqs)]);
  // Only a few documents have statements that may be outdated.
  const documentIds = rows.flatMap(([, , documentId, , , , , , mayBeOutdated]) => (mayBeOutdated ? [documentId] : []));
  const stated = await readStatements(db, organizationId, documentIds);
  return rows.map(([seq, id, documentId, position, text, storedMetadata, containerIds, forgetAfter]) => {
    const statements = stated.get(documentId);
    const metadata = chunkMetadataOf(storedMetadata);
    return {
      detail: {
        unit: unitOf("chunk", seq),
        id,
        containerId: containerIds[0] ?? 0,
        text,
        chunk: statements ? { documentId, position, metadata, statements } : { documentId, position, metadata },
        memory: null,
        documentIds: [documentId],
      },
      containerIds,
      forgetAfter,
    };
  });
}

type MemoryRow = readonly [
  seq: number,
  id: string,
  containerId: number,
  text: string,
  forgetAfter: string | null,
  metadata: Memory["metadata"],
  isInference: number,
  kind: Memory["kind"],
  isStatic: number,
  strength: number,
  createdAt: string,
  sources: readonly (readonly [documentId: string, quote: string | null])[],
];

async function readMemories(
  db: Kysely<Database>,
  { organizationId, scope }: Within,
  seqs: readonly number[],
): Promise<HeldDetail[]> {
  if (seqs.length === 0) return [];
  const parameters = [organizationId, listParameter(seqs), scope.includeForgotten ? 1 : 0];
  const rows = await readPacked<MemoryRow>(db, MEMORIES, parameters);
  return rows.map(([seq, id, containerId, text, forgetAfter, metadata, isInference, kind, isStatic, ...rest]) => {
    const [strength, createdAt, sources] = rest;
    return {
      detail: {
        unit: unitOf("memory", seq),
        id,
        containerId,
        text,
        chunk: null,
        memory: {
          metadata,
          isInference: isInference === 1,
          kind,
          isStatic: isStatic === 1,
          strength,
          createdAt,
          quotes: sources.flatMap(([documentId, quote]) => (quote === null ? [] : [{ documentId, text: quote }])),
        },
        documentIds: sources.map(([documentId]) => documentId),
      },
      containerIds: [containerId],
      forgetAfter,
    };
  });
}

// Hundreds of rows in every search: as one text they cost half of what they cost as an object each.
const CHUNKS = `select json_group_array(json_array(chunks.seq, chunks.id, chunks.document_id, chunks.position,
    chunks.content, json(chunks.metadata), json((select json_group_array(container_id) from document_containers
      where document_containers.document_id = chunks.document_id)), documents.forget_after,
    exists (select 1 from memory_sources where document_id = chunks.document_id and may_be_over = 1))) as packed
  from chunks
  join documents on documents.id = chunks.document_id
  where +documents.organization_id = ?1
    and chunks.seq in (select cast(value as bigint) from json_each(?2))`;
/** The documents that state a memory, with the words that state it, oldest link first. */
const SOURCES = `json((select json_group_array(json_array(document_id, quote)) from
  (select document_id, quote from memory_sources where memory_id = memories.id order by added_at)))`;
/** The only part needed of a memory's metadata: the rest may be long. */
const METADATA = `case when instr(metadata, '"temporalContext"') > 0
  then json_object('temporalContext', metadata -> '$.temporalContext') end`;
const MEMORIES = `select json_group_array(json_array(seq, id, container_id, text, forget_after, ${METADATA}, is_inference,
    kind, is_static, strength, created_at, ${SOURCES})) as packed
  from memories
  where +organization_id = ?1
    and seq in (select cast(value as bigint) from json_each(?2))
    and +is_latest = 1
    and (?3 = 1 or +is_forgotten = 0)`;

const WHOLE_CHUNKS = packedRows<ChunkColumns>(
  columnsOfTable("chunks", [
    "seq",
    "id",
    "document_id",
    "revision",
    "position",
    "content",
    "context",
    "metadata",
    "created_at",
  ]),
);
const SELECT_CHUNKS = `select json_group_array(${WHOLE_CHUNKS.expression}) as packed
  from chunks
  join documents on documents.id = chunks.document_id
  where +documents.organization_id = ?1
    and chunks.seq in (select cast(value as bigint) from json_each(?2))`;
const SELECT_MEMORIES = `select json_group_array(${WHOLE_MEMORIES.expression}) as packed
  from memories
  join containers on containers.id = memories.container_id
  where +memories.organization_id = ?1
    and memories.seq in (select cast(value as bigint) from json_each(?2))`;

/** A few units in full, for display. */
export async function loadUnits(
  db: Kysely<Database>,
  organizationId: string,
  units: readonly Unit[],
): Promise<WholeUnit[]> {
  const read = async <Row>(rows: PackedRows<Row>, statement: string, kind: "chunk" | "memory"): Promise<Row[]> => {
    const seqs = seqsOf(units, kind);
    return seqs.length === 0 ? [] : rows.read(db, statement, [organizationId, listParameter(seqs)]);
  };
  const [chunks, memories] = await Promise.all([
    read(WHOLE_CHUNKS, SELECT_CHUNKS, "chunk"),
    read(WHOLE_MEMORIES, SELECT_MEMORIES, "memory"),
  ]);
  return [
    ...chunks.map((row) => ({ unit: unitOf("chunk", row.seq), chunk: chunkOf(row), memory: null })),
    ...memories.map((row) => ({ unit: unitOf("memory", row.seq), chunk: null, memory: memoryOf(row) })),
  ];
}
