import * as z from "zod";
import { createId, isId } from "../../lib/ids.js";
import { yieldTurn } from "../../lib/time.js";
import { mayChange, requireContainer, requireWhole } from "../auth.js";
import { refuseMergeTarget, refuseMerging } from "../containers/merge.js";
import type { AuthorizedCall, CoreContext } from "../context.js";
import { lookUpDocument } from "../documents/documents.js";
import { notFound } from "../errors.js";
import { containerTagSchema, customIdSchema, invalid, parseInput } from "../input.js";
import { isStatedAlone, letEarlierHold } from "../memories/forget-leaving.js";
import { runOnce } from "../operations.js";
import type { ContainerRow, JobHandler, Repositories } from "../ports.js";
import type { Actor } from "../types.js";
import { purgeMemory, resumeMemory } from "./purge-memory.js";
import {
  type Begun,
  entryOf,
  jobFor,
  leaveRest,
  PATIENCE_MS,
  type Purged,
  type Remainder,
  remainderSchema,
} from "./purge-remainder.js";

export type { Purged };

/** A large store has to be rewritten, and large containers take many batches. */
const TIMEOUT_MS = 6 * 60 * 60 * 1_000;
/** Documents removed per transaction; more would delay other callers. */
const DOCUMENT_BATCH = 50;
const MEMORY_BATCH = 200;

export const purgeSchema = z.object({
  /** Id or customId of a document, or the id of a deleted one. */
  documentId: customIdSchema.optional(),
  /** Id of any version of a memory. */
  memoryId: customIdSchema.optional(),
  containerTag: containerTagSchema.optional(),
  confirm: z.literal(true, "must be true: what is purged cannot be restored"),
});
type PurgeInput = z.output<typeof purgeSchema>;

/**
 * Permanently removes a document, a memory with all its versions, or everything in a container: rows, vectors, files, and the
 * words in the journal, which keeps the fact and time of each change. Gone for every reader before the answer, which usually
 * comes when nothing is left in any file either.
 * A document takes with it what only it states. What a memory says is cut out of the documents that state it, at the place
 * recorded for it and in every sentence or line that says the same; everything else in them stays as it is. Documents of a
 * container that are also in others are only removed from it.
 * @throws AppError `not_found`, `invalid`, `forbidden` for what is also in containers other than the actor's, `conflict` with
 * `retryAfter` while one of its containers is being merged
 */
export async function purge(context: CoreContext, call: AuthorizedCall, raw: unknown): Promise<Purged> {
  const input = parseInput(purgeSchema, raw);
  requireOneSelector(input);
  const { memoryId } = input;
  const begun =
    memoryId === undefined
      ? await runOnce(context, call, "purge", (repositories) => begin(context, repositories, call.actor, input))
      : await purgeMemory(context, call, memoryId);
  for (const id of begun.documentIds) context.events.changed(id);
  const signal = AbortSignal.timeout(PATIENCE_MS);
  const complete = await finishPurge(context, begun.remainder, signal).then(
    () => true,
    (error: unknown) => {
      context.log.warn("a purge will be finished later", {
        reason: error instanceof Error ? error.message : String(error),
      });
      return false;
    },
  );
  context.wakeJobs();
  return { ...begun.counts, complete };
}

function requireOneSelector({ documentId, memoryId, containerTag }: PurgeInput): void {
  const named = [documentId, memoryId, containerTag].filter((selector) => selector !== undefined);
  if (named.length !== 1)
    throw invalid([{ path: [], message: "name exactly one of documentId, memoryId and containerTag" }]);
}

/** Has the files overwritten if an earlier purge was abandoned before that. Costs one small read if nothing is left to do. */
export async function resumePurges({ store }: Pick<CoreContext, "store">): Promise<void> {
  if ((await store.purges.marked()) === null) return;
  await store.jobs.enqueue([{ ...jobFor({ containerIds: [], files: [], within: [] }), key: "purge:resumed" }]);
}

