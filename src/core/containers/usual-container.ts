import { requireContainer } from "../auth.js";
import { invalid } from "../input.js";
import type { Actor } from "../types.js";

/** The container of a write without a container tag (contract 1.7). */
export const DEFAULT_CONTAINER = "sm_project_default";

/** The container of a write that names none (contract 1.2, 1.7). @throws AppError `invalid` when that is ambiguous */
export function usualContainer({ containers }: Actor): string {
  if (containers === "all" || containers.includes(DEFAULT_CONTAINER)) return DEFAULT_CONTAINER;
  const [only, ...more] = containers;
  if (only !== undefined && more.length === 0) return only;
  const message = `is required for this key, which may write to ${containers.join(", ")}`;
  throw invalid([{ path: ["containerTag"], message }]);
}

/**
 * The container of a write that must name one, unless the actor may write to only some containers, one of which is the default.
 * @throws AppError `invalid` when that is ambiguous, `forbidden` for one that the actor may not use
 */
export function containerOfWrite(actor: Actor, named: string | undefined): string {
  if (named === undefined && actor.containers === "all")
    throw invalid([{ path: ["containerTag"], message: "is missing" }]);
  const containerTag = named ?? usualContainer(actor);
  requireContainer(actor, containerTag);
  return containerTag;
}
