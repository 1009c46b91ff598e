import * as z from "zod";
import type { MemoryEntry } from "../../../core/index.js";
import type { Memory, Relation } from "../../../core/types.js";
import { anyMetadata, dateTime } from "../schemas.js";
import { presentMetadata } from "./present-metadata.js";

const id = z.string().length(22);
const memoryMetadata = anyMetadata.describe(
  "Any metadata. `temporalContext` has the days that the memory is about (`eventDate`); the dates that its source does not give in full (`completed`: `said`, the words; `date`, how they were understood, in ISO 8601 format; `parts`, what they leave out: `day`, `month`, `year`); and days and months whose year nothing decides (`open`: `said`, and the `dates` that it could be).",
);

/** An item of the answer to `POST /v4/memories` (contract 4.1). */
export const createdMemory = z.object({
  id,
  memory: z.string(),
  isStatic: z.boolean(),
  createdAt: dateTime,
  forgetAfter: z.string().nullable(),
  forgetReason: z.string().nullable(),
  metadata: memoryMetadata,
});
type CreatedMemory = z.infer<typeof createdMemory>;

/** A memory that was just created (contract 4.1). */
export function presentCreatedMemory(memory: Memory): CreatedMemory {
  return {
    id: memory.id,
    memory: memory.text,
    isStatic: memory.isStatic,
    createdAt: memory.createdAt,
    forgetAfter: memory.forgetAfter,
    forgetReason: memory.forgetReason,
    metadata: presentMetadata(memory),
  };
}

/** The answer to `PATCH /v4/memories` (contract 4.3). */
export const updatedMemory = z.object({
  id,
  memory: z.string(),
  version: z.int(),
  parentMemoryId: id.nullable(),
  /** The same; the command line reads this field. */
  parentId: id.nullable(),
  rootMemoryId: id.nullable(),
  createdAt: dateTime,
  forgetAfter: z.string().nullable(),
  forgetReason: z.string().nullable(),
  metadata: memoryMetadata,
});

/** A memory and its place among its versions (contract 4.3). */
export function presentUpdatedMemory(memory: Memory): z.infer<typeof updatedMemory> {
  const { isStatic: _isStatic, ...fields } = presentCreatedMemory(memory);
  return {
    ...fields,
    version: memory.version,
    parentMemoryId: memory.parentId,
    parentId: memory.parentId,
    rootMemoryId: memory.rootId,
  };
}

const relations = z.record(z.string(), z.enum(["updates", "extends", "derives"]));

/** Everything about one memory (contract 4.7). */
export const wholeMemory = z.object({
  id,
  memory: z.string(),
  spaceId: id,
  orgId: z.string(),
  version: z.int(),
  isLatest: z.boolean(),
  parentMemoryId: id.nullable(),
  rootMemoryId: id.nullable(),
  memoryRelations: relations,
  sourceCount: z.int(),
  isInference: z.boolean(),
  /** Extension: a turn of a conversation, verbatim. */
  kind: z.literal("statement").optional(),
  isForgotten: z.boolean(),
  isStatic: z.boolean(),
  forgetAfter: z.string().nullable(),
  forgetReason: z.string().nullable(),
  metadata: memoryMetadata,
  createdAt: dateTime,
  updatedAt: dateTime,
});

/** A memory and its relations to older ones (contract 4.7). */
export function presentWholeMemory(
  memory: MemoryEntry["memory"],
  memoryRelations: Readonly<Record<string, Relation>>,
  orgId: string,
): z.infer<typeof wholeMemory> {
  return {
    id: memory.id,
    memory: memory.text,
    spaceId: memory.containerUid,
    orgId,
    version: memory.version,
    isLatest: memory.isLatest,
    parentMemoryId: memory.parentId,
    rootMemoryId: memory.rootId,
    memoryRelations,
    sourceCount: memory.sourceCount,
    isInference: memory.isInference,
    ...(memory.kind === "statement" && { kind: memory.kind }),
    isForgotten: memory.isForgotten,
    isStatic: memory.isStatic,
    forgetAfter: memory.forgetAfter,
    forgetReason: memory.forgetReason,
    metadata: presentMetadata(memory),
    createdAt: memory.createdAt,
    updatedAt: memory.updatedAt,
  };
}

const olderVersion = z.object({
  id,
  memory: z.string(),
  version: z.int(),
  createdAt: dateTime,
  updatedAt: dateTime,
  parentMemoryId: id.nullable(),
  rootMemoryId: id.nullable(),
  isLatest: z.boolean(),
  isForgotten: z.boolean(),
});

/** An item of `POST /v4/memories/list` (contract 4.6). */
export const memoryEntry = wholeMemory.extend({
  /** The metadata under its other name. */
  temporalContext: memoryMetadata,
  history: z.array(olderVersion),
  documentIds: z.array(z.string()),
});

/** An active memory with its older versions and its documents (contract 4.6). */
export function presentMemoryEntry(entry: MemoryEntry, orgId: string): z.infer<typeof memoryEntry> {
  return {
    ...presentWholeMemory(entry.memory, entry.relations, orgId),
    temporalContext: entry.memory.metadata,
    history: entry.history.map(presentOlderVersion),
    documentIds: [...entry.documentIds],
  };
}

function presentOlderVersion(memory: Memory): z.infer<typeof olderVersion> {
  return {
    id: memory.id,
    memory: memory.text,
    version: memory.version,
    createdAt: memory.createdAt,
    updatedAt: memory.updatedAt,
    parentMemoryId: memory.parentId,
    rootMemoryId: memory.rootId,
    isLatest: memory.isLatest,
    isForgotten: memory.isForgotten,
  };
}
