import { contextFilter } from "../core/documents/context-filter.js";
import type { MemoryStore } from "../core/ports.js";
import type { Document } from "../core/types.js";

const MOST_MEMORIES = 20;
const MOST_CHARACTERS = 3_000;

/**
 * What is known in the container of a document, newest first, as context for its text: only what matches its
 * `filterByMetadata` (contract 2.1), and nothing that awaits review. Nothing for a document in several containers: none
 * of them may learn what only another knows.
 */
export async function knownFor(
  memories: Pick<MemoryStore, "active">,
  { organizationId, containerTags, filterByMetadata }: Document,
): Promise<string[]> {
  const [tag, ...others] = containerTags;
  if (tag === undefined || others.length > 0) return [];
  const filters = filterByMetadata ? contextFilter(filterByMetadata) : undefined;
  const found = await memories.active(organizationId, tag, { limit: 2 * MOST_MEMORIES, filters });
  const known: string[] = [];
  let characters = 0;
  for (const { text, isInference } of found) {
    characters += text.length;
    if (known.length === MOST_MEMORIES || characters > MOST_CHARACTERS) break;
    if (!isInference) known.push(text);
  }
  return known;
}
