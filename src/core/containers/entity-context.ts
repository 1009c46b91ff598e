import { ownsAll } from "../auth.js";
import type { Repositories } from "../ports.js";
import type { Actor } from "../types.js";
import { changeContainer } from "./containers.js";

/** False for scoped keys: their text would be used as guidance by everyone else who reads the container. */
export function maySetContext({ isScoped }: Pick<Actor, "isScoped">): boolean {
  return isScoped !== true;
}

/** False for callers whose guidance accompanies what they add, and must not replace what the owner wrote. */
export function mayReplaceContext(actor: Actor): boolean {
  return maySetContext(actor) && ownsAll(actor);
}

/**
 * Stores the guidance for extraction that came with a write on each container, under the name of its author; empty text clears
 * it. It is ignored from a caller who may not set it, so that the write itself succeeds: plugins send it with every document,
 * whatever key they have. Only the owner can replace what the owner wrote.
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
    // Many clients send the same guidance with every document.
    if ((known?.entityContext ?? null) !== guidance)
      await changeContainer(repositories, actor, tag, { entityContext: guidance });
  }
}
