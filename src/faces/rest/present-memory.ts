import * as z from "zod";
import type { Memory } from "../../core/types.js";
import { anyMetadata, dateTime } from "./schemas.js";

/** An item of the answer to `POST /v4/memories` (contract.md §5.1). */
export const createdMemory = z.object({
  id: z.string().length(22),
  memory: z.string(),
  isStatic: z.boolean(),
  createdAt: dateTime,
  forgetAfter: z.string().nullable(),
  forgetReason: z.string().nullable(),
  metadata: anyMetadata,
});
type CreatedMemory = z.infer<typeof createdMemory>;

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
