import { createId } from "../../lib/ids.js";
import { stateOf } from "./memory-state.js";
import type { Repositories } from "../ports.js";
import { unitOf, type Actor, type Memory } from "../types.js";

/** Soft-deletes memories, inside a transaction: they leave search, and stay in the record with the reason. */
export async function forgetMemories(
  repositories: Repositories,
  actor: Actor,
  memories: readonly Memory[],
  reason: string,
): Promise<void> {
  await forgetBatch(repositories, actor, memories, { reason, batchId: createId() });
}

/** Why memories are forgotten, and what is recorded about it. */
export interface Forgetting {
  readonly reason: string;
  /** Batch of the journal entries. */
  readonly batchId: string;
  /** The journal's name for it; default `memory.forgotten`. */
  readonly action?: string;
  /** Added to the metadata of each memory. */
  readonly metadata?: Readonly<Record<string, unknown>>;
}

/** The same, as a batch that the caller names and may mark on the memories. */
export async function forgetBatch(
  repositories: Repositories,
  actor: Actor,
  memories: readonly Memory[],
  { reason, batchId, action = "memory.forgotten", metadata }: Forgetting,
): Promise<void> {
  const { organizationId } = actor;
  await forgetDerived(repositories, actor, memories, batchId);
  const tags = [...new Set(memories.map(({ containerTag }) => containerTag))];
  const containers = new Map(
    (await repositories.containers.find(organizationId, tags)).map(({ id, tag }) => [tag, id]),
  );
  const changeOf = (memory: Memory) => ({
    isForgotten: true,
    forgetReason: reason,
    ...(metadata && { metadata: { ...memory.metadata, ...metadata } }),
  });
  for (const memory of memories) {
    const containerId = containers.get(memory.containerTag);
    await repositories.memories.update(organizationId, memory.id, changeOf(memory));
    if (containerId !== undefined)
      await repositories.units.setForgotten(unitOf("memory", memory.seq), containerId, true);
  }
  await repositories.journal.append(
    organizationId,
    // An undo runs backwards, so guesses return after their sources.
    memories.toSorted(guessesFirst).map((memory) => ({
      batchId,
      actor: actor.name,
      action,
      subject: "memory",
      subjectId: memory.id,
      containerTag: memory.containerTag,
      cause: reason,
      before: stateOf(memory),
      after: stateOf({ ...memory, ...changeOf(memory) }),
    })),
  );
}

function guessesFirst(one: Memory, other: Memory): number {
  return Number(other.isInference) - Number(one.isInference);
}

/** Why an unreviewed guess is forgotten: its sources no longer hold. */
const GROUNDS_GONE = "what it was derived from is gone";

function withdrawnFor(ground: string): string {
  return `${GROUNDS_GONE}: memory ${ground}`;
}

/** A source, or the guess itself, moved to another container, which the reason does not name. */
const PARTED = `${GROUNDS_GONE}: not all of it lies in one container`;

/** True for a guess forgotten only because of its sources. */
export function isWithdrawn({ isForgotten, forgetReason }: Pick<Memory, "isForgotten" | "forgetReason">): boolean {
  return isForgotten && (forgetReason?.startsWith(GROUNDS_GONE) ?? false);
}

/**
 * Forgets unreviewed guesses derived from these memories, before those are forgotten or replaced in the same batch: an undo
 * restores the sources first, then the guesses. An approved guess is a stated fact, and stays.
 */
export async function forgetDerived(
  repositories: Repositories,
  actor: Actor,
  gone: readonly Memory[],
  batchId: string,
): Promise<void> {
  for (const { memory, ground } of await guessesFrom(repositories, actor.organizationId, gone))
    await forgetBatch(repositories, actor, [memory], { reason: withdrawnFor(ground), batchId });
}

