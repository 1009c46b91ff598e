import { saysAny } from "../../language/find-places.js";
import { tokenise } from "../../language/words.js";
import { type Actor, DOCUMENT_STATUSES, type Memory } from "../types.js";
import type { CoreContext } from "../context.js";

/** Passages checked for one that contains all the words. */
const LOOKED_AT = 300;
/** The most documents considered that are not searchable yet because they are still being processed. */
const PROCESSED = 100;

interface RepeatingOptions {
  readonly within: Actor["containers"];
  readonly known: ReadonlySet<string>;
  readonly signal?: AbortSignal | undefined;
}

/** The texts of memories, and the words they were taken from as long as their documents contain them. */
export async function wordsOfMemories({ store }: CoreContext, memories: readonly Memory[]): Promise<string[]> {
  const ids = memories.map(({ id }) => id);
  const statements = await store.memories.statements(store.organizationId, ids);
  return [...memories.map(({ text }) => text), ...statements.flatMap(({ quote }) => quote ?? [])];
}

/**
 * Documents that contain any of these words, although no memory that says them is known to come from there, because they are
 * only searchable, say it where facts are not looked for, or are in other containers.
 * @param options `within`: the containers to search; `known`: ids of documents already examined
 * @throws the signal's reason
 */
export async function findRepeating(
  { store }: CoreContext,
  quotes: ReadonlySet<string>,
  { within, known, signal }: RepeatingOptions,
): Promise<string[]> {
  const { organizationId } = store;
  const containers = await store.containers.find(organizationId, within);
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
    containerTags: within === "all" ? undefined : within,
    operator: "any",
    statuses: DOCUMENT_STATUSES.filter((status) => status !== "done" && status !== "failed"),
    sort: "createdAt",
    order: "desc",
    offset: 0,
    limit: PROCESSED,
    includeContent: true,
  });
  for (const { id, content } of documents)
    if (!known.has(id) && content !== undefined && (await saysAny(content, [...quotes], signal))) found.add(id);
  return [...found];
}
