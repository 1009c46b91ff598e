import * as z from "zod";
import { createId } from "../../lib/ids.js";
import { yieldTurn } from "../../lib/time.js";
import { requireContainer } from "../auth.js";
import { dropBlobs } from "./blobs.js";
import type { AuthorizedCall, CoreContext } from "../context.js";
import { settleCustomId } from "./custom-ids.js";
import { removeById, type Removed } from "./delete-document.js";
import { removeDocument } from "./documents.js";
import { AppError } from "../errors.js";
import { forgetLeaving, isStatedAlone } from "../memories/forget-leaving.js";
import { takenOutOf } from "../memories/set-aside.js";
import type { StatingDocument } from "../memories/still-stated.js";
import { containerTagSchema, customIdSchema, filepathSchema, parseInput } from "../input.js";
import { runOnce } from "../operations.js";
import type { Repositories } from "../ports.js";
import type { Actor, Document, Memory } from "../types.js";
import { noteDocument } from "./write-document.js";

/** Documents removed per transaction; more would delay other callers. */
const BATCH = 20;

export const deleteDocumentsSchema = z.object({
  ids: z
    .array(customIdSchema)
    .min(1, "must have at least 1 entry")
    .max(100, "must have at most 100 entries")
    .optional(),
  containerTags: z
    .array(containerTagSchema)
    .min(1, "must have at least 1 entry")
    .max(100, "must have at most 100 entries")
    .optional(),
  filepath: filepathSchema.optional(),
});
type Selection = z.output<typeof deleteDocumentsSchema>;

export interface DeletedDocuments {
  /** Number of documents removed, or taken out of the containers, and of memories forgotten. */
  readonly deletedCount: number;
  /** By id: what each id referred to, in the order of the request. */
  readonly removed: readonly Removed[];
  /** By id: documents whose text still states memories that were forgotten. */
  readonly statedIn: readonly StatingDocument[];
  /** By id: what could not be removed, and why. */
  readonly errors: readonly { readonly id: string; readonly error: string }[];
}

/**
 * Removes many documents: by ids, customIds and memory ids, limited to containers and a path if given as well; or everything in
 * containers, limited to a path. Each batch is a transaction of its own.
 * @throws AppError `invalid` when neither ids nor containers are given, `forbidden` for containers that the actor may not use
 */
export async function deleteDocuments(
  context: CoreContext,
  call: AuthorizedCall,
  raw: unknown,
): Promise<DeletedDocuments> {
  const selection = parseInput(deleteDocumentsSchema, raw);
  for (const tag of selection.containerTags ?? []) requireContainer(call.actor, tag);
  if (selection.ids) return deleteByIds(context, call, { ...selection, ids: selection.ids });
  if (selection.containerTags)
    return deleteByContainers(context, call, { ...selection, containerTags: selection.containerTags });
  // The wording that clients know (contract 2.5).
  throw new AppError("invalid", "Either 'ids' or 'containerTags' must be provided");
}

interface BatchResult {
  readonly removed: readonly Removed[];
  readonly files: readonly string[];
  readonly errors: readonly { readonly id: string; readonly error: string }[];
}

async function deleteByIds(
  context: CoreContext,
  call: AuthorizedCall,
  selection: Selection & { ids: readonly string[] },
): Promise<DeletedDocuments> {
  const ids = [...new Set(selection.ids)];
  const removed: Removed[] = [];
  const errors: { id: string; error: string }[] = [];
  for (let start = 0; start < ids.length; start += BATCH) {
    await yieldTurn();
    const batch = await runOnce(context, call, `deleteDocuments:${start}`, (repositories) =>
      removeEach(context, repositories, call.actor, { ...selection, ids: ids.slice(start, start + BATCH) }),
    );
    await dropBlobs(context, batch.files);
    for (const { id } of batch.removed) context.events.changed(id);
    removed.push(...batch.removed);
    errors.push(...batch.errors);
  }
  const gone = new Set(removed.map(({ id }) => id));
  const stating = new Map(removed.flatMap(({ statedIn }) => statedIn.map((document) => [document.id, document])));
  const statedIn = [...stating.values()].filter(({ id }) => !gone.has(id));
  return { deletedCount: removed.length, removed, statedIn, errors };
}

