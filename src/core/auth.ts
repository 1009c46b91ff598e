import { sha256 } from "../lib/crypto.js";
import type { CoreContext } from "./context.js";
import { AppError } from "./errors.js";
import type { Actor, Document } from "./types.js";

/** Last use of a key is noted at most this often, so that reading does not write. */
const TOUCH_EVERY_MS = 60_000;

/**
 * Who a key belongs to.
 * @throws AppError `unauthorized` for a key that is missing, unknown or revoked, in the same words for all of them
 */
export async function authenticate({ store, clock, log }: CoreContext, credential: string): Promise<Actor> {
  const key = credential.startsWith("sm_") ? await store.keys.byHash(hashKey(credential)) : null;
  if (!key || key.revokedAt !== null)
    throw new AppError(
      "unauthorized",
      "Invalid or missing API key. Send a key of this server as `Authorization: Bearer sm_…`; `recollect keys create` makes one.",
    );
  const now = clock.now();
  if (key.lastUsedAt === null || now.getTime() - Date.parse(key.lastUsedAt) > TOUCH_EVERY_MS)
    // Reading must go on while the store cannot be written.
    await store.keys.touch(key.id, now).catch((error: unknown) => {
      log.warn("the use of a key was not noted", { key: key.id, error });
    });
  return {
    organizationId: key.organizationId,
    name: `key:${key.id}`,
    containers: "all",
    ...(key.client !== null && { client: key.client }),
  };
}

/** Keys are random, so a plain hash is enough to keep them unreadable at rest. */
export function hashKey(key: string): string {
  return sha256(key);
}

/** The person at this machine, who owns the data folder. */
export function localActor(organizationId: string): Actor {
  return { organizationId, name: "local", containers: "all" };
}

/** The service itself, in background work. */
export function systemActor(organizationId: string): Actor {
  return { organizationId, name: "system", containers: "all" };
}

/** @throws AppError `forbidden` when the actor may not touch the container */
export function requireContainer(actor: Actor, containerTag: string): void {
  if (actor.containers !== "all" && !actor.containers.includes(containerTag))
    throw new AppError(
      "forbidden",
      `This key may not use the container ${containerTag}. It may use: ${actor.containers.join(", ")}.`,
    );
}

/**
 * The containers that a request reaches: those it names, or all that the actor may see when it names none.
 * @throws AppError `forbidden` when it names one that the actor may not see
 */
export function reachableContainers(actor: Actor, requested: readonly string[] | undefined): "all" | readonly string[] {
  if (!requested || requested.length === 0) return actor.containers;
  for (const tag of requested) requireContainer(actor, tag);
  return requested;
}

/** @throws AppError `forbidden` when the actor may touch some containers only: what concerns all of them is not theirs */
export function requireAllContainers(actor: Actor): void {
  if (actor.containers !== "all")
    throw new AppError("forbidden", "This key may only use its containers. Use a key of the whole organisation.");
}

/** True when the actor may change something that lies in these containers: it must be theirs in all of them. */
export function mayChange(actor: Actor, containerTags: readonly string[]): boolean {
  const { containers } = actor;
  return containers === "all" || containerTags.every((tag) => containers.includes(tag));
}

/** @throws AppError `forbidden` when a document lies in other containers too than the actor's */
export function requireWhole(actor: Actor, { id, containerTags }: Pick<Document, "id" | "containerTags">): void {
  if (!mayChange(actor, containerTags))
    throw new AppError("forbidden", `Document ${id} lies in other containers too, which this key may not use.`);
}

/** The same without the names of containers that the actor may not see. */
export function asSeenBy<T extends { readonly containerTags: readonly string[] }>(actor: Actor, document: T): T {
  const { containers } = actor;
  if (containers === "all") return document;
  return { ...document, containerTags: document.containerTags.filter((tag) => containers.includes(tag)) };
}

/** True when the actor may see something that lies in these containers. */
export function maySee(actor: Actor, containerTags: readonly string[]): boolean {
  const { containers } = actor;
  return containers === "all" || containerTags.some((tag) => containers.includes(tag));
}
