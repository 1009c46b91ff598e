import { firstVersionId } from "./first-version-id.js";
import { isId } from "../../lib/ids.js";
import { iso } from "../../lib/time.js";
import { maySee } from "../auth.js";
import { AppError } from "../errors.js";
import type { MemoryStore } from "../ports.js";
import type { Actor, Memory } from "../types.js";

/**
 * The newest version of the chain that an id belongs to, forgotten or not; null for an id that does not exist, is not in the
 * named container, or is not accessible to this actor. The result is checked like the id itself: a newer version may be in
 * another container.
 */
export async function findLatest(
  memories: MemoryStore,
  actor: Actor,
  id: string,
  containerTag?: string,
): Promise<Memory | null> {
  const memory = isId(id) ? await memories.byId(actor.organizationId, id) : null;
  const isTheirs = (found: Memory | null): found is Memory =>
    found !== null &&
    (containerTag === undefined || found.containerTag === containerTag) &&
    maySee(actor, [found.containerTag]);
  if (!isTheirs(memory)) return null;
  if (memory.isLatest) return memory;
  const latest = await memories.latestOf(actor.organizationId, firstVersionId(memory));
  return isTheirs(latest) ? latest : null;
}

/** The prefix of a recent fact in a profile (contract 5.1); people forget and correct what they read there. */
const PROFILE_MARK = /^(?:\[Recent\] (?:\[\d{4}-\d{2}-\d{2}\] )?)?(?:\[Unreviewed\] )?/;

/**
 * The newest memory of a container with exactly this text, an active one before forgotten ones; or null. The prefix that a
 * profile puts before a recent fact may be left in.
 */
export async function findByExactText(
  memories: MemoryStore,
  actor: Actor,
  containerTag: string,
  text: string,
): Promise<Memory | null> {
  const [memory] = await memories.byExactText(actor.organizationId, containerTag, text);
  const bare = text.replace(PROFILE_MARK, "");
  if (memory || bare === text) return memory ?? null;
  const [marked] = await memories.byExactText(actor.organizationId, containerTag, bare);
  return marked ?? null;
}

/** Forgotten and expired memories are not active. */
export function isActive(memory: Memory, now: Date): boolean {
  return memory.isLatest && !memory.isForgotten && !isExpired(memory, now);
}

/** True from a memory's expiry on, to the millisecond, whether or not that has been recorded yet. */
export function isExpired({ forgetAfter }: Pick<Memory, "forgetAfter">, now: Date): boolean {
  return forgetAfter !== null && forgetAfter <= iso(now);
}

/** A memory as it is now: an expired one counts as forgotten. */
export function asOf<T extends Memory>(memory: T, now: Date): T {
  return isExpired(memory, now) ? { ...memory, isForgotten: true } : memory;
}

/** The error for a text that no memory of the container has; the text itself is not repeated, as it may be long. */
export function noSuchText(containerTag: string): AppError {
  return new AppError(
    "not_found",
    `No memory with exactly this text in ${containerTag}. Search for it and specify it by id.`,
  );
}
