import type { MemoryStore } from "../core/ports.js";
import type { Document, FilterCondition, FilterExpression, Metadata } from "../core/types.js";

const MOST_MEMORIES = 20;
const MOST_CHARACTERS = 3_000;

/**
 * What is known in the container of a document, newest first, so that its text is understood: only what matches its
 * `filterByMetadata` (contract.md §3.1), and nothing that waits for review. Nothing for a document of several containers:
 * one of them must not learn what only another knows.
 */
export async function knownFor(
  memories: Pick<MemoryStore, "active">,
  { organizationId, containerTags, filterByMetadata }: Document,
): Promise<string[]> {
  const [tag, ...others] = containerTags;
  if (tag === undefined || others.length > 0) return [];
  const filters = filterByMetadata ? filterOf(filterByMetadata) : undefined;
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

/** Single values match exactly, of several any, and all keys have to. */
function filterOf(metadata: Metadata): FilterExpression {
  return {
    all: Object.entries(metadata).map(([key, value]): FilterExpression =>
      Array.isArray(value) ? { any: value.map((one) => conditionOf(key, one)) } : conditionOf(key, value),
    ),
  };
}

function conditionOf(key: string, value: unknown): FilterCondition {
  const type = typeof value === "number" ? "numeric" : "metadata";
  return { key, value: String(value), type, operator: "=", negate: false, ignoreCase: false };
}
