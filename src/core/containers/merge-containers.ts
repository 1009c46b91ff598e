import * as z from "zod";
import { createId } from "../../lib/ids.js";
import { requireAllContainers } from "../auth.js";
import { noteContainer } from "./containers.js";
import type { AuthorizedCall, CoreContext } from "../context.js";
import { AppError, notFound } from "../errors.js";
import { containerTagSchema, customIdSchema, parseInput } from "../input.js";
import { runOnce } from "../operations.js";
import type { Repositories } from "../ports.js";
import type { Actor, Merge } from "../types.js";

/** A process may die during a large merge; each run continues where the last one stopped. */
const MAX_ATTEMPTS = 50;

export const mergeContainersSchema = z.object({
  containerTags: z
    .array(containerTagSchema, "must be an array of two container tags")
    .refine((tags) => tags.length === 2 && tags[0] !== tags[1], "must name two different containers"),
  /** One of the two, or any other container. */
  targetContainerTag: containerTagSchema,
});

export interface AcceptedMerge {
  readonly id: string;
  readonly sourceTags: readonly string[];
  readonly targetTag: string;
  /** Number of documents to be moved. */
  readonly documents: number;
}

/**
 * Starts moving all documents and memories of the sources into the target; a job does it and then deletes the sources.
 * @throws AppError `not_found` for an unknown tag, `conflict` when one of them is already being merged, `forbidden` for a
 * restricted caller
 */
export async function mergeContainers(
  context: CoreContext,
  call: AuthorizedCall,
  raw: unknown,
): Promise<AcceptedMerge> {
  const input = parseInput(mergeContainersSchema, raw);
  requireAllContainers(call.actor);
  const sourceTags = input.containerTags.filter((tag) => tag !== input.targetContainerTag);
  const accepted = await runOnce(context, call, "mergeContainers", (repositories) =>
    acceptMerge(repositories, call.actor, sourceTags, input.targetContainerTag),
  );
  context.wakeJobs();
  return accepted;
}

/** Records a merge with its job, inside a transaction; see `mergeContainers` for what it throws. */
export async function acceptMerge(
  repositories: Repositories,
  actor: Actor,
  sourceTags: readonly string[],
  targetTag: string,
): Promise<AcceptedMerge> {
  const { organizationId } = actor;
  await refuseInvolved(repositories, organizationId, [...sourceTags, targetTag]);
  const target = await repositories.containers.get(organizationId, targetTag);
  if (!target) throw notFound("container", targetTag);
  const sources = await repositories.containers.list(organizationId, sourceTags);
  for (const tag of sourceTags) if (sources.every((source) => source.tag !== tag)) throw notFound("container", tag);
  const { id } = await repositories.merges.insert(organizationId, { id: createId(), sourceTags, targetTag });
  await repositories.jobs.enqueue([
    {
      kind: "merge-containers",
      payload: { mergeId: id, by: actor.name },
      group: targetTag,
      key: `merge-containers:${id}`,
      maxAttempts: MAX_ATTEMPTS,
    },
  ]);
  await noteContainer(repositories, actor, target, {
    action: "container.merging",
    before: null,
    after: { id, sourceTags },
  });
  const documents = sources.reduce((sum, source) => sum + source.documentCount, 0);
  return { id, sourceTags, targetTag, documents };
}

async function refuseInvolved(
  repositories: Repositories,
  organizationId: string,
  tags: readonly string[],
): Promise<void> {
  for (const { id, sourceTags, targetTag } of await repositories.merges.open(organizationId)) {
    const tag = tags.find((one) => one === targetTag || sourceTags.includes(one));
    if (tag !== undefined)
      throw new AppError(
        "conflict",
        `The container ${tag} is already part of the merge ${id}. Wait until that is done.`,
      );
  }
}

/** The progress of a merge. @throws AppError `not_found` for an unknown one, `forbidden` for a restricted caller */
export async function getMerge({ store }: CoreContext, { actor }: AuthorizedCall, raw: unknown): Promise<Merge> {
  const { id } = parseInput(z.object({ id: customIdSchema }), raw);
  requireAllContainers(actor);
  const merge = await store.merges.byId(actor.organizationId, id);
  if (!merge) throw notFound("merge", id);
  return merge;
}
