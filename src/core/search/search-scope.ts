import * as z from "zod";
import type { TimeZone } from "../../lib/time-zone.js";
import { maySee, reachableContainers } from "../auth.js";
import { sharedTimeZone } from "../containers/time-zone.js";
import type { CoreContext } from "../context.js";
import { endUserSchema, filtersOf } from "../access/end-user.js";
import { containerTagSchema, customIdSchema, filepathSchema } from "../input.js";
import type { UnitCondition, UnitScope } from "../ports.js";
import type { Actor, Unit, UnitKind } from "../types.js";

/** Where to search: the conditions that can narrow any search. All of them must hold. */
export const groundSchema = z.object({
  /** Absent or empty: everything the actor may see. */
  containerTags: z.array(containerTagSchema).optional(),
  /** For several tags: `any` searches their union, `all` only the chunks of documents that carry every one of them. */
  operator: z.enum(["any", "all"], "must be any or all").default("any"),
  filters: z.unknown().optional(),
  /** A path, or everything under it when it ends in `/`. */
  filepath: filepathSchema.optional(),
  /** Id or customId; an unknown one matches nothing. */
  documentId: customIdSchema.optional(),
  /** Only what belongs to this end user by its metadata `endUserId` (contract 1.18). */
  endUserId: endUserSchema.optional(),
});
type GroundInput = z.output<typeof groundSchema>;

/** The part of the record that one search looks at. */
export interface SearchScope {
  readonly organizationId: string;
  readonly tags: "all" | readonly string[];
  /** Always both kinds, whichever is wanted: the similarity of a result must not depend on what else is shown. */
  readonly scope: UnitScope;
  readonly kinds: readonly UnitKind[];
  readonly condition: UnitCondition;
  /** Only documents and statements of this end user are shown with the results. */
  readonly endUserId: string | undefined;
  /** The only units considered, or undefined for all of the scope. */
  readonly among: readonly Unit[] | undefined;
  /** Time zone in which days are counted, both in the question and in the results. */
  readonly timeZone: TimeZone;
}

/**
 * Resolves where a search may look.
 * @throws AppError `forbidden` for a container that the actor may not see, `invalid` for filters that cannot be parsed
 */
export async function resolveScope(
  { store, timeZone }: CoreContext,
  actor: Actor,
  input: GroundInput,
  wanted: Pick<UnitScope, "kinds" | "includeForgotten">,
): Promise<SearchScope> {
  const { organizationId } = actor;
  const filters = filtersOf(input);
  const tags = reachableContainers(actor, input.containerTags);
  const containers = await store.containers.find(organizationId, tags);
  const mustCarryAll = input.operator === "all" && tags !== "all" && (input.containerTags?.length ?? 0) > 1;
  const isComplete = tags === "all" || containers.length === new Set(tags).size;
  const scope: UnitScope = {
    containerIds: containers.map((container) => container.id),
    // No document carries a tag that does not exist.
    kinds: mustCarryAll && !isComplete ? ["memory"] : ["chunk", "memory"],
    includeForgotten: wanted.includeForgotten,
    ...(tags === "all" && { isEverywhere: true }),
  };
  const documentIds =
    input.documentId === undefined ? undefined : await findDocumentIds(store, actor, { name: input.documentId, tags });
  const condition: UnitCondition = {
    ...(filters && { filters }),
    ...(input.filepath !== undefined && { filepath: input.filepath }),
    ...(documentIds !== undefined && { documentIds }),
    ...(mustCarryAll && isComplete && { inEveryContainer: true }),
  };
  const isNarrowed = Object.keys(condition).length > 0;
  const among = isNarrowed ? await store.units.matching(organizationId, scope, condition) : undefined;
  return {
    organizationId,
    tags,
    scope,
    kinds: wanted.kinds,
    condition,
    endUserId: input.endUserId,
    among,
    timeZone: sharedTimeZone({ timeZone }, containers),
  };
}

/** Number of documents in the containers of a search that are not yet searchable or not yet understood. */
export async function countWaiting(
  { store }: CoreContext,
  actor: Actor,
  { containerTags }: Pick<GroundInput, "containerTags">,
): Promise<number> {
  return store.documents.countWaiting(actor.organizationId, reachableContainers(actor, containerTags));
}

/** The ids of the documents with an id or customId, those in these containers first; none that the actor may not see. */
async function findDocumentIds(
  { documents }: CoreContext["store"],
  actor: Actor,
  { name, tags }: { name: string; tags: "all" | readonly string[] },
): Promise<readonly string[]> {
  const { organizationId, containers } = actor;
  const byId = await documents.headsByIds(organizationId, [name]);
  const inTags = byId.length > 0 ? byId : await documents.headsByCustomIds(organizationId, [name], tags);
  const found = inTags.length > 0 ? inTags : await documents.headsByCustomIds(organizationId, [name], containers);
  return found.filter(({ containerTags }) => maySee(actor, containerTags)).map(({ id }) => id);
}
