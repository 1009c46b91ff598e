import type { Memory } from "../types.js";

/** The id shared by all versions of a memory: that of the first. */
export function firstVersionId({ id, rootId }: Pick<Memory, "id" | "rootId">): string {
  return rootId ?? id;
}