/** The deciding commit: what was named is gone for every reader, and a job is written for the rest. */
async function begin(
  context: CoreContext,
  repositories: Repositories,
  actor: Actor,
  input: PurgeInput,
): Promise<Begun> {
  const { documentId, containerTag = "" } = input;
  const begun =
    documentId === undefined
      ? await beginWithContainer(repositories, actor, containerTag)
      : await beginWithDocument(repositories, actor, documentId);
  return leaveRest(context, repositories, begun);
}

async function beginWithDocument(repositories: Repositories, actor: Actor, name: string): Promise<Begun> {
  const { organizationId } = actor;
  const document = await lookUpDocument(repositories, actor, name);
  const tags = document?.containerTags ?? (await tracesOf(repositories, actor, name));
  const id = document?.id ?? name;
  requireWhole(actor, { id, containerTags: tags });
  await refuseMerging(repositories, actor, tags);
  // The words of a previously deleted one were still there.
  const isLeft =
    document === null && (await repositories.journal.latest(organizationId, id, "document.purged")) === null;
  const attached = await attachedWith(repositories, actor, id);
  const ids = [id, ...attached.map((one) => one.id)];
  for (const one of ids) await letOthersHold(repositories, actor, one);
  const purged = await repositories.purges.documents(organizationId, ids, { within: actor.containers, earlier: true });
  const entries = [{ id, tags }, ...attached].map((one) => entryOf(actor, "document", one.id, one.tags[0] ?? null));
  await repositories.journal.append(organizationId, entries);
  const { memories, files } = purged;
  return {
    counts: {
      documents: isLeft ? 1 : purged.documents,
      memories,
      files: files.length,
      passages: 0,
      statedIn: [],
    },
    remainder: { containerIds: [], files, within: [] },
    documentIds: ids,
  };
}

/** The attachments of a document, and attachments of those, including deleted ones, as far as the actor may change them. */
async function attachedWith(
  repositories: Repositories,
  actor: Actor,
  id: string,
): Promise<{ readonly id: string; readonly tags: readonly string[] }[]> {
  const { organizationId } = actor;
  const found: { id: string; tags: readonly string[] }[] = [];
  for (const attachedId of await repositories.documents.everAttached(organizationId, id)) {
    const document = await repositories.documents.byId(organizationId, attachedId);
    const tags = document?.containerTags ?? (await repositories.purges.containersOf(organizationId, attachedId));
    if (!mayChange(actor, tags)) continue;
    found.push({ id: attachedId, tags }, ...(await attachedWith(repositories, actor, attachedId)));
  }
  return found;
}

/** What a purged document had replaced holds again if others state it. */
async function letOthersHold(repositories: Repositories, actor: Actor, documentId: string): Promise<void> {
  const stated = await repositories.memories.ofDocument(actor.organizationId, documentId);
  await letEarlierHold(repositories, actor, stated.filter(isStatedAlone), {
    documentId,
    reason: "its document was purged",
    batchId: createId(),
  });
}

/**
 * The containers of a deleted document.
 * @throws AppError `not_found`, also for one that is or was where the actor may not look: for the actor it is gone
 */
async function tracesOf(repositories: Repositories, actor: Actor, id: string): Promise<readonly string[]> {
  const { organizationId, containers, sees = containers } = actor;
  const isThere = isId(id) && (await repositories.documents.newestRevision(organizationId, id)) !== null;
  const tags = isThere || !isId(id) ? [] : await repositories.purges.containersOf(organizationId, id);
  if (tags.length === 0 || (sees !== "all" && !tags.every((tag) => sees.includes(tag)))) throw notFound("document", id);
  return tags;
}

/** Detaches the container from its tag, so that nothing new is added to it. Earlier containers of the tag are removed too. */
async function beginWithContainer(repositories: Repositories, actor: Actor, tag: string): Promise<Begun> {
  const { organizationId } = actor;
  requireContainer(actor, tag);
  const rows = (await repositories.containers.findEvery(organizationId)).filter((row) => row.tag === tag);
  if (rows.length === 0) throw notFound("container", tag);
  await refuseMerging(repositories, actor, [tag]);
  await refuseMergeTarget(repositories, actor, tag);
  const counts = { documents: 0, memories: 0, files: 0, passages: 0, statedIn: [] };
  for (const { id } of rows) {
    const found = await repositories.purges.count(organizationId, id);
    counts.documents += found.documents;
    counts.memories += found.memories;
    counts.files += found.files;
  }
  if (rows.some((row) => !row.isDeleted)) await repositories.containers.remove(organizationId, tag);
  await repositories.purges.silence(organizationId, tag);
  await repositories.journal.append(organizationId, [entryOf(actor, "container", tag, tag)]);
  return { counts, remainder: { containerIds: idsOf(rows), files: [], within: actor.containers }, documentIds: [] };
}

