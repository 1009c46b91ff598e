import type { ExtractionGuidance, StoreNouns } from "../ports.js";
import { readSettings } from "../service/settings.js";
import type { Document } from "../types.js";

/**
 * What people said about how a document is to be read: the organisation's settings, with the client's own over them, and
 * the guidance of its first container. Filters count only while they are switched on (contract.md §8.1).
 */
export async function guidanceFor(
  nouns: Pick<StoreNouns, "settings" | "containers">,
  { organizationId, client, containerTags }: Pick<Document, "organizationId" | "client" | "containerTags">,
): Promise<ExtractionGuidance> {
  const settings = await readSettings(nouns, organizationId, client);
  const [tag] = containerTags;
  const container = tag === undefined ? null : await nouns.containers.get(organizationId, tag);
  return {
    ...(settings.workspacePrompt && { workspacePrompt: settings.workspacePrompt }),
    ...(container?.entityContext && { entityContext: container.entityContext }),
    ...(settings.shouldLLMFilter === true && {
      ...(settings.filterPrompt && { filterPrompt: settings.filterPrompt }),
      ...(Boolean(settings.includeItems) && { includeItems: settings.includeItems }),
      ...(Boolean(settings.excludeItems) && { excludeItems: settings.excludeItems }),
    }),
  };
}
