import { systemActor } from "../auth.js";
import type { Repositories } from "../ports.js";
import type { Document, Memory } from "../types.js";
import { createId } from "../../lib/ids.js";
import { forgetBatch } from "./forget.js";
import { isUntouched, notFoundIn } from "./read-again.js";
import { singleSpaced } from "../../lib/single-spaced.js";

/** Prefix of the `customId` of a document identified by a file path. */
const OF_PATH = "file:";

type Revised = Pick<Document, "organizationId" | "id" | "customId" | "revision" | "content" | "turns">;

/**
 * Forgets what a file or conversation stated in sentences missing from its newest text, inside the transaction that ends its
 * reading, as one undoable batch. A file says what is current, and a conversation loses only what was edited out; notes keep
 * what they stated. So does anything others also state, or anybody but the service has touched.
 */
export async function forgetUnsaid(repositories: Repositories, document: Revised): Promise<void> {
  const { organizationId, id, customId, revision, turns } = document;
  if (revision === 1 || (turns === null && !customId?.startsWith(OF_PATH))) return;
  const unsaid: Memory[] = [];
  for (const memory of await unsaidBy(repositories, document))
    if (await isUntouched(repositories, organizationId, memory.id)) unsaid.push(memory);
  if (unsaid.length === 0) return;
  const reason = notFoundIn(id, "which was changed");
  await forgetBatch(repositories, systemActor(organizationId), unsaid, { reason, batchId: createId() });
}

/** What only this document states, in words it no longer contains; not what replaced something said elsewhere. */
async function unsaidBy({ memories }: Repositories, { organizationId, id, content }: Revised): Promise<Memory[]> {
  const stated = await memories.ofDocument(organizationId, id);
  const alone = stated.filter(
    ({ isLatest, isForgotten, sourceCount }) => isLatest && !isForgotten && sourceCount === 1,
  );
  const ids = alone.flatMap((memory) => [memory.id, ...(memory.parentId === null ? [] : [memory.parentId])]);
  if (ids.length === 0) return [];
  const statements = await memories.statements(organizationId, ids);
  const quotes = new Map(statements.map(({ memoryId, quote }) => [memoryId, quote]));
  const foreign = new Set(statements.filter(({ documentId }) => documentId !== id).map(({ memoryId }) => memoryId));
  const text = singleSpaced(content);
  return alone.filter((memory) => {
    const quote = quotes.get(memory.id);
    const isOwn = memory.parentId === null || !foreign.has(memory.parentId);
    return isOwn && typeof quote === "string" && !text.includes(singleSpaced(quote));
  });
}
