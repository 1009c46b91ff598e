import type { Repositories } from "../ports.js";
import type { TaskType } from "../types.js";

/** Where a document is, or will be. */
export interface DocumentPlace {
  readonly tags: readonly string[];
  readonly filepath: string | null;
}

type Rule = "any path" | "named path" | "other path";

/**
 * Whether a document at this path forms memories in a container: its allow-list names paths, and folders with a trailing slash
 * (contract 1.11). Documents without a path always do.
 */
export async function formsMemories(
  repositories: Pick<Repositories, "containers">,
  organizationId: string,
  tag: string,
  filepath: string | null,
): Promise<boolean> {
  return (await ruleOf(repositories, organizationId, tag, filepath)) !== "other path";
}

async function ruleOf(
  { containers }: Pick<Repositories, "containers">,
  organizationId: string,
  tag: string,
  filepath: string | null,
): Promise<Rule> {
  if (filepath === null) return "any path";
  const paths = (await containers.get(organizationId, tag))?.memoryFilesystemPaths ?? null;
  if (paths === null) return "any path";
  const isNamed = paths.some((path) => (path.endsWith("/") ? filepath.startsWith(path) : filepath === path));
  return isNamed ? "named path" : "other path";
}

/**
 * The task type of a document: at a path from which none of its containers takes memories, it is only searchable, whatever was
 * requested. If nothing was requested, an allow-list that names the path decides, otherwise the previous task type stays.
 */
export async function taskTypeAt(
  repositories: Pick<Repositories, "containers">,
  organizationId: string,
  { tags, filepath }: DocumentPlace,
  { asked, before }: { readonly asked: TaskType | undefined; readonly before: TaskType },
): Promise<TaskType> {
  if (asked === "superrag") return "superrag";
  const rules: Rule[] = [];
  for (const tag of tags) rules.push(await ruleOf(repositories, organizationId, tag, filepath));
  if (rules.every((rule) => rule === "other path")) return "superrag";
  return asked ?? (rules.includes("named path") ? "memory" : before);
}
