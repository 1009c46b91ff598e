import { firstVersionId } from "../memories/first-version-id.js";
import * as z from "zod";
import { isId } from "../../lib/ids.js";
import { maySee, reachableContainers } from "../auth.js";
import type { AuthorizedCall, CoreContext } from "../context.js";
import { containerTagSchema, customIdSchema, invalid, momentSchema, parseInput } from "../input.js";
import type { JournalRow } from "../ports.js";
import { JOURNAL_ACTIONS, type Actor } from "../types.js";
import { refuseUnknown } from "./known-actions.js";
import type { Page } from "../usage/requests.js";

/** A text of this many characters is no longer a name. */
const MAX_NAME = 255;

const name = z
  .string("must be a string")
  .min(1, "must not be empty")
  .max(MAX_NAME, `must have at most ${MAX_NAME} characters`);

export const listJournalSchema = z.object({
  containerTag: containerTagSchema.optional(),
  /** Any version of a memory; selects the entries of all its versions. */
  memoryId: customIdSchema.optional(),
  /** Id of a document; selects its entries and those of the memories it states. */
  documentId: customIdSchema.optional(),
  batchId: customIdSchema.optional(),
  action: name.optional(),
  actor: name.optional(),
  /** Inclusive. */
  from: momentSchema.optional(),
  /** Exclusive. */
  to: momentSchema.optional(),
  page: z
    .int("must be a whole number")
    .min(1, "must be at least 1")
    .max(1_000_000_000, "must be at most 1000000000")
    .default(1),
  limit: z.int("must be a whole number").min(1, "must be at least 1").max(200, "must be at most 200").default(20),
});

/**
 * One page of the journal, newest first: who changed what, when, why, from what to what. An actor limited to some containers
 * sees only their entries.
 * @throws AppError `invalid`, also for an unknown action, `forbidden` for a container that the actor may not use
 */
export async function listJournal(
  { store }: CoreContext,
  { actor }: AuthorizedCall,
  raw: unknown,
): Promise<Page<JournalRow>> {
  const { containerTag, memoryId, documentId, page, limit, ...query } = parseInput(listJournalSchema, raw);
  if (memoryId !== undefined && documentId !== undefined)
    throw invalid([{ path: ["memoryId"], message: "must not be given together with documentId" }]);
  if (query.from !== undefined && query.to !== undefined && query.from >= query.to)
    throw invalid([{ path: ["from"], message: "must be before to" }]);
  refuseUnknown(JOURNAL_ACTIONS, query.action);
  const tags = reachableContainers(actor, containerTag === undefined ? undefined : [containerTag]);
  const { entries, total } = await store.journal.list(actor.organizationId, {
    ...query,
    documentId,
    ...(tags !== "all" && { containerTags: tags }),
    ...(memoryId !== undefined && { subjectIds: await versionIds(store, actor, memoryId) }),
    offset: (page - 1) * limit,
    limit,
  });
  return { items: entries.map((entry) => readAs(actor, entry)), page, limit, total };
}

async function versionIds({ memories }: CoreContext["store"], actor: Actor, memoryId: string): Promise<string[]> {
  const { organizationId } = actor;
  const memory = isId(memoryId) ? await memories.byId(organizationId, memoryId) : null;
  // A purged memory has no row, though others may have left entries of it; nor has one that moved to a container the actor may
  // not see, whose other versions must not be revealed by its id.
  if (!memory || !maySee(actor, [memory.containerTag])) return [memoryId];
  const versions = await memories.versions(organizationId, [firstVersionId(memory)], { withUndone: true });
  return versions.map(({ id }) => id);
}

const placeSchema = z.union([
  z.object({ containerTag: z.string() }).transform(({ containerTag }) => [containerTag]),
  z.object({ containerTags: z.array(z.string()) }).transform(({ containerTags }) => containerTags),
  // For a merge: the entry of the source names the target, and that of the target names the source.
  z.object({ into: z.string() }).transform(({ into }) => [into]),
  z.object({ sourceTags: z.array(z.string()) }).transform(({ sourceTags }) => sourceTags),
]);

/** An entry as an actor may read it: of a move from or to a container that is not theirs, only that there was one. */
export function readAs(actor: Actor, entry: JournalRow): JournalRow {
  const isHidden = (state: unknown) => {
    const place = placeSchema.safeParse(state);
    return place.success && !place.data.every((tag) => maySee(actor, [tag]));
  };
  if (!isHidden(entry.before) && !isHidden(entry.after)) return entry;
  return { ...entry, cause: null, before: null, after: null };
}
