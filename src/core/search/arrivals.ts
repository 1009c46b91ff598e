import { sleep } from "../../lib/time.js";
import type { CoreContext } from "../context.js";

/** How long to wait for documents that were just added, in milliseconds; they usually need a tenth of that. */
const PATIENCE_MS = 200;
const LOOK_EVERY_MS = 10;

interface Findings {
  readonly results: readonly unknown[];
  readonly waiting: number;
}

/**
 * Searches again if nothing was found while documents were still being processed, so that a client can add and then search at
 * once.
 * @param tagsOf gives the containers that are searched
 */
export async function afterArrivals<T extends Findings>(
  { store, limits }: Pick<CoreContext, "store" | "limits">,
  tagsOf: () => "all" | readonly string[],
  answer: () => Promise<T>,
): Promise<T> {
  const first = await answer();
  if (first.results.length > 0 || first.waiting === 0) return first;
  const tags = tagsOf();
  // Documents that wait for a quiet moment to be understood are already searchable.
  const count = () =>
    limits.dreamQuiet > 0
      ? store.documents.countUnsearchable(store.organizationId, tags)
      : store.documents.countWaiting(store.organizationId, tags);
  const deadline = performance.now() + PATIENCE_MS;
  while (performance.now() < deadline && (await count()) > 0) await sleep(LOOK_EVERY_MS);
  return answer();
}
