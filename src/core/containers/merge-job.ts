import * as z from "zod";
import { createId } from "../../lib/ids.js";
import { yieldTurn } from "../../lib/time.js";
import { followContainers } from "../connections/follow-containers.js";
import { noteContainer } from "./containers.js";
import type { CoreContext } from "../context.js";
import { settleCustomId } from "../documents/custom-ids.js";
import { AppError, RetryLater } from "../errors.js";
import { moveMemories } from "../memories/move.js";
import type { ContainerRow, Job, JobContext, JobStore, Repositories } from "../ports.js";
import type { Actor, Merge, MergeProgress, MergeStatus } from "../types.js";

/** Documents moved per transaction; more would delay other callers. */
const DOCUMENT_BATCH = 10;
const MEMORY_BATCH = 50;
/** How long to wait for documents of the sources to be processed before the merge gives up, in milliseconds. */
const PATIENCE_MS = 60 * 60 * 1_000;

export const mergeJobSchema = z.object({
  mergeId: z.string(),
  /** Name of the actor who asked. */
  by: z.string(),
});
type MergePayload = z.output<typeof mergeJobSchema>;

/** What the steps of one run share. */
interface Run {
  readonly context: CoreContext;
  readonly actor: Actor;
  readonly mergeId: string;
  readonly job: JobContext;
}

/**
 * Carries out a merge in small transactions. An interrupted run is simply restarted: what was moved is no longer in a source,
 * so only the rest is left. The sources are deleted in the commit that finds them empty.
 */
export async function runMerge(context: CoreContext, { mergeId, by }: MergePayload, job: JobContext): Promise<void> {
  const actor: Actor = { organizationId: context.store.organizationId, name: by, containers: "all" };
  const run: Run = { context, actor, mergeId, job };
  await waitForIngest(run);
  while (!(await hasEnded(run))) {
    await moveAll(run);
    await inMerge(run, (repositories, merge) => advance(repositories, run, merge, "db_committing", {}));
    if (await dropSources(run)) break;
  }
  await inMerge(run, async (repositories, merge) => {
    await advance(repositories, run, merge, "completed", {});
    await job.finish(repositories.jobs);
  });
}

/** Runs work in a transaction while the merge is open. @returns null once it has ended */
async function inMerge<T>(run: Run, work: (repositories: Repositories, merge: Merge) => Promise<T>): Promise<T | null> {
  return run.context.store.transaction(async (repositories) => {
    const merge = await repositories.merges.byId(run.actor.organizationId, run.mergeId);
    return merge && isOpen(merge) ? work(repositories, merge) : null;
  });
}

async function hasEnded(run: Run): Promise<boolean> {
  return (await inMerge(run, async () => true)) === null;
}

function isOpen({ status }: Merge): boolean {
  return status !== "completed" && status !== "failed";
}

async function advance(
  repositories: Repositories,
  { actor, mergeId, job }: Run,
  merge: Merge,
  status: MergeStatus,
  progress: Omit<MergeProgress, "phase">,
): Promise<void> {
  const { copiedRows = 0, completedSourceTags = [], withoutCustomId } = merge.progress ?? {};
  await repositories.merges.update(actor.organizationId, mergeId, {
    status,
    progress: {
      copiedRows,
      completedSourceTags,
      withoutCustomId,
      ...progress,
      phase: status,
      attempt: job.job.attempt,
    },
  });
}

/** A document being processed still uses its container; moving it now would lose the results. */
async function waitForIngest(run: Run): Promise<void> {
  const { actor, context } = run;
  const waiting = await inMerge(run, async (repositories, merge) => {
    const inFlightItems = await repositories.documents.countWaiting(actor.organizationId, merge.sourceTags);
    if (inFlightItems === 0) return 0;
    if (context.clock.now().getTime() - Date.parse(merge.createdAt) > PATIENCE_MS)
      throw new AppError(
        "invalid",
        `${inFlightItems} documents of ${merge.sourceTags.join(", ")} were still being processed after an hour. Merge again when they are done or deleted.`,
      );
    await advance(repositories, run, merge, "waiting_for_ingest", { inFlightItems });
    return inFlightItems;
  });
  if (waiting) throw new RetryLater(1, `${waiting} documents are still being processed.`);
}

async function moveAll(run: Run): Promise<void> {
  for (const kind of ["chunk", "memory"] as const)
    for (let isMore = true; isMore;) {
      await yieldTurn(run.job.signal);
      isMore = (await inMerge(run, (repositories, merge) => moveBatch(repositories, run, merge, kind))) ?? false;
    }
}

/**
 * Moves some documents or memories of the first source that has any.
 * @returns false when none has
 */
