import { dropBlobs } from "./blobs.js";
import { requireContainer } from "../auth.js";
import type { AuthorizedCall, CoreContext } from "../context.js";
import { documentNameSchema, lookUpDocument, removeDocument } from "./documents.js";
import { notFound } from "../errors.js";
import { findLatest, isActive } from "../memories/find-memory.js";
import { forgetMemories } from "../memories/forget.js";
import { documentsStating, type StatingDocument } from "../memories/still-stated.js";
import { parseInput } from "../input.js";
import { once } from "../operations.js";
import type { Repositories } from "../ports.js";
import type { Actor, Document, Memory } from "../types.js";

/** What an id was of. */
export interface Removed {
  /** Our own id, also where a customId was named. */
  readonly id: string;
  readonly kind: "document" | "memory";
  /** Of a memory: documents whose text still states what was forgotten. */
  readonly statedIn: readonly StatingDocument[];
}

/** Which of the things that an id may name count. */
export interface RemovalScope {
  readonly now: Date;
  /** It must lie in one of these containers; by default in any that the actor may see. */
  readonly within?: readonly string[] | undefined;
  readonly accepts?: (found: { document: Document } | { memory: Memory }) => boolean;
}

/**
 * Removes a document with its chunks, in whatever state it is; a job that works on it notices and stops. Memories that
 * other documents state as well stay, the others are forgotten. The id of a memory forgets that memory.
 * @throws AppError as `findDocument`, and `forbidden` when the document lies in other containers too than the actor's
 */
export async function deleteDocument(context: CoreContext, call: AuthorizedCall, raw: unknown): Promise<Removed> {
  const { id, within } = parseInput(documentNameSchema, raw);
  const tags = within === undefined ? undefined : [within];
  for (const tag of tags ?? []) requireContainer(call.actor, tag);
  const { removed, files } = await once(context, call, "deleteDocument", (repositories) =>
    removeById(repositories, call.actor, id, { now: context.clock.now(), within: tags }),
  );
  await dropBlobs(context, files);
  context.events.changed(removed.id);
  // What it had taken the place of may be without a vector.
  context.wakeJobs();
  return removed;
}

/**
 * Removes the document of an id or customId, or forgets the memory of an id, inside a transaction.
 * @returns with the keys of files that went with it
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
