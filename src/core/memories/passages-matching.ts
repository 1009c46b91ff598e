import type { AuthorizedCall, CoreContext } from "../context.js";
import { searchMemories } from "../search/search.js";
import { tellStating, type StatingDocument } from "./still-stated.js";

/** How many passages are examined. */
const MOST_PASSAGES = 20;

/**
 * Documents of a container whose passages match what is to be forgotten, best first. Forgetting affects only memories: a
 * passage that no memory stands for becomes unfindable only when its document is removed, and whoever forgets must be told.
 * @param input.threshold 0 to 1; absent for that of searches
 */
export async function documentsMatching(
  context: CoreContext,
  call: AuthorizedCall,
  {
    query,
    containerTag,
    threshold,
  }: { query: string; containerTag?: string | undefined; threshold?: number | undefined },
): Promise<StatingDocument[]> {
  const { results } = await searchMemories(context, call, {
    q: query,
    searchMode: "documents",
    limit: MOST_PASSAGES,
    ...(containerTag !== undefined && { containerTags: [containerTag] }),
    ...(threshold !== undefined && { threshold }),
  });
  const holding = results.filter(({ standing }) => standing === undefined).flatMap(({ documents }) => documents);
  const heads = new Map(holding.map((head) => [head.id, head]));
  return [...heads.values()].map((head) => tellStating(head, false));
}
