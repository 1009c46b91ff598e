import type { ExtractionGuidance, Repositories } from "../ports.js";
import { readSettings } from "../upkeep/settings.js";
import { effectiveBuckets } from "../profile/buckets.js";
import type { Container, Document, ProfileBucket } from "../types.js";

/** As many as one container may define; buckets of further containers are chosen by rules. */
const MOST_BUCKETS = 50;

/**
 * The instructions for reading a document: the organisation's settings overridden by the client's, the guidance of its first
 * container, and the buckets of all of them. Filters apply only while they are switched on (contract 6.1).
 */
export async function guidanceFor(
  repositories: Pick<Repositories, "settings" | "containers">,
  { organizationId, client, containerTags }: Pick<Document, "organizationId" | "client" | "containerTags">,
): Promise<ExtractionGuidance> {
  const settings = await readSettings(repositories, organizationId, client);
  const [tag] = containerTags;
  const container = tag === undefined ? null : await repositories.containers.get(organizationId, tag);
  const buckets = await bucketsFor(repositories, { organizationId, client, containerTags });
  return {
    ...(settings.workspacePrompt && { workspacePrompt: settings.workspacePrompt }),
    ...(container && contextOf(container)),
    ...(settings.shouldLLMFilter === true && {
      ...(settings.filterPrompt && { filterPrompt: settings.filterPrompt }),
      ...(Boolean(settings.includeItems) && { includeItems: settings.includeItems }),
      ...(Boolean(settings.excludeItems) && { excludeItems: settings.excludeItems }),
    }),
    ...(buckets.length > 0 && { buckets }),
  };
}

/** Context written by the owner guides extraction; anybody else's is shown as what it is. */
function contextOf({ entityContext, entityContextBy }: Container): ExtractionGuidance {
  if (!entityContext) return {};
  if (entityContextBy?.isOwner === true) return { entityContext };
  return { statedContext: { text: entityContext, by: entityContextBy?.name ?? "somebody unknown" } };
}

/** If two containers define a key differently, the first one's definition is used; in the other, rules decide. */
async function bucketsFor(
  repositories: Pick<Repositories, "settings" | "containers">,
  { organizationId, client, containerTags }: Pick<Document, "organizationId" | "client" | "containerTags">,
): Promise<ProfileBucket[]> {
  const byKey = new Map<string, ProfileBucket>();
  for (const tag of containerTags)
    for (const bucket of await effectiveBuckets(repositories, organizationId, tag, client ?? undefined))
      if (!byKey.has(bucket.key)) byKey.set(bucket.key, bucket);
  return [...byKey.values()].slice(0, MOST_BUCKETS);
}
