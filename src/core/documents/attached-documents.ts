import type { Repositories } from "../ports.js";
import type { Actor, Document } from "../types.js";
import { removeDocument } from "./documents.js";
import { moveStated } from "./move-document.js";
import { isSameList, reviseDocument } from "./revise-document.js";

/** A document of a file that lies in another one, such as an attachment of a mail. */
export interface AttachedDocument {
  /** Tells its file from the others in the same file. */
  readonly digest: string;
  readonly document: Document;
}

/** The documents of files in the file of a document that lie where it does: one that was moved away goes its own way. */
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
 * Takes what is attached to a document along with a change of it, inside its transaction: to its new containers, or away with
 * the file whose place a text took. What a file takes the place of is compared once that is read.
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
