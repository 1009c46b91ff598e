import { requireContainer } from "../auth.js";
import { invalid } from "../input.js";
import type { Actor } from "../types.js";

/** Where a write without a container tag goes (contract 1.7). */
export const DEFAULT_CONTAINER = "sm_project_default";

/** Where a write goes that names no container (contract 1.2, 1.7). @throws AppError `invalid` when that is not clear */
export function usualContainer({ containers }: Actor): string {
  if (containers === "all" || containers.includes(DEFAULT_CONTAINER)) return DEFAULT_CONTAINER;
  const [only, ...more] = containers;
  if (only !== undefined && more.length === 0) return only;
  const message = `is required for this key, which may write to ${containers.join(", ")}`;
  throw invalid([{ path: ["containerTag"], message }]);
}

/**
 * The container of a write that must name one unless the actor may write to some only, and one of these is usual.
 * @throws AppError `invalid` when that is not clear, `forbidden` for one that the actor may not touch
 */
export function containerOfWrite(actor: Actor, named: string | undefined): string {
  if (named === undefined && actor.containers === "all")
    throw invalid([{ path: ["containerTag"], message: "is missing" }]);
  const containerTag = named ?? usualContainer(actor);
  requireContainer(actor, containerTag);
  return containerTag;
}
