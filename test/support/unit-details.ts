import type { UnitDetail } from "../../src/core/ports.js";
import { unitOf, type ChunkMetadata } from "../../src/core/types.js";

const CREATED = "2024-01-01T00:00:00.000Z";

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
    containerId: 1,
    text: of.text,
    context: "",
    chunk: {
      seq: of.seq,
      id: `chunk ${of.seq}`,
      documentId,
      revision: 1,
      position: of.position ?? of.seq,
      content: of.text,
      context: "",
      type: "text",
      metadata,
      createdAt: CREATED,
    },
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
}): UnitDetail {
  return {
    unit: unitOf("memory", of.seq),
    containerId: 1,
    text: of.text,
    context: "",
    chunk: null,
    memory: {
      seq: of.seq,
      id: `memory ${of.seq}`,
      containerTag: "test",
      text: of.text,
      version: 1,
      isLatest: true,
      parentId: null,
      rootId: null,
      kind: "fact",
      isStatic: false,
      isInference: false,
      isForgotten: false,
      forgetAfter: null,
      forgetReason: null,
      sourceCount: 1,
      strength: 1,
      origin: "user",
      metadata: of.eventDates ? { temporalContext: { eventDate: of.eventDates } } : null,
      createdAt: CREATED,
      updatedAt: CREATED,
    },
    documentIds: [of.documentId ?? `document ${of.seq}`],
  };
}
