import { sleep } from "../../lib/time.js";
import type { CoreContext } from "../context.js";

/** Milliseconds that what was just added is waited for; it mostly takes a tenth of that. */
const PATIENCE_MS = 200;
const LOOK_EVERY_MS = 10;

interface Findings {
  readonly results: readonly unknown[];
  readonly waiting: number;
}

/**
 * Answers once more where nothing was found while something was on its way, so that who adds and then searches finds it.
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
  // What waits for a quiet moment to be understood is searchable already.
  const count = () =>
    limits.dreamQuiet > 0
      ? store.documents.countUnsearchable(store.organizationId, tags)
      : store.documents.countWaiting(store.organizationId, tags);
  const deadline = performance.now() + PATIENCE_MS;
  while (performance.now() < deadline && (await count()) > 0) await sleep(LOOK_EVERY_MS);
  return answer();
}
