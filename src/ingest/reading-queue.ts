import type { Document } from "../core/types.js";

/** The queue for reading the file of a document: no container waits for all the files of another. */
export function readingQueueOf({ organizationId, containerTags }: Document): string {
  return `${organizationId} ${containerTags[0] ?? ""}`;
}
