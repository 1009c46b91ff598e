import { saysAny } from "../../lib/find-places.js";
import { tokenise } from "../../lib/words.js";
import { DOCUMENT_STATUSES, type Memory } from "../types.js";
import type { CoreContext } from "../context.js";

/** Passages that are looked at for one that has all the words. */
const LOOKED_AT = 300;
/** Documents that nobody can search yet, because they are still processed. */
const PROCESSED = 100;

/**
 * Documents that say what memories say, word for word, although none of these comes from them, because they are only for
 * searching or say it where facts are not looked for: in the containers of the memories.
 * @param known ids of documents that were looked at
 * @throws the signal's reason
 */
export async function findRepeating(
  { store }: CoreContext,
  memories: readonly Memory[],
  known: ReadonlySet<string>,
  signal?: AbortSignal,
): Promise<string[]> {
  const { organizationId } = store;
  const containerTags = [...new Set(memories.map(({ containerTag }) => containerTag))];
  const statements = await store.memories.statements(
    organizationId,
    memories.map(({ id }) => id),
  );
  const quotes = [...new Set([...memories.map(({ text }) => text), ...statements.flatMap(({ quote }) => quote ?? [])])];
  const containers = await store.containers.find(organizationId, containerTags);
  const scope = { containerIds: containers.map(({ id }) => id), kinds: ["chunk" as const], includeForgotten: false };
  const found = new Set<string>();
  for (const quote of quotes) {
    const words = [...new Set(tokenise(quote))];
    const { hits } = await store.units.searchText(scope, words, { limit: LOOKED_AT });
    const units = hits.map(({ unit }) => unit);
    for (const { chunk, text } of await store.units.details(organizationId, scope, units)) {
      if (!chunk || known.has(chunk.documentId) || found.has(chunk.documentId)) continue;
      if (await saysAny(text, [quote], signal)) found.add(chunk.documentId);
    }
  }
  const { documents } = await store.documents.list(organizationId, {
    containerTags,
    operator: "any",
    statuses: DOCUMENT_STATUSES.filter((status) => status !== "done" && status !== "failed"),
    sort: "createdAt",
    order: "desc",
    offset: 0,
    limit: PROCESSED,
    includeContent: true,
  });
  for (const { id, content } of documents)
    if (!known.has(id) && content !== undefined && (await saysAny(content, quotes, signal))) found.add(id);
  return [...found];
}
