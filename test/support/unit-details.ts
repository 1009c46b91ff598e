import type { RankedUnit } from "../../src/core/search/rank.js";
import type { UnitDetail } from "../../src/core/ports.js";
import { unitOf, type ChunkMetadata, type MemoryKind } from "../../src/core/types.js";

/** A chunk as search sees it. */
export function chunkDetail(of: {
  seq: number;
  text: string;
  documentId?: string;
  position?: number;
  speakers?: readonly string[];
  date?: string;
}): UnitDetail {
  const documentId = of.documentId ?? "document";
  const metadata: ChunkMetadata = { ...(of.speakers && { speakers: of.speakers }), ...(of.date && { date: of.date }) };
  return {
    unit: unitOf("chunk", of.seq),
    id: `chunk ${of.seq}`,
    containerId: 1,
    text: of.text,
    chunk: { documentId, position: of.position ?? of.seq, metadata },
    memory: null,
    documentIds: [documentId],
  };
}

/** A memory as search sees it. */
export function memoryDetail(of: {
  seq: number;
  text: string;
  documentId?: string;
  eventDates?: readonly string[];
  isInference?: boolean;
  kind?: MemoryKind;
  strength?: number;
  createdAt?: string;
  /** The words of the document that state it. */
  quote?: string;
}): UnitDetail {
  const documentId = of.documentId ?? `document ${of.seq}`;
  return {
    unit: unitOf("memory", of.seq),
    id: `memory ${of.seq}`,
    containerId: 1,
    text: of.text,
    chunk: null,
    memory: {
      metadata: of.eventDates ? { temporalContext: { eventDate: of.eventDates } } : null,
      isInference: of.isInference ?? false,
      kind: of.kind ?? "fact",
      isStatic: false,
      strength: of.strength ?? 1,
      createdAt: of.createdAt ?? "2024-05-06T07:08:09.000Z",
      quotes: of.quote === undefined ? [] : [{ documentId, text: of.quote }],
    },
    documentIds: [documentId],
  };
}

/** Ranked in this order, with similar scores. */
export function rankedUnits(...details: readonly UnitDetail[]): RankedUnit[] {
  return details.map((detail, place) => ({
    unit: detail.unit,
    detail,
    isHit: true,
    isOutOfDate: false,
    isFurther: false,
    others: [],
    similarity: 0.7 - place / 1_000,
    ownSimilarity: 0.7 - place / 1_000,
    score: 1 - place / 100,
  }));
}
