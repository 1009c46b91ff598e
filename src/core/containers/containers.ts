import * as z from "zod";
import { createId } from "../../lib/ids.js";
import { maySee, ownsAll, reachableContainers, requireContainer } from "../auth.js";
import type { AuthorizedCall, CoreContext } from "../context.js";
import { AppError, notFound } from "../errors.js";
import {
  checkMetadataSize,
  containerTagSchema,
  filepathSchema,
  noteSchema,
  parseInput,
  textSchema,
  timeZoneSchema,
} from "../input.js";
import { refuseMerging } from "./merge.js";
import { runOnce } from "../operations.js";
import type { ContainerChange, Repositories } from "../ports.js";
import { profileBucketsSchema } from "../profile/profile-buckets.js";
import type { Actor, Container, ContainerSummary, Merge } from "../types.js";

/** A container as a list shows it. */
export interface ListedContainer extends ContainerSummary {
  /** The merge it takes part in, if any; `targetTag` is omitted when the caller may not see that container. */
  readonly merge: { readonly id: string; readonly role: "source" | "target"; readonly targetTag?: string } | null;
}

/** All containers that the caller may see, most recent activity first, then by name. */
export async function listContainers(
  { store }: CoreContext,
  { actor }: AuthorizedCall,
): Promise<{ containers: ListedContainer[] }> {
  const containers = await store.containers.list(actor.organizationId, reachableContainers(actor, undefined));
  const merges = await store.merges.open(actor.organizationId);
  const listed = containers.map((container) => ({ ...container, merge: mergeOf(actor, merges, container.tag) }));
  return { containers: listed.toSorted(byActivity) };
}

function mergeOf(actor: Actor, merges: readonly Merge[], tag: string): ListedContainer["merge"] {
  const merge = merges.find(({ sourceTags, targetTag }) => targetTag === tag || sourceTags.includes(tag));
  if (!merge) return null;
  const { id, targetTag } = merge;
  return { id, role: targetTag === tag ? "target" : "source", ...(maySee(actor, [targetTag]) && { targetTag }) };
}

function byActivity(left: ContainerSummary, right: ContainerSummary): number {
  const [older, newer] = [left.lastActivityAt ?? "", right.lastActivityAt ?? ""];
  if (older !== newer) return older < newer ? 1 : -1;
  const [one, other] = [left.name ?? left.tag, right.name ?? right.tag];
  if (one === other) return left.id - right.id;
  return one < other ? -1 : 1;
}

export const containerByTagSchema = z.object({ containerTag: containerTagSchema });

/** @throws AppError `not_found` for a tag that was never used or was deleted, `forbidden` for one the actor may not use */
export async function getContainer(
  { store }: CoreContext,
  { actor }: AuthorizedCall,
  raw: unknown,
): Promise<ContainerSummary> {
  const { containerTag } = parseInput(containerByTagSchema, raw);
  requireContainer(actor, containerTag);
  const [container] = await store.containers.list(actor.organizationId, [containerTag]);
  if (!container) throw notFound("container", containerTag);
  return container;
}

/** The number of paths is limited because every new document is compared with them. */
const MAX_PATHS = 1_000;

export const updateContainerSchema = z.object({
  containerTag: containerTagSchema,
  name: textSchema({ maxLength: 100 }).optional(),
  entityContext: noteSchema(1_500).nullish(),
  memoryFilesystemPaths: z
    .array(filepathSchema, "must be an array of paths")
    .max(MAX_PATHS, `must have at most ${MAX_PATHS} entries`)
    .nullish(),
  profileBuckets: profileBucketsSchema.optional(),
  timezone: timeZoneSchema.nullish(),
});

/**
 * Changes the details of a container, and creates it if there is none (contract 5.4). Absent fields stay, null clears.
 * @throws AppError `forbidden` when a restricted caller sets buckets, `conflict` while the container is being merged away
 */
export async function updateContainer(context: CoreContext, call: AuthorizedCall, raw: unknown): Promise<Container> {
  const { containerTag, ...change } = parseInput(updateContainerSchema, raw);
  const { actor } = call;
  requireContainer(actor, containerTag);
  if (change.profileBuckets && actor.containers !== "all")
    throw new AppError("forbidden", "This key may not define profile buckets. Use a key of the whole organisation.");
  checkMetadataSize("memoryFilesystemPaths", change.memoryFilesystemPaths, context.limits);
  return runOnce(context, call, "updateContainer", async (repositories) => {
    await refuseMerging(repositories, actor, [containerTag]);
    return changeContainer(repositories, actor, containerTag, definedFields(change));
  });
}

/** Writes a change with its journal entry, inside a transaction. */
export async function changeContainer(
  repositories: Repositories,
  actor: Actor,
  tag: string,
  change: ContainerChange,
): Promise<Container> {
  const { organizationId } = actor;
  const before = await repositories.containers.get(organizationId, tag);
  const container = await repositories.containers.update(organizationId, tag, {
    ...change,
    ...authorOf(actor, change),
  });
  await noteContainer(repositories, actor, container, {
    action: before ? "container.updated" : "container.added",
    before: before && pick(before, change),
    after: change,
  });
  return container;
}

/** Whoever gives a container guidance is recorded as its author. */
function authorOf(actor: Actor, { entityContext }: ContainerChange): Pick<ContainerChange, "entityContextBy"> {
  if (typeof entityContext !== "string") return {};
  return {
    entityContextBy: { name: actor.isKeyless ? "a caller without a key" : actor.name, isOwner: ownsAll(actor) },
  };
}

function definedFields(change: Omit<z.output<typeof updateContainerSchema>, "containerTag">): ContainerChange {
  return {
    ...(change.name !== undefined && { name: change.name.trim() }),
    ...(change.entityContext !== undefined && { entityContext: change.entityContext }),
    ...(change.memoryFilesystemPaths !== undefined && { memoryFilesystemPaths: change.memoryFilesystemPaths }),
    ...(change.profileBuckets !== undefined && { profileBuckets: change.profileBuckets }),
    ...(change.timezone !== undefined && { timeZone: change.timezone }),
  };
}

function pick(container: Container, change: ContainerChange): ContainerChange {
  return Object.fromEntries(Object.entries(container).filter(([key]) => Object.hasOwn(change, key)));
}

/** Records a change of a container in the journal. */
export async function noteContainer(
  repositories: Pick<Repositories, "journal">,
  actor: Actor,
  container: Pick<Container, "uid" | "tag">,
  { action, before, after }: { action: string; before: unknown; after: unknown },
): Promise<void> {
  await repositories.journal.append(actor.organizationId, [
    {
      batchId: createId(),
      actor: actor.name,
      action,
      subject: "container",
      subjectId: container.uid,
      containerTag: container.tag,
      cause: null,
      before,
      after,
    },
  ]);
}
