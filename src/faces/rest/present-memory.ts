import type { Memory } from "../../core/types.js";
import type { CreatedMemory } from "./memories.js";

/** A memory that was just created (contract.md §5.1). */
export function presentCreatedMemory(memory: Memory): CreatedMemory {
  return {
    id: memory.id,
    memory: memory.text,
    isStatic: memory.isStatic,
    createdAt: memory.createdAt,
    forgetAfter: memory.forgetAfter,
    forgetReason: memory.forgetReason,
    metadata: memory.metadata,
  };
}
