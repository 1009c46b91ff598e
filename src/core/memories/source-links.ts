import type { Repositories } from "../ports.js";
import type { Actor } from "../types.js";
import type { SourceLink } from "./memory-state.js";

/** Who changes links, and inside which transaction. */
interface Linking {
  readonly repositories: Repositories;
  readonly actor: Actor;
}

/**
 * Removes links that still exist.
 * @returns them as they were
 */
export async function unlink(
  { repositories, actor }: Linking,
  memoryId: string,
  links: readonly SourceLink[],
): Promise<readonly SourceLink[]> {
  if (links.length === 0) return [];
  const ids = new Set(links.map(({ documentId }) => documentId));
  const statements = await repositories.memories.statements(actor.organizationId, [memoryId]);
  const removed = statements.filter(({ documentId }) => ids.has(documentId));
  for (const { documentId } of removed)
    await repositories.memories.removeSource(actor.organizationId, memoryId, documentId);
  return removed.map(({ documentId, quote, quoteAt }) => ({ documentId, quote, quoteAt }));
}

/**
 * Restores links to documents that still exist.
 * @returns those that were made
 */
export async function linkAgain(
  { repositories, actor }: Linking,
  memoryId: string,
  links: readonly SourceLink[],
): Promise<readonly SourceLink[]> {
  if (links.length === 0) return [];
  const { organizationId } = actor;
  const heads = await repositories.documents.headsByIds(
    organizationId,
    links.map(({ documentId }) => documentId),
  );
  const there = new Set(heads.map(({ id }) => id));
  const made: SourceLink[] = [];
  for (const link of links) {
    const { documentId, quote, quoteAt } = link;
    const quotation = quote === null ? null : { text: quote, at: quoteAt ?? null };
    if (!there.has(documentId)) continue;
    if (await repositories.memories.addSource(organizationId, memoryId, documentId, quotation)) made.push(link);
  }
  return made;
}
