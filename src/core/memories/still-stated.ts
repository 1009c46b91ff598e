import { maySee } from "../auth.js";
import { documentSource } from "../documents/document-source.js";
import type { Repositories } from "../ports.js";
import { readingOf } from "./reading.js";
import { valueWords } from "./slot-values.js";
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

/** A memory that says what was forgotten, in other words. */
export interface SayingMemory {
  readonly id: string;
  readonly text: string;
}

/**
 * Memories taken from the same words as these, that still name what these say: "the key was changed from one to another" beside
 * "the key is the other". Whoever forgets is told of them; they may be wanted.
 */
export async function memoriesSaying(
  { memories }: Pick<Repositories, "memories">,
  { organizationId }: Actor,
  forgotten: readonly Memory[],
): Promise<SayingMemory[]> {
  const gone = new Map(forgotten.map((memory) => [memory.id, memory]));
  const stated = (await memories.statements(organizationId, [...gone.keys()])).filter(({ quote }) => quote !== null);
  const found = new Map<string, SayingMemory>();
  for (const documentId of new Set(stated.map((one) => one.documentId))) {
    const others = (await memories.ofDocument(organizationId, documentId)).filter(
      ({ id, isLatest, isForgotten }) => isLatest && !isForgotten && !gone.has(id),
    );
    const byId = new Map(others.map((memory) => [memory.id, memory]));
    for (const { memoryId, documentId: source, quote } of await memories.statements(organizationId, [...byId.keys()])) {
      const other = byId.get(memoryId);
      const isSameWords = (one: (typeof stated)[number]) => one.documentId === source && one.quote === quote;
      const beside = stated.filter(isSameWords).flatMap((one) => gone.get(one.memoryId) ?? []);
      if (other && beside.some((memory) => memory.containerTag === other.containerTag && namesValueOf(memory, other)))
        found.set(other.id, { id: other.id, text: other.text });
    }
  }
  return [...found.values()];
}

function namesValueOf(memory: Memory, other: Memory): boolean {
  const named = new Set(valueWords(other.text));
  return readingOf(memory.text).statedValues.some(({ value }) => valueWords(value).every((word) => named.has(word)));
}

/** A document as described to somebody who forgets. */
export function tellStating(head: DocumentHead, isLeftOut: boolean): StatingDocument {
  return { id: head.id, title: head.title, source: documentSource(head), isLeftOut };
}
