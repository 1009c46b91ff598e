import { createQuoteFinder } from "../../language/find-quote.js";
import { createId, isId } from "../../lib/ids.js";
import { maySee, systemActor } from "../auth.js";
import type { CoreContext } from "../context.js";
import type { Repositories, UnreadTurn } from "../ports.js";
import { hideOutdatedChunks } from "../search/passages.js";
import type { Actor, Memory } from "../types.js";
import { noteMemory } from "./memory-state.js";
import { chunkTextOf, createTeller, type StatedTurn } from "./told-turns.js";

/** What is needed to find a statement, inside a transaction or not. */
export interface Looking extends Pick<CoreContext, "timeZone" | "clock"> {
  readonly store: Repositories;
}

/** How a caller names a statement. */
export interface StatementName {
  readonly id?: string | undefined;
  /** Its exact text; only together with a container. */
  readonly text?: string | undefined;
  readonly containerTag?: string | undefined;
}

/**
 * The turn of a conversation told, under this id or in exactly these words, as a memory of a container that the actor may see;
 * null when there is none, or no longer.
 */
export async function findStatement(looking: Looking, actor: Actor, name: StatementName): Promise<StatedTurn | null> {
  const turns = await turnsNamed(looking.store, actor, name);
  const tell = createTeller(looking);
  for (const turn of turns) {
    const container = turn.containers.find(
      ({ tag }) => maySee(actor, [tag]) && (name.containerTag === undefined || tag === name.containerTag),
    );
    if (!container) continue;
    const scope = { containerIds: [container.id], kinds: ["chunk"] as const, includeForgotten: false };
    const [held] = await hideOutdatedChunks(looking, { organizationId: actor.organizationId, scope }, [turn.chunk]);
    const statement = held ? await tell(turn, container, held.content) : null;
    if (statement && (name.text === undefined || statement.memory.text === name.text)) return statement;
  }
  return null;
}

async function turnsNamed(
  { turns, containers }: Repositories,
  { organizationId }: Actor,
  { id, text, containerTag }: StatementName,
): Promise<readonly UnreadTurn[]> {
  if (id !== undefined) {
    const turn = isId(id) ? await turns.byChunkId(organizationId, id) : null;
    return turn ? [turn] : [];
  }
  const content = text === undefined ? null : chunkTextOf(text);
  if (content === null || containerTag === undefined) return [];
  const [container] = await containers.find(organizationId, [containerTag]);
  return container ? turns.byContent(organizationId, container.id, content) : [];
}

/**
 * The same as a memory with a row of its own, written now, inside the transaction that acts on it, so that it can be forgotten,
 * replaced and restored like any other. In search its chunk represents it as long as it holds.
 */
export async function keepStatement(looking: Looking, actor: Actor, name: StatementName): Promise<Memory | null> {
  const statement = await findStatement(looking, actor, name);
  if (!statement) return null;
  const { memories, journal, documents } = looking.store;
  const { organizationId } = actor;
  const { memory, turn, said } = statement;
  const known = await memories.byText(organizationId, memory.containerTag, memory.text);
  if (known) return known;
  // It may already have a row in another container of its document.
  const isTaken = (await memories.byId(organizationId, memory.id)) !== null;
  const draft = { ...memory, id: isTaken ? createId() : memory.id };
  const written = await memories.insert(organizationId, draft, { parentId: null, rootId: null, version: 1 });
  const document = await documents.byId(organizationId, turn.source.id);
  const at = createQuoteFinder(document?.content ?? "")(said);
  await memories.addSource(organizationId, written.id, turn.source.id, { text: said, at });
  const noted = { batchId: createId(), action: "memory.added", cause: `document ${turn.source.id}` };
  await noteMemory({ memories, journal }, systemActor(organizationId), noted, { before: null, after: written });
  return { ...written, sourceCount: 1 };
}
