import { maySee } from "../auth.js";
import { documentSource } from "../documents/document-source.js";
import type { Repositories } from "../ports.js";
import type { Actor, DocumentHead, Memory } from "../types.js";

/** A document whose text still states what was forgotten. */
export interface StatingDocument {
  readonly id: string;
  readonly title: string | null;
  /** The path of its file or the address of its page; null for a text. */
  readonly source: string | null;
  /** Whether searches leave out the sentences that stated it; false if those sentences are not known for all of it. */
  readonly isLeftOut: boolean;
}

/**
 * Documents whose passages still state these memories, in order of arrival; only those that the actor may see. Forgetting hides
 * a memory, and from searches the words it was taken from; those stay in the text of the document, and words not linked to the
 * memory are still found. Whoever forgets must be told where.
 */
export async function documentsStating(
  { documents, memories }: Pick<Repositories, "documents" | "memories">,
  actor: Actor,
  forgotten: readonly Memory[],
): Promise<StatingDocument[]> {
  if (forgotten.length === 0) return [];
  const { organizationId } = actor;
  const statements = await memories.statements(
    organizationId,
    forgotten.map(({ id }) => id),
  );
  const ids = [...new Set(statements.map(({ documentId }) => documentId))];
  if (ids.length === 0) return [];
  const heads = (await documents.headsByIds(organizationId, ids)).filter(({ containerTags }) =>
    maySee(actor, containerTags),
  );
  const outlines = await documents.outlines(
    organizationId,
    heads.map(({ id }) => id),
    0,
  );
  const findable = new Set(outlines.filter(({ chunks }) => chunks > 0).map(({ id }) => id));
  const unplaced = new Set(statements.filter(({ quote }) => quote === null).map(({ documentId }) => documentId));
  return heads.filter(({ id }) => findable.has(id)).map((head) => tellStating(head, !unplaced.has(head.id)));
}

/** A document as described to somebody who forgets. */
export function tellStating(head: DocumentHead, isLeftOut: boolean): StatingDocument {
  return { id: head.id, title: head.title, source: documentSource(head), isLeftOut };
}
