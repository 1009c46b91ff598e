import type { CoreContext } from "../context.js";
import type { FilterExpression } from "../types.js";
import type { ContainerRow } from "../ports.js";
import { hideOutdatedChunks } from "../search/passages.js";
import type { MemoryEntry } from "./list-memories.js";
import { createTeller } from "./told-turns.js";

interface StatementQuery {
  readonly containers: readonly ContainerRow[];
  readonly filters: FilterExpression | undefined;
  readonly order: "asc" | "desc";
  readonly page: number;
  readonly limit: number;
}

/**
 * One page of the turns of conversations told as memories. Turns that say too little or no longer hold are left out of the page
 * but included in the total.
 */
export async function listStatements(
  context: CoreContext,
  organizationId: string,
  { containers, filters, order, page, limit }: StatementQuery,
): Promise<{ readonly entries: MemoryEntry[]; readonly total: number }> {
  const { store } = context;
  const containerIds = containers.map(({ id }) => id);
  const scope = { containerIds, kinds: ["chunk"] as const, includeForgotten: false };
  const among = filters && (await store.units.matching(organizationId, scope, { filters }));
  const offset = (page - 1) * limit;
  const { turns, total } = await store.turns.list(organizationId, { containerIds, among, order, offset, limit });
  const held = await hideOutdatedChunks(
    context,
    { organizationId, scope },
    turns.map(({ chunk }) => chunk),
  );
  const texts = new Map(held.map(({ id, content }) => [id, content]));
  const tell = createTeller(context);
  const entries: MemoryEntry[] = [];
  for (const turn of turns) {
    const text = texts.get(turn.chunk.id);
    const container = turn.containers.find(({ id }) => containerIds.includes(id));
    const statement = text !== undefined && container ? await tell(turn, container, text) : null;
    if (!statement) continue;
    const memory = { ...statement.memory, containerUid: statement.container.uid };
    entries.push({ memory, history: [], documentIds: [turn.source.id], relations: {} });
  }
  return { entries, total };
}
