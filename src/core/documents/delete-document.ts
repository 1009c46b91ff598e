import { dropBlobs } from "./blobs.js";
import { requireContainer } from "../auth.js";
import type { AuthorizedCall, CoreContext } from "../context.js";
import { documentNameSchema, lookUpDocument, removeDocument } from "./documents.js";
import { notFound } from "../errors.js";
import { findLatest, isActive } from "../memories/find-memory.js";
import { forgetMemories } from "../memories/forget.js";
import { documentsStating, type StatingDocument } from "../memories/still-stated.js";
import { parseInput } from "../input.js";
import { runOnce } from "../operations.js";
import type { Repositories } from "../ports.js";
import type { Actor, Document, Memory } from "../types.js";

/** What an id referred to. */
export interface Removed {
  /** Our own id, even if a customId was given. */
  readonly id: string;
  readonly kind: "document" | "memory";
  /** For a memory: documents whose text still states what was forgotten. */
  readonly statedIn: readonly StatingDocument[];
}

/** Limits what an id may refer to. */
export interface RemovalScope {
  readonly now: Date;
  /** It must be in one of these containers; by default in any that the actor may see. */
  readonly within?: readonly string[] | undefined;
  readonly accepts?: (found: { document: Document } | { memory: Memory }) => boolean;
}

/**
 * Removes a document with its chunks, whatever its state; a job working on it notices and stops. Memories that other documents
 * also state stay, the others are forgotten. The id of a memory forgets that memory.
 * @throws AppError as `findDocument`, and `forbidden` when the document is also in containers other than the actor's
 */
export async function deleteDocument(context: CoreContext, call: AuthorizedCall, raw: unknown): Promise<Removed> {
  const { id, within } = parseInput(documentNameSchema, raw);
  const tags = within === undefined ? undefined : [within];
  for (const tag of tags ?? []) requireContainer(call.actor, tag);
  const { removed, files } = await runOnce(context, call, "deleteDocument", (repositories) =>
    removeById(repositories, call.actor, id, { now: context.clock.now(), within: tags }),
  );
  await dropBlobs(context, files);
  context.events.changed(removed.id);
  // What it had replaced may lack a vector.
  context.wakeJobs();
  return removed;
}

/**
 * Removes the document with an id or customId, or forgets the memory with an id, inside a transaction.
 * @returns also the keys of the files removed with it
 * @throws AppError `not_found` or `forbidden`, before anything is written
 */
export async function removeById(
  repositories: Repositories,
  actor: Actor,
  id: string,
  { now, within, accepts = () => true }: RemovalScope,
): Promise<{ removed: Removed; files: readonly string[] }> {
  const isWithin = (tags: readonly string[]) => within === undefined || within.some((tag) => tags.includes(tag));
  const document = await lookUpDocument(repositories, actor, id, within);
  if (document && isWithin(document.containerTags) && accepts({ document }))
    return {
      removed: { id: document.id, kind: "document", statedIn: [] },
      files: await removeDocument(repositories, actor, document),
    };
  const memory = await findLatest(repositories.memories, actor, id);
  if (!memory || !isActive(memory, now) || !isWithin([memory.containerTag]) || !accepts({ memory }))
    throw notFound("document", id);
  await forgetMemories(repositories, actor, [memory], "it was deleted");
  const statedIn = await documentsStating(repositories, actor, [memory]);
  return { removed: { id: memory.id, kind: "memory", statedIn }, files: [] };
}
