import type { CoreContext } from "../context.js";
import type { Connection } from "../types.js";

export interface ConnectionsAtAGlance {
  readonly total: number;
  /** Those that have stopped, or whose last run failed. */
  readonly inTrouble: readonly Pick<Connection, "id" | "provider" | "state" | "problem">[];
}

/** All connections of the organisation; one that its owner has paused is not in trouble. */
export async function connectionsAtAGlance({ store }: CoreContext): Promise<ConnectionsAtAGlance> {
  const all = (await store.connections.list(store.organizationId)).filter(({ state }) => state !== "removing");
  const inTrouble = all
    .filter(
      ({ state, problem }) => state === "reconnect" || state === "held" || (state === "active" && problem !== null),
    )
    .map(({ id, provider, state, problem }) => ({ id, provider, state, problem }));
  return { total: all.length, inTrouble };
}
