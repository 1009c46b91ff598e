import type { Repositories } from "../ports.js";
import type { DocumentHead } from "../types.js";

/** A document as far as its customId goes. */
type Named = Pick<DocumentHead, "id" | "organizationId" | "customId">;

/** The container that a document belongs to: its first, with which its customId is unique. */
export function homeOf(containerTags: readonly string[]): readonly string[] {
  return containerTags.slice(0, 1);
}

/** True when another document has the customId in the container that this one is to belong to. */
export async function isCustomIdTaken(
  { documents }: Pick<Repositories, "documents">,
  { id, organizationId, customId }: Named,
  tags: readonly string[],
): Promise<boolean> {
  if (customId === null) return false;
  const other = await documents.byCustomId(organizationId, customId, homeOf(tags));
  return other !== null && other.id !== id;
}

/**
 * Takes the customId from a document that comes to belong to a container where another one that belongs there has it: there
 * it goes on meaning the one that was there. For moves that cannot be refused.
 * @returns the customId that it has from now on
 */
export async function settleCustomId(
  { documents }: Pick<Repositories, "documents">,
  { id, organizationId, customId }: Named,
  tags: readonly string[],
): Promise<string | null> {
  const [home] = tags;
  if (customId === null || home === undefined) return customId;
  const named = await documents.headsByCustomIds(organizationId, [customId], [home]);
  if (!named.some((other) => other.id !== id && other.containerTags[0] === home)) return customId;
  await documents.update(organizationId, id, { customId: null });
  return null;
}
