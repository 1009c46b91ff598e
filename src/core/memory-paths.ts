import type { StoreNouns } from "./ports.js";

/**
 * Whether a document at this path forms memories in a container: its allow-list names paths, and folders by a slash at
 * the end (contract.md §1.11). Documents without a path always do.
 */
export async function formsMemories(
  { containers }: Pick<StoreNouns, "containers">,
  organizationId: string,
  tag: string,
  filepath: string | null,
): Promise<boolean> {
  if (filepath === null) return true;
  const paths = (await containers.get(organizationId, tag))?.memoryFilesystemPaths ?? null;
  return paths === null || paths.some((path) => (path.endsWith("/") ? filepath.startsWith(path) : filepath === path));
}