/** Guesses that go with these memories, including guesses derived from guesses; not the memories themselves. */
export async function derivedFrom(
  repositories: Pick<Repositories, "memories">,
  organizationId: string,
  gone: readonly Memory[],
): Promise<readonly Memory[]> {
  const all = [...gone];
  for (let next = gone; next.length > 0;) {
    const known = new Set(all.map(({ id }) => id));
    next = (await guessesFrom(repositories, organizationId, next))
      .map(({ memory }) => memory)
      .filter(({ id }) => !known.has(id));
    all.push(...next);
  }
  return all.slice(gone.length);
}

/** Unreviewed guesses, each with one of these memories it was derived from. */
async function guessesFrom(
  { memories }: Pick<Repositories, "memories">,
  organizationId: string,
  grounds: readonly Memory[],
): Promise<{ readonly memory: Memory; readonly ground: string }[]> {
  if (grounds.length === 0) return [];
  const ids = new Set(grounds.map(({ id }) => id));
  const relations = await memories.relations(organizationId, [...ids]);
  const groundOf = new Map(
    relations
      .filter(({ relation, fromId, toId }) => relation === "derives" && ids.has(toId) && !ids.has(fromId))
      .map(({ fromId, toId }) => [fromId, toId]),
  );
  if (groundOf.size === 0) return [];
  const derived = await memories.byIds(organizationId, [...groundOf.keys()]);
  return derived
    .filter(({ isLatest, isForgotten, isInference }) => isLatest && !isForgotten && isInference)
    .map((memory) => ({ memory, ground: groundOf.get(memory.id) ?? "" }));
}

/** Unreviewed guesses that moving these memories would separate from one of their sources. */
export async function guessesParted(
  { memories }: Pick<Repositories, "memories">,
  organizationId: string,
  moving: readonly Memory[],
): Promise<readonly Memory[]> {
  const ids = new Set(moving.map(({ id }) => id));
  const relations = await memories.relations(organizationId, [...ids]);
  const torn = relations.filter(
    ({ relation, fromId, toId }) => relation === "derives" && ids.has(fromId) !== ids.has(toId),
  );
  const derived = await memories.byIds(organizationId, [...new Set(torn.map(({ fromId }) => fromId))]);
  return derived.filter((guess) => guess.isInference && guess.isLatest && (!guess.isForgotten || isWithdrawn(guess)));
}

/** Forgets them where they are now, without naming their source, which must not be revealed there, even by id. */
export async function forgetParted(repositories: Repositories, actor: Actor, parted: readonly Memory[]): Promise<void> {
  const { organizationId } = actor;
  const ids = parted.map(({ id }) => id);
  for (const guess of await repositories.memories.byIds(organizationId, ids))
    if (!guess.isForgotten) await forgetMemories(repositories, actor, [guess], PARTED);
    else await repositories.memories.update(organizationId, guess.id, { forgetReason: PARTED });
}

/**
 * The source that may no longer be revealed in the guess's container, so that the guess may not be either; null when all of
 * them may.
 */
export async function lostGroundOf(
  { memories }: Pick<Repositories, "memories">,
  organizationId: string,
  { id }: Pick<Memory, "id">,
): Promise<string | null> {
  const guess = await memories.byId(organizationId, id);
  if (!guess) return null;
  const relations = await memories.relations(organizationId, [id], { evenApart: true });
  const ids = relations
    .filter(({ fromId, relation }) => fromId === id && relation === "derives")
    .map(({ toId }) => toId);
  const named = isWithdrawn(guess) ? guess.forgetReason?.slice(withdrawnFor("").length) : undefined;
  // Purged memories have no relations any more.
  if (guess.forgetReason !== PARTED && named !== undefined && !ids.includes(named)) return `memory ${named}`;
  const grounds = await memories.byIds(organizationId, ids);
  if (grounds.some(({ containerTag }) => containerTag !== guess.containerTag)) return "a memory of another container";
  const lost = grounds.find(({ isLatest, isForgotten }) => !isLatest || isForgotten);
  return lost ? `memory ${lost.id}` : null;
}
