import type { Document } from "../core/types.js";

/** Whose turn it is when the file of a document is read: no container waits for all the files of another one. */
export function queueOf({ organizationId, containerTags }: Document): string {
  return `${organizationId} ${containerTags[0] ?? ""}`;
}
