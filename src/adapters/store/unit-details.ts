import { type Kysely, sql } from "kysely";
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

async function chunkDetails(
  db: Kysely<Database>,
  { organizationId, scope }: { organizationId: string; scope: UnitScope },
  seqs: readonly number[],
): Promise<UnitDetail[]> {
  const rows = await db
    .selectFrom("chunks")
    .innerJoin("documents", "documents.id", "chunks.document_id")
    .innerJoin("document_containers", "document_containers.document_id", "documents.id")
    .select(["chunks.seq", "chunks.id", "chunks.document_id", "chunks.position", "chunks.content", "chunks.metadata"])
    .select("document_containers.container_id")
    .where(ofOrganization(organizationId))
    .where(isOneOf("chunks.seq", seqs))
    .where(isOneOf("document_containers.container_id", scope.containerIds))
    .execute();
  const byUnit = new Map<Unit, UnitDetail>();
  for (const row of rows)
    byUnit.set(unitOf("chunk", row.seq), {
      unit: unitOf("chunk", row.seq),
      id: row.id,
      containerId: row.container_id,
      text: row.content,
      chunk: {
        documentId: row.document_id,
        position: row.position,
        metadata: fromJson<NonNullable<Chunk["metadata"]>>(row.metadata),
      },
      memory: null,
      documentIds: [row.document_id],
    });
  return [...byUnit.values()];
}

async function memoryDetails(
  db: Kysely<Database>,
  { organizationId, scope, now }: { organizationId: string; scope: UnitScope; now: Date },
  seqs: readonly number[],
): Promise<UnitDetail[]> {
  let query = db
    .selectFrom("memories")
    .select([
      "seq",
      "id",
      "container_id",
      "text",
      "metadata",
      "is_inference",
      "kind",
      "is_static",
      "strength",
      "created_at",
    ])
    .where(sql<boolean>`+organization_id = ${organizationId}`)
    .where(isOneOf("seq", seqs))
    .where(isOneOf("+container_id", scope.containerIds))
    .where(sql<boolean>`+is_latest = 1`);
  if (!scope.includeForgotten)
    query = query
      .where(sql<boolean>`+is_forgotten = 0`)
      .where(sql<boolean>`(forget_after is null or forget_after > ${iso(now)})`);
  const rows = await query.execute();
  const sources = await sourcesOf(db, seqs);
  return rows.map((row) => ({
    unit: unitOf("memory", row.seq),
    id: row.id,
    containerId: row.container_id,
    text: row.text,
    chunk: null,
    memory: {
      metadata: fromJson<NonNullable<Memory["metadata"]>>(row.metadata),
      isInference: row.is_inference === 1,
      kind: row.kind as Memory["kind"],
      isStatic: row.is_static === 1,
      strength: row.strength,
      createdAt: row.created_at,
      quotes: (sources.get(row.seq) ?? []).flatMap(({ documentId, quote }) =>
        quote === null ? [] : [{ documentId, text: quote }],
      ),
    },
    documentIds: (sources.get(row.seq) ?? []).map(({ documentId }) => documentId),
  }));
}

interface Source {
  readonly documentId: string;
  readonly quote: string | null;
}

/** Documents that state each memory, with the words in which they do, oldest link first. */
async function sourcesOf(db: Kysely<Database>, seqs: readonly number[]): Promise<Map<number, Source[]>> {
  const rows = await db
    .selectFrom("memories")
    .innerJoin("memory_sources", "memory_sources.memory_id", "memories.id")
    .select(["memories.seq", "memory_sources.document_id", "memory_sources.quote"])
    .where(isOneOf("memories.seq", seqs))
    .orderBy("memory_sources.added_at")
    .execute();
  const sources = new Map<number, Source[]>();
  for (const { seq, document_id: documentId, quote } of rows) {
    const known = sources.get(seq);
    if (known) known.push({ documentId, quote });
    else sources.set(seq, [{ documentId, quote }]);
  }
  return sources;
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
