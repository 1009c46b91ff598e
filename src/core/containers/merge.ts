import { AppError } from "../errors.js";
import type { StoreNouns } from "../ports.js";

/**
 * Writes wait while their container is on its way into another one; call it in the transaction of the write.
 * @throws AppError `conflict` with `retryAfter` when one of the tags is the source of a running merge
 */
export async function refuseMerging(
  nouns: Pick<StoreNouns, "merges">,
  organizationId: string,
  tags: readonly string[],
): Promise<void> {
  for (const merge of await nouns.merges.open(organizationId)) {
    const tag = tags.find((one) => merge.sourceTags.includes(one));
    if (tag !== undefined)
      throw new AppError(
        "conflict",
        `The container ${tag} is being merged into ${merge.targetTag}. Write there, or try again in a moment.`,
        { retryAfter: 1 },
      );
  }
}
