import type { Repositories } from "../ports.js";
import { readSettings } from "../upkeep/settings.js";
import type { FactWriting } from "./fact-writing.js";
import { isActive } from "./find-memory.js";

/** How many more memories a document and its container may have under the settings; infinite if neither is limited. */
export async function roomFor(repositories: Repositories, writing: FactWriting): Promise<number> {
  const { organizationId } = writing.actor;
  const settings = await readSettings(repositories, organizationId, writing.client);
  const { maxMemoriesPerDocument, maxMemoriesPerContainer } = settings;
  const ofDocument = maxMemoriesPerDocument
    ? maxMemoriesPerDocument - (await countOfDocument(repositories, writing))
    : Infinity;
  const ofContainer = maxMemoriesPerContainer
    ? maxMemoriesPerContainer - (await countOfContainer(repositories, writing))
    : Infinity;
  return Math.max(0, Math.min(ofDocument, ofContainer));
}

async function countOfDocument({ memories }: Repositories, writing: FactWriting): Promise<number> {
  const { actor, documentId, container, now } = writing;
  const stated = await memories.ofDocument(actor.organizationId, documentId);
  return stated.filter((one) => one.containerTag === container.tag && isActive(one, now)).length;
}

async function countOfContainer({ memories }: Repositories, { actor, container }: FactWriting): Promise<number> {
  const one = { sort: "createdAt", order: "desc", offset: 0, limit: 1 } as const;
  return (await memories.list(actor.organizationId, { containerTags: [container.tag], ...one })).total;
}
