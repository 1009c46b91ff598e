import type { Repositories } from "../ports.js";
import type { DocumentHead } from "../types.js";

/** The fields of a document relevant to its customId. */
type Named = Pick<DocumentHead, "id" | "organizationId" | "customId">;

/** The container that a document belongs to: its first; its customId is unique there. */
export function homeOf(containerTags: readonly string[]): readonly string[] {
  return containerTags.slice(0, 1);
}

/** True when another document has the customId in the container that this one is to move to. */
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
 * Removes the customId from a document that moves to a container where another document already has it: there it keeps meaning
 * the earlier one. For moves that cannot be refused.
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
