import { createId } from "../../lib/ids.js";
import { groupBy } from "../../lib/group-by.js";
import type { TimeZone } from "../../lib/time-zone.js";
import { maySee, systemActor } from "../auth.js";
import { ownTimeZone, sharedTimeZone } from "../containers/time-zone.js";
import { momentIn } from "../input.js";
import { takePlaceAgain, type Returning } from "../memories/expire.js";
import { earlier, later } from "../memories/expiry.js";
import { isExpired } from "../memories/find-memory.js";
import { noteMemory } from "../memories/memory-state.js";
import type { Warned } from "../memories/secret-warnings.js";
import type { Repositories } from "../ports.js";
import type { Actor, Document, Memory } from "../types.js";
import { remindExpired } from "./read-anew.js";

/** The moment (ISO 8601 in UTC) that a validated document expiry means; anything but a string is returned unchanged. */
export async function momentOfEnd(
  { containers }: Pick<Repositories, "containers">,
  organizationId: string,
  forgetAfter: string | null | undefined,
  place: { readonly timeZone: TimeZone; readonly metadata: Document["metadata"]; readonly tags: readonly string[] },
): Promise<string | null | undefined> {
  if (typeof forgetAfter !== "string") return forgetAfter;
  const zone = ownTimeZone(place.metadata) ?? sharedTimeZone(place, await containers.find(organizationId, place.tags));
  return momentIn(forgetAfter, zone);
}

/**
 * A receipt with a warning that nobody will find the document, because it had already expired and no new expiry was sent, or
 * because the expiry sent has passed.
 * @param at.sent the moment of the expiry that was sent
 */
export function withEndWarning<T extends Warned>(
  receipt: T,
  { forgetAfter }: Pick<Document, "forgetAfter">,
  { sent, now }: { readonly sent: string | null | undefined; readonly now: Date },
): T {
  const over = sent === undefined ? forgetAfter : sent;
  if (!isExpired({ forgetAfter: over }, now)) return receipt;
  const warning =
    sent === undefined
      ? `forgetAfter: this document expired at ${forgetAfter} and remains expired, so searches leave it out; null removes the expiry, and a later time moves it`
      : `forgetAfter: ${over} has passed, so searches leave this document out; null removes the expiry, and a later time moves it`;
  return { ...receipt, warnings: [...(receipt.warnings ?? []), warning] };
}

/**
 * Applies a document's new expiry to what it states, inside the transaction that changed it: a memory expires once all
 * documents that state it have expired, or earlier if it has an expiry of its own. What was forgotten with the document returns
 * if it has time again.
 */
export async function endWithDocument(
  repositories: Repositories,
  actor: Actor,
  document: Pick<Document, "organizationId" | "id" | "forgetAfter">,
  now: Date,
): Promise<void> {
  const { organizationId, id, forgetAfter } = document;
  const cause = `document ${id} is forgotten ${forgetAfter === null ? "never" : `after ${forgetAfter}`}`;
  await moveEnds(repositories, actor, document, cause);
  const isForgotten = isExpired({ forgetAfter }, now);
  await repositories.units.setDocumentForgotten(organizationId, id, isForgotten);
  if (isForgotten) return;
  await remindExpired(repositories, actor, await statedBy(repositories, actor, document), { now, cause });
  await takePlacesAgain(repositories, actor, document, { cause, now });
}

/** What gave way when the document expired replaces again. */
async function takePlacesAgain(
  repositories: Repositories,
  actor: Actor,
  { organizationId, id }: Pick<Document, "organizationId" | "id">,
  how: Pick<Returning, "cause" | "now">,
): Promise<void> {
  const gone = (await repositories.memories.ofDocument(organizationId, id)).filter(
    ({ isLatest, isForgotten, containerTag }) => !isLatest && isForgotten && maySee(actor, [containerTag]),
  );
  const ends = await endsOfDocuments(repositories, organizationId, gone);
  for (const memory of gone) {
    const forgetAfter = earlier(memory.ownForgetAfter, ends.get(memory.id) ?? null);
    await takePlaceAgain(repositories, actor, memory, { ...how, forgetAfter });
  }
}

async function moveEnds(
  repositories: Repositories,
  actor: Actor,
  document: Pick<Document, "organizationId" | "id">,
  cause: string,
): Promise<void> {
  const { organizationId } = document;
  const batchId = createId();
  const memories = await statedBy(repositories, actor, document);
  const ends = await endsOfDocuments(repositories, organizationId, memories);
  for (const memory of memories) {
    const { ownForgetAfter } = memory;
    const forgetAfter = earlier(ownForgetAfter, ends.get(memory.id) ?? null);
    if (forgetAfter === memory.forgetAfter) continue;
    await repositories.memories.update(organizationId, memory.id, { forgetAfter, ownForgetAfter });
    const noted = { batchId, action: "memory.expiry-changed", cause };
    // Nobody touched the memory itself: the next text of its document may still replace it.
    await noteMemory(repositories, systemActor(organizationId), noted, { before: memory, after: { id: memory.id } });
  }
}

/** The newest versions that a document states, as far as the actor may see them. */
async function statedBy(
  { memories }: Pick<Repositories, "memories">,
  actor: Actor,
  { organizationId, id }: Pick<Document, "organizationId" | "id">,
): Promise<Memory[]> {
  const stated = await memories.ofDocument(organizationId, id);
  return stated.filter(({ isLatest, containerTag }) => isLatest && maySee(actor, [containerTag]));
}

/** When the last document that states each memory expires, by memory id. */
async function endsOfDocuments(
  { memories, documents }: Pick<Repositories, "memories" | "documents">,
  organizationId: string,
  stated: readonly Memory[],
): Promise<ReadonlyMap<string, string | null>> {
  const sources = await memories.sources(
    organizationId,
    stated.map(({ id }) => id),
  );
  const heads = await documents.headsByIds(organizationId, [...new Set(sources.map(({ documentId }) => documentId))]);
  const endOf = new Map(heads.map(({ id, forgetAfter }) => [id, forgetAfter]));
  const ends = [...groupBy(sources, ({ memoryId }) => memoryId)].map(([memoryId, own]) => {
    const [first = null, ...others] = own.map(({ documentId }) => endOf.get(documentId) ?? null);
    return [memoryId, others.reduce(later, first)] as const;
  });
  return new Map(ends);
}
