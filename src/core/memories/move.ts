import { createId } from "../../lib/ids.js";
import { later } from "./expiry.js";
import { forgetBatch } from "./forget.js";
import { noteMemory, type SourceLink } from "./memory-state.js";
import { joinedTo } from "./set-aside.js";
import type { ContainerRow, Repositories } from "../ports.js";
import { unitOf, type Actor, type Memory } from "../types.js";

/**
 * Moves memories to another container inside a transaction: row, text index, vectors and journal. A memory whose text is
 * already active there is forgotten, after its sources and strength are transferred to the existing one.
 */
export async function moveMemories(
  repositories: Repositories,
  actor: Actor,
  memories: readonly Memory[],
  target: ContainerRow,
  reason: string,
): Promise<void> {
  const batchId = createId();
  for (const memory of memories) {
    const twin = isActive(memory)
      ? await repositories.memories.byText(actor.organizationId, target.tag, memory.text)
      : null;
    const before =
      twin && twin.id !== memory.id ? await joinTwin(repositories, actor, memory, { twin, batchId }) : memory;
    await repositories.memories.move(actor.organizationId, memory.id, target.id);
    // Older versions are in no index.
    if (memory.isLatest) await repositories.units.rescope(unitOf("memory", memory.seq), [target.id]);
    const noted = { batchId, action: "memory.moved", cause: reason };
    await noteMemory(repositories, actor, noted, { before, after: { id: memory.id } });
  }
}

function isActive(memory: Memory): boolean {
  return memory.isLatest && !memory.isForgotten;
}

/**
 * Merges two memories that say the same: what the first knew is kept with the second.
 * @returns the first, forgotten
 */
async function joinTwin(
  repositories: Repositories,
  actor: Actor,
  memory: Memory,
  { twin, batchId }: { readonly twin: Memory; readonly batchId: string },
): Promise<Memory> {
  const { organizationId } = actor;
  const linked: SourceLink[] = [];
  for (const { documentId } of await repositories.memories.sources(organizationId, [memory.id]))
    if (await repositories.memories.addSource(organizationId, twin.id, documentId, null))
      linked.push({ documentId, quote: null });
  await repositories.memories.update(organizationId, twin.id, {
    strength: twin.strength + memory.strength,
    isStatic: twin.isStatic || memory.isStatic,
    forgetAfter: later(twin.forgetAfter, memory.forgetAfter),
    ownForgetAfter: later(twin.ownForgetAfter, memory.ownForgetAfter),
  });
  const noted = { batchId, action: "memory.merged", cause: `the same as memory ${memory.id}`, linked };
  await noteMemory(repositories, actor, noted, { before: twin, after: { id: twin.id } });
  await forgetBatch(repositories, actor, [memory], { reason: joinedTo(twin.id), batchId });
  return (await repositories.memories.byId(organizationId, memory.id)) ?? memory;
}
