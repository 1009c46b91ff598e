import { createId } from "../lib/ids.js";
import type { StoreNouns } from "./ports.js";
import { unitOf, type Actor, type Memory } from "./types.js";

/** Forgets memories softly, inside a transaction: they leave search, and stay in the record with the reason. */
export async function forgetMemories(
  nouns: StoreNouns,
  actor: Actor,
  memories: readonly Memory[],
  reason: string,
): Promise<void> {
  const batchId = createId();
  for (const memory of memories) {
    const [container] = await nouns.containers.find(actor.organizationId, [memory.containerTag]);
    await nouns.memories.update(actor.organizationId, memory.id, { isForgotten: true, forgetReason: reason });
    if (container) await nouns.units.setForgotten(unitOf("memory", memory.seq), container.id, true);
    await nouns.journal.append(actor.organizationId, [
      {
        batchId,
        actor: actor.name,
        action: "memory.forgotten",
        subject: "memory",
        subjectId: memory.id,
        containerTag: memory.containerTag,
        cause: reason,
        before: { isForgotten: false, forgetReason: memory.forgetReason },
        after: { isForgotten: true, forgetReason: reason },
      },
    ]);
  }
}
