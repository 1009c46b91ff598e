import type { Memory } from "../types.js";

/** The id that all versions of a memory share: that of the first. */
export function rootOf({ id, rootId }: Pick<Memory, "id" | "rootId">): string {
  return rootId ?? id;
}