async function moveBatch(
  repositories: Repositories,
  run: Run,
  merge: Merge,
  kind: "chunk" | "memory",
): Promise<boolean> {
  const { organizationId } = run.actor;
  const [target] = await repositories.containers.find(organizationId, [merge.targetTag]);
  if (!target) throw new AppError("not_found", `The container ${merge.targetTag} no longer exists.`);
  const sources = await repositories.containers.find(organizationId, merge.sourceTags);
  const completedSourceTags: string[] = [];
  for (const source of sources) {
    const { moved, withoutCustomId } =
      kind === "chunk"
        ? await moveDocuments(repositories, run.actor, source, target)
        : await moveAllMemories(repositories, run.actor, source, target);
    if (moved > 0) {
      const copiedRows = (merge.progress?.copiedRows ?? 0) + moved;
      await advance(repositories, run, merge, "copying_vectors", {
        currentSourceTag: source.tag,
        currentKind: kind,
        copiedRows,
        ...(withoutCustomId > 0 && {
          withoutCustomId: (merge.progress?.withoutCustomId ?? 0) + withoutCustomId,
        }),
        ...(kind === "memory" && { completedSourceTags }),
      });
      return true;
    }
    completedSourceTags.push(source.tag);
  }
  return false;
}

async function moveDocuments(
  repositories: Repositories,
  actor: Actor,
  source: ContainerRow,
  target: ContainerRow,
): Promise<{ readonly moved: number; readonly withoutCustomId: number }> {
  const { organizationId } = actor;
  const ids = await repositories.containers.documentsIn(organizationId, source.id, DOCUMENT_BATCH);
  const heads = new Map((await repositories.documents.headsByIds(organizationId, ids)).map((head) => [head.id, head]));
  const batchId = createId();
  let withoutCustomId = 0;
  for (const id of ids) {
    const before = await repositories.containers.ofDocument(organizationId, id);
    const after = before.map((container) => (container.id === source.id ? target : container));
    const containerTags = [...new Set(after.map(({ tag }) => tag))];
    const head = heads.get(id);
    const customId = head && (await settleCustomId(repositories, head, containerTags));
    const isRenamed = head !== undefined && customId !== head.customId;
    if (isRenamed) withoutCustomId += 1;
    await repositories.containers.relocate(organizationId, id, [...new Set(after.map((container) => container.id))]);
    await repositories.journal.append(organizationId, [
      {
        batchId,
        actor: actor.name,
        action: "document.moved",
        subject: "document",
        subjectId: id,
        containerTag: target.tag,
        cause: reasonOf(source, target),
        before: { containerTags: before.map(({ tag }) => tag), ...(isRenamed && { customId: head.customId }) },
        after: { containerTags, ...(isRenamed && { customId }) },
      },
    ]);
  }
  return { moved: ids.length, withoutCustomId };
}

async function moveAllMemories(
  repositories: Repositories,
  actor: Actor,
  source: ContainerRow,
  target: ContainerRow,
): Promise<{ readonly moved: number; readonly withoutCustomId: number }> {
  const memories = await repositories.memories.inContainer(actor.organizationId, source.id, {
    activeOnly: false,
    limit: MEMORY_BATCH,
  });
  await moveMemories(repositories, actor, memories, target, reasonOf(source, target));
  return { moved: memories.length, withoutCustomId: 0 };
}

function reasonOf(source: ContainerRow, target: ContainerRow): string {
  return `the container ${source.tag} was merged into ${target.tag}`;
}

/**
 * Deletes the sources if nothing is left in them.
 * @returns false when something was added meanwhile
 */
async function dropSources(run: Run): Promise<boolean> {
  const { organizationId } = run.actor;
  const isDone = await inMerge(run, async (repositories, merge) => {
    const sources = await repositories.containers.find(organizationId, merge.sourceTags);
    for (const { id } of sources) if (!(await isEmpty(repositories, organizationId, id))) return false;
    for (const { tag } of sources) {
      const container = await repositories.containers.get(organizationId, tag);
      await repositories.containers.remove(organizationId, tag);
      if (container)
        await noteContainer(repositories, run.actor, container, {
          action: "container.merged",
          before: null,
          after: { into: merge.targetTag },
        });
    }
    await followContainers(repositories, organizationId, { from: merge.sourceTags, to: merge.targetTag });
    await advance(repositories, run, merge, "cleanup_pending", { completedSourceTags: merge.sourceTags });
    return true;
  });
  return isDone ?? true;
}

async function isEmpty(repositories: Repositories, organizationId: string, containerId: number): Promise<boolean> {
  const documents = await repositories.containers.documentsIn(organizationId, containerId, 1);
  const memories = await repositories.memories.inContainer(organizationId, containerId, {
    activeOnly: false,
    limit: 1,
  });
  return documents.length === 0 && memories.length === 0;
}

/** Records on the merge that it was given up, and why. What was moved stays where it is; the sources may be used again. */
export async function reportDeadMerge(
  { store }: CoreContext,
  job: Job,
  reason: string,
  bury: (jobs: JobStore) => Promise<void>,
): Promise<void> {
  const payload = mergeJobSchema.safeParse(job.payload);
  if (job.kind !== "merge-containers" || !payload.success) return;
  await store.transaction(async (repositories) => {
    await bury(repositories.jobs);
    const merge = await repositories.merges.byId(store.organizationId, payload.data.mergeId);
    if (!merge || !isOpen(merge)) return;
    await repositories.merges.update(store.organizationId, merge.id, {
      status: "failed",
      lastError: reason,
      progress: { ...merge.progress, phase: "failed" },
    });
  });
}
