import { ownsAll } from "../auth.js";
import type { Repositories } from "../ports.js";
import type { Actor } from "../types.js";
import { changeContainer } from "./containers.js";

/** False for scoped keys: what they say would be read as guidance by whoever else reads the container. */
export function maySetContext({ isScoped }: Pick<Actor, "isScoped">): boolean {
  return isScoped !== true;
}

/** False for callers whose guidance comes along with what they add, and gives way to what the owner wrote. */
export function mayReplaceContext(actor: Actor): boolean {
  return maySetContext(actor) && ownsAll(actor);
}

/**
 * Keeps the guidance for extraction that came with a write on each container, in the name of who wrote it; empty text
 * clears it. Of a caller who may set none it is passed over, so that the write itself is kept: plugins send it along with
 * every document, whatever key they have. What the owner wrote is replaced by the owner alone.
 */
export async function keepEntityContext(
  repositories: Repositories,
  actor: Actor,
  tags: readonly string[],
  entityContext: string | undefined,
): Promise<void> {
  if (entityContext === undefined || !maySetContext(actor)) return;
  const guidance = entityContext.trim() === "" ? null : entityContext;
  for (const tag of tags) {
    const known = await repositories.containers.get(actor.organizationId, tag);
    if (known?.entityContext && known.entityContextBy?.isOwner === true && !mayReplaceContext(actor)) continue;
    // Many clients send the same with every document.
    if ((known?.entityContext ?? null) !== guidance)
      await changeContainer(repositories, actor, tag, { entityContext: guidance });
  }
}