/** Completes an interrupted purge. */
export function createPurgeJob(context: CoreContext): JobHandler<Remainder> {
  return {
    schema: remainderSchema,
    timeoutMs: TIMEOUT_MS,
    resumes: true,
    async run(remainder, { signal }) {
      const begun = await resumeMemory(context, remainder, signal);
      await finishPurge(context, begun?.remainder ?? remainder, signal);
    },
  };
}

/** Completes the purge; safe to repeat. */
async function finishPurge(context: CoreContext, remainder: Remainder, signal: AbortSignal): Promise<void> {
  const { containerIds, files, within } = remainder;
  const { store, blobs, vectors } = context;
  for (const key of files) await blobs.remove(key);
  if (files.length > 0 || containerIds.length > 0) await dropUploads(context);
  for (const id of containerIds) await emptyForGood(context, { id, within }, signal);
  // Another purge may have overwritten the files and removed the mark before these containers were empty.
  if (containerIds.length > 0) await store.purges.mark();
  const mark = await store.purges.marked();
  if (mark === null) return;
  await vectors.scrub(signal);
  await store.scrub(signal);
  await store.purges.unmark(mark);
}

/**
 * A process that died may have left the bytes of a document now being purged; they cannot be told from uploads in progress,
 * whose senders are asked to send them again.
 */
async function dropUploads({ uploads }: CoreContext): Promise<void> {
  for (const { key } of await uploads.list()) await uploads.remove(key);
}

/** Files first: after an interruption their documents are found again. Nobody else can reach them any more. */
async function emptyForGood(
  context: CoreContext,
  { id: containerId, within }: Pick<Remainder, "within"> & { readonly id: number },
  signal: AbortSignal,
): Promise<void> {
  const { store, blobs } = context;
  const { organizationId } = store;
  for (;;) {
    await yieldTurn(signal);
    const ids = await store.containers.documentsIn(organizationId, containerId, DOCUMENT_BATCH);
    if (ids.length === 0) break;
    for (const id of ids)
      if ((await placesBeside(store, organizationId, id, containerId)).length === 0)
        for (const { key } of await store.files.ofDocument(organizationId, id)) await blobs.remove(key);
    await store.transaction((repositories) => removeDocuments(repositories, organizationId, containerId, ids));
    for (const id of ids) context.events.changed(id);
  }
  for (;;) {
    await yieldTurn(signal);
    const { memories, files } = await store.purges.memoriesIn(organizationId, containerId, {
      limit: MEMORY_BATCH,
      within,
    });
    for (const key of files) await blobs.remove(key);
    if (memories === 0) break;
  }
  await store.purges.container(organizationId, containerId);
}

async function removeDocuments(
  repositories: Repositories,
  organizationId: string,
  containerId: number,
  ids: readonly string[],
): Promise<void> {
  const own: string[] = [];
  for (const id of ids) {
    const others = await placesBeside(repositories, organizationId, id, containerId);
    if (others.length === 0) own.push(id);
    else await repositories.containers.relocate(organizationId, id, idsOf(others));
  }
  // What they once stated is in this container as well.
  await repositories.purges.documents(organizationId, own, { within: "all", earlier: false });
}

async function placesBeside(
  { containers }: Pick<Repositories, "containers">,
  organizationId: string,
  documentId: string,
  containerId: number,
): Promise<ContainerRow[]> {
  return (await containers.ofDocument(organizationId, documentId)).filter(({ id }) => id !== containerId);
}

function idsOf<Id>(rows: readonly { readonly id: Id }[]): Id[] {
  return rows.map(({ id }) => id);
}
