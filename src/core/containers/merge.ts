import { maySee } from "../auth.js";
import { AppError } from "../errors.js";
import type { Repositories } from "../ports.js";
import type { Actor } from "../types.js";

/**
 * Blocks writes while their container is being merged into another; call it in the transaction of the write. The target is
 * named only to actors who may see it.
 * @throws AppError `conflict` with `retryAfter` when one of the tags is the source of a running merge
 */
export async function refuseMerging(
  repositories: Pick<Repositories, "merges">,
  actor: Actor,
  tags: readonly string[],
): Promise<void> {
  for (const merge of await repositories.merges.open(actor.organizationId)) {
    const tag = tags.find((one) => merge.sourceTags.includes(one));
    if (tag === undefined) continue;
    const where = maySee(actor, [merge.targetTag]) ? ` into ${merge.targetTag}. Write there, or try` : ". Try";
    throw new AppError("conflict", `The container ${tag} is being merged${where} again in a moment.`, {
      retryAfter: 1,
    });
  }
}

/** @throws AppError `conflict` with `retryAfter` while other containers are being merged into this one */
export async function refuseMergeTarget(
  repositories: Pick<Repositories, "merges">,
  actor: Actor,
  tag: string,
): Promise<void> {
  const merge = (await repositories.merges.open(actor.organizationId)).find(({ targetTag }) => targetTag === tag);
  if (!merge) return;
  const sources = maySee(actor, merge.sourceTags)
    ? merge.sourceTags.filter((one) => maySee(actor, [one]))
    : ["Another"];
  throw new AppError(
    "conflict",
    `${sources.join(", ")} is being merged into the container ${tag}. Try again when that is done.`,
    { retryAfter: 1 },
  );
}
