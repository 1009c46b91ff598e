import { createId } from "../../lib/ids.js";
import { stateOf } from "./memory-state.js";
import type { StoreNouns } from "../ports.js";
import { unitOf, type Actor, type Memory } from "../types.js";

/** Forgets memories softly, inside a transaction: they leave search, and stay in the record with the reason. */
export async function forgetMemories(
  nouns: StoreNouns,
  actor: Actor,
  memories: readonly Memory[],
  reason: string,
): Promise<void> {
  await forgetBatch(nouns, actor, memories, { reason, batchId: createId() });
}

/** Why memories are forgotten, and what is noted of it. */
export interface Forgetting {
  readonly reason: string;
  /** Of the journal's entries. */
  readonly batchId: string;
  /** What the journal calls it; default `memory.forgotten`. */
  readonly action?: string;
  /** Added to the metadata of each memory. */
  readonly metadata?: Readonly<Record<string, unknown>>;
}

/** The same as a batch that the caller names and may mark on the memories. */
export async function forgetBatch(
  nouns: StoreNouns,
  actor: Actor,
  memories: readonly Memory[],
  { reason, batchId, action = "memory.forgotten", metadata }: Forgetting,
): Promise<void> {
  const { organizationId } = actor;
  const tags = [...new Set(memories.map(({ containerTag }) => containerTag))];
  const containers = new Map((await nouns.containers.find(organizationId, tags)).map(({ id, tag }) => [tag, id]));
  const changeOf = (memory: Memory) => ({
    isForgotten: true,
    forgetReason: reason,
    ...(metadata && { metadata: { ...memory.metadata, ...metadata } }),
  });
  for (const memory of memories) {
    const containerId = containers.get(memory.containerTag);
    await nouns.memories.update(organizationId, memory.id, changeOf(memory));
    if (containerId !== undefined) await nouns.units.setForgotten(unitOf("memory", memory.seq), containerId, true);
  }
  await nouns.journal.append(
    organizationId,
    memories.map((memory) => ({
      batchId,
      actor: actor.name,
      action,
      subject: "memory",
      subjectId: memory.id,
      containerTag: memory.containerTag,
      cause: reason,
      before: stateOf(memory),
      after: stateOf({ ...memory, ...changeOf(memory) }),
    })),
  );
}
