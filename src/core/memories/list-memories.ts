import { firstVersionId } from "./first-version-id.js";
import * as z from "zod";
import { groupBy } from "../../lib/group-by.js";
import type { TimeZone } from "../../lib/time-zone.js";
import { maySee, reachableContainers } from "../auth.js";
import { sharedTimeZone } from "../containers/time-zone.js";
import type { AuthorizedCall, CoreContext } from "../context.js";
import { endUserSchema, filtersOf, belongsToEndUser, judgeStatements } from "../access/end-user.js";
import { containerTagSchema, invalid, parseInput } from "../input.js";
import type { PlacedMemory } from "../ports.js";
import { listStatements } from "./list-statements.js";
import { pageShape } from "../pages.js";
import type { Actor, DocumentHead, Memory, Relation } from "../types.js";

export const listMemoriesSchema = z.object({
  /** May be omitted only by a caller limited to some containers: then all of those are meant. */
  containerTags: z.array(containerTagSchema, "must be an array").min(1, "must have at least 1 entry").optional(),
  filters: z.unknown().optional(),
  endUserId: endUserSchema.optional(),
  /** `statement`: only turns of conversations in their own words; if omitted, everything else. */
  kind: z.literal("statement", "must be statement").optional(),
  ...pageShape,
});

/** An active memory with its history, sources and relations. */
export interface MemoryEntry {
  readonly memory: PlacedMemory;
  /** Older versions, newest first. */
  readonly history: readonly Memory[];
  /** Ids of the documents that state it. */
  readonly documentIds: readonly string[];
  /** How it relates to older memories, by their ids. */
  readonly relations: Readonly<Record<string, Relation>>;
}

export interface MemoryPage {
  readonly entries: readonly MemoryEntry[];
  readonly total: number;
  readonly page: number;
  readonly limit: number;
  /** Time zone for showing the days of the memories. */
  readonly timeZone: TimeZone;
}

/**
 * One page of active memories (contract 4.6): the newest versions that are neither forgotten nor expired. A page beyond the end
 * is empty.
 */
export async function listMemories(context: CoreContext, { actor }: AuthorizedCall, raw: unknown): Promise<MemoryPage> {
  const parsed = parseInput(listMemoriesSchema, raw);
  const containerTags = reachableContainers(actor, parsed.containerTags);
  if (containerTags === "all" || containerTags.length === 0)
    throw invalid([{ path: ["containerTags"], message: "is missing" }]);
  const input = { ...parsed, containerTags };
  const { store } = context;
  const { organizationId } = actor;
  const containers = await store.containers.find(organizationId, containerTags);
  const timeZone = sharedTimeZone(context, containers);
  const shown = { page: input.page, limit: input.limit, timeZone };
  if (input.kind === "statement") {
    const query = { ...input, containers, filters: filtersOf(input) };
    return { ...(await listStatements(context, organizationId, query)), ...shown };
  }
  const { memories, total } = await store.memories.list(organizationId, {
    ...input,
    filters: filtersOf(input),
    offset: (input.page - 1) * input.limit,
  });
  const relationsOf = await relationsBy(store, organizationId, memories);
  const roots = memories.flatMap(({ rootId }) => rootId ?? []);
  const versions = roots.length > 0 ? await store.memories.versions(organizationId, roots) : [];
  const isStated = await judgeStatements(store, organizationId, input.endUserId, versions);
  const isShown = (memory: Memory) => !memory.isLatest && maySee(actor, [memory.containerTag]) && isStated(memory);
  const older = groupBy(versions.filter(isShown).toReversed(), firstVersionId);
  const documents = await documentsBy(store, actor, memories, input.endUserId);
  const entries = memories.map((memory) => ({
    memory,
    history: older.get(firstVersionId(memory)) ?? [],
    documentIds: documents.get(memory.id) ?? [],
    relations: relationsOf(memory),
  }));
  return { entries, total, ...shown };
}

type Store = CoreContext["store"];

/** Reads how memories relate to older ones: each version to the one before it, plus recorded relations. */
export async function relationsBy(
  { memories: store }: Store,
  organizationId: string,
  memories: readonly Memory[],
): Promise<(memory: Memory) => Record<string, Relation>> {
  const noted = memories.length > 0 ? await store.relations(organizationId, memories.map(idOf)) : [];
  const byMemory = new Map<string, Record<string, Relation>>();
  for (const { fromId, toId, relation } of noted) {
    const known = byMemory.get(fromId) ?? {};
    known[toId] = relation;
    byMemory.set(fromId, known);
  }
  return ({ id, parentId }) => ({ ...(parentId !== null && { [parentId]: "updates" as const }), ...byMemory.get(id) });
}

/** Documents that state each memory, except those that the actor may not see or that belong to another end user. */
async function documentsBy(
  { memories: store, documents }: Store,
  actor: Actor,
  memories: readonly Memory[],
  endUserId: string | undefined,
): Promise<ReadonlyMap<string, readonly string[]>> {
  if (memories.length === 0) return new Map();
  const { organizationId } = actor;
  const sources = await store.sources(organizationId, memories.map(idOf));
  const ids = [...new Set(sources.map(({ documentId }) => documentId))];
  // A memory stays where it is when one of its documents moves to a container that the actor may not see.
  const isWhole = actor.containers === "all" && endUserId === undefined;
  const heads = isWhole ? [] : await documents.headsByIds(organizationId, ids);
  const isShown = (head: DocumentHead) => maySee(actor, head.containerTags) && belongsToEndUser(endUserId, head);
  const hidden = new Set(heads.filter((head) => !isShown(head)).map(idOf));
  const visible = sources.filter(({ documentId }) => !hidden.has(documentId));
  const byMemory = groupBy(visible, ({ memoryId }) => memoryId);
  return new Map([...byMemory].map(([id, links]) => [id, links.map(({ documentId }) => documentId)]));
}

function idOf({ id }: { readonly id: string }): string {
  return id;
}