async function removeEach(
  { clock }: CoreContext,
  repositories: Repositories,
  actor: Actor,
  selection: Selection & { ids: readonly string[] },
): Promise<BatchResult> {
  const removed: Removed[] = [];
  const files: string[] = [];
  const errors: { id: string; error: string }[] = [];
  for (const id of selection.ids) {
    await yieldTurn();
    try {
      const done = await removeById(repositories, actor, id, {
        now: clock.now(),
        within: selection.containerTags,
        accepts: (found) => isAt(selection.filepath, found),
      });
      removed.push(done.removed);
      files.push(...done.files);
    } catch (error) {
      // These are thrown before anything of this id was written; any other error aborts the whole batch.
      if (!(error instanceof AppError) || !["not_found", "forbidden", "conflict"].includes(error.kind)) throw error;
      errors.push({ id, error: error.publicMessage });
    }
  }
  return { removed, files, errors };
}

function isAt(filepath: string | undefined, found: { document: Document } | { memory: Memory }): boolean {
  if (filepath === undefined) return true;
  const path = "document" in found ? found.document.filepath : null;
  return path !== null && (filepath.endsWith("/") ? path.startsWith(filepath) : path === filepath);
}

async function deleteByContainers(
  context: CoreContext,
  call: AuthorizedCall,
  selection: Selection & { containerTags: readonly string[] },
): Promise<DeletedDocuments> {
  let deletedCount = 0;
  for (let batch = 0; ; batch += 1) {
    await yieldTurn();
    const { ids, files } = await runOnce(context, call, `deleteDocuments:${batch}`, (repositories) =>
      removeFirst(repositories, call.actor, selection),
    );
    await dropBlobs(context, files);
    for (const id of ids) context.events.changed(id);
    deletedCount += ids.length;
    if (ids.length < BATCH) return { deletedCount, removed: [], statedIn: [], errors: [] };
  }
}

/** Removes the first few documents in the containers; a document that is also in others only leaves these. */
async function removeFirst(
  repositories: Repositories,
  actor: Actor,
  { containerTags, filepath }: Selection & { containerTags: readonly string[] },
): Promise<{ ids: string[]; files: string[] }> {
  const { documents } = await repositories.documents.list(actor.organizationId, {
    containerTags,
    filepath,
    operator: "any",
    sort: "createdAt",
    order: "asc",
    offset: 0,
    limit: BATCH,
    includeContent: false,
  });
  const files: string[] = [];
  for (const { id } of documents) {
    await yieldTurn();
    const document = await repositories.documents.byId(actor.organizationId, id);
    if (!document) continue;
    const elsewhere = document.containerTags.filter((tag) => !containerTags.includes(tag));
    if (elsewhere.length > 0) await leaveContainers(repositories, actor, document, elsewhere);
    else files.push(...(await removeDocument(repositories, actor, document)));
  }
  return { ids: documents.map(({ id }) => id), files };
}

/** A fact that only this document states in a container that it leaves is forgotten there. */
async function leaveContainers(
  repositories: Repositories,
  actor: Actor,
  document: Document,
  stays: readonly string[],
): Promise<void> {
  const { organizationId } = actor;
  const containers = await repositories.containers.ofDocument(organizationId, document.id);
  const remaining = containers.filter(({ tag }) => stays.includes(tag)).map(({ id }) => id);
  const stated = await repositories.memories.ofDocument(organizationId, document.id);
  const left = stated.filter(({ containerTag }) => !stays.includes(containerTag));
  await repositories.containers.relocate(organizationId, document.id, remaining);
  for (const memory of left) await repositories.memories.removeSource(organizationId, memory.id, document.id);
  const orphans = left.filter(isStatedAlone);
  const batchId = createId();
  const leaving = { documentId: document.id, reason: takenOutOf(document.id), batchId };
  await forgetLeaving(repositories, actor, orphans, leaving);
  const { containerTags, customId } = document;
  const settled = await settleCustomId(repositories, document, stays);
  await noteDocument(
    repositories,
    actor,
    { ...document, containerTags: stays, customId: settled },
    { action: "document.moved", before: { containerTags, ...(settled !== customId && { customId }) }, batchId },
  );
}
