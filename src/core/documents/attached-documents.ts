import type { Repositories } from "../ports.js";
import type { Actor, Document } from "../types.js";
import { removeDocument } from "./documents.js";
import { moveStated } from "./move-document.js";
import { isSameList, reviseDocument } from "./revise-document.js";

/** A document made from a file inside another one, such as an attachment of a mail. */
export interface AttachedDocument {
  /** Distinguishes its file from others in the same file. */
  readonly digest: string;
  readonly document: Document;
}

/** The documents made from files in a document's file that are in the same containers; one that was moved away is independent. */
export async function attachedInPlace(
  { documents }: Pick<Repositories, "documents">,
  { organizationId, id, containerTags }: Document,
): Promise<readonly AttachedDocument[]> {
  const found: AttachedDocument[] = [];
  for (const attachment of await documents.attachments(organizationId, id)) {
    const document = await documents.byId(organizationId, attachment.id);
    if (document && isSameList(document.containerTags, containerTags))
      found.push({ digest: attachment.digest, document });
  }
  return found;
}

/**
 * Applies a change of a document to its attachments, inside its transaction: moves them to its new containers, or removes them
 * with a file that a text replaced. When one file replaces another, their attachments are compared once the new file is read.
 */
export async function takeAttachedAlong(
  repositories: Repositories,
  actor: Actor,
  changed: { readonly before: Document; readonly after: Document; readonly isUnread: boolean; readonly now: Date },
): Promise<void> {
  const { before, after, isUnread, now } = changed;
  const isReplaced = !isUnread && before.content !== after.content;
  const { containerTags: tags } = after;
  if (!isReplaced && isSameList(before.containerTags, tags)) return;
  for (const { document } of await attachedInPlace(repositories, before)) {
    if (isReplaced) await removeDocument(repositories, actor, document);
    else await moveAttached(repositories, actor, { document, tags, now });
  }
}

async function moveAttached(
  repositories: Repositories,
  actor: Actor,
  moving: { readonly document: Document; readonly tags: readonly string[]; readonly now: Date },
): Promise<void> {
  const { document: before, tags, now } = moving;
  const isAllThere = await moveStated(repositories, actor, moving);
  const after = await reviseDocument(repositories, actor, before, {
    change: { containerTags: tags },
    reads: isAllThere ? "addition" : "whole",
    action: "document.moved",
  });
  await takeAttachedAlong(repositories, actor, { before, after, isUnread: false, now });
}
