import { sha256 } from "../lib/crypto.js";
import { iso } from "../lib/time.js";
import type { CoreContext } from "./context.js";
import { AppError } from "./errors.js";
import { type Actor, type ApiKey, type Document, isReader } from "./types.js";

/** The last use of a key is recorded at most this often, so that reading does not write. */
const TOUCH_EVERY_MS = 60_000;

/**
 * The actor behind a key, and what they may do.
 * @throws AppError `unauthorized` with the same message for a key that is missing, unknown, expired, disabled or revoked
 */
export async function authenticate({ store, clock, log }: CoreContext, credential: string): Promise<Actor> {
  const key = credential.startsWith("sm_") ? await store.keys.byHash(hashKey(credential)) : null;
  const now = clock.now();
  if (!key || !opens(key, now)) throw unknownCredential();
  if (key.lastUsedAt === null || now.getTime() - Date.parse(key.lastUsedAt) > TOUCH_EVERY_MS)
    // Reading must continue while the store cannot be written.
    await store.keys.touch(key.id, now).catch((error: unknown) => {
      log.warn("the use of a key was not recorded", { key: key.id, error });
    });
  return actorOf(key);
}

/** The same message for anything wrong with a key or an access token. */
export function unknownCredential(): AppError {
  return new AppError(
    "unauthorized",
    "Invalid or missing API key or access token; an expired one counts as invalid. Send a key of this server as `Authorization: Bearer sm_…`; `recollect keys create` makes one.",
  );
}

/** True while a key is neither revoked nor disabled nor expired. */
export function opens({ revokedAt, disabledAt, expiresAt }: ApiKey, now: Date): boolean {
  return revokedAt === null && disabledAt === null && (expiresAt === null || expiresAt > iso(now));
}

function actorOf({ id, organizationId, name, client, grants, permission, rate, kind }: ApiKey): Actor {
  const readable = grants?.filter((grant) => grant.permission === "read").map(({ containerTag }) => containerTag);
  const readOnly = permission === "read" ? "all" : readable;
  return {
    organizationId,
    name: `key:${id}`,
    containers: grants?.map(({ containerTag }) => containerTag) ?? "all",
    ...(readOnly !== undefined && readOnly.length > 0 && { readOnly }),
    ...(rate && { rate }),
    ...(kind === "scoped" && { isScoped: true }),
    ...(client !== null && { client }),
    keyName: name,
  };
}

/** Keys are random, so a plain hash suffices to protect them at rest. */
export function hashKey(key: string): string {
  return sha256(key);
}

/** The person at this machine, who owns the data folder. */
export function localActor(organizationId: string): Actor {
  return { organizationId, name: "local", containers: "all" };
}

/** An unknown caller: sees nothing in any container. */
export function anybodyActor(organizationId: string): Actor {
  return { organizationId, name: "anybody", containers: [] };
}

/** The service itself, in background work. */
export function systemActor(organizationId: string): Actor {
  return { organizationId, name: "system", containers: "all" };
}

/** @throws AppError `forbidden` when the actor may not use the container */
export function requireContainer(actor: Actor, containerTag: string): void {
  if (actor.containers !== "all" && !actor.containers.includes(containerTag))
    throw actor.sees?.includes(containerTag)
      ? new AppError("forbidden", `This key may only read the container ${containerTag}.`)
      : new AppError(
          "forbidden",
          `This key may not use the container ${containerTag}. It may use: ${actor.containers.join(", ")}.`,
        );
}

/**
 * The containers of a request: those it names, or all that the actor may see if it names none.
 * @throws AppError `forbidden` when it names one that the actor may not see
 */
export function reachableContainers(actor: Actor, requested: readonly string[] | undefined): "all" | readonly string[] {
  if (!requested || requested.length === 0) return actor.containers;
  for (const tag of requested) requireContainer(actor, tag);
  return requested;
}

/** @throws AppError `forbidden` when the actor is limited to some containers: what concerns all of them is not theirs */
export function requireAllContainers(actor: Actor): void {
  if (actor.containers !== "all")
    throw new AppError("forbidden", "This key may only use its containers. Use a key of the whole organisation.");
}

/** True for an actor who may read and write everything of the organisation. */
export function ownsAll({ containers, readOnly = [], isApp, isKeyless }: Actor): boolean {
  return containers === "all" && readOnly.length === 0 && isApp !== true && isKeyless !== true;
}

/**
 * The rights that a use case requires. `owner` is reading and writing everything of the organisation; `whole` is at least
 * reading all of it, with a key; `named` is writing by a known caller: for permanent removal, and for the configuration of
 * containers.
 */
export type Need = "nothing" | "read" | "whole" | "write" | "named" | "owner";

/**
 * The actor in the form a use case accepts: for one that writes, limited to the containers they may write to, so that every
 * later check is about those.
 * @throws AppError `forbidden` when the actor may not use it at all
 */
export function admit(actor: Actor, need: Need): Actor {
  const { containers, readOnly = [] } = actor;
  const isOnlyReader = isReader(actor);
  if (need === "owner" && isOnlyReader)
    throw new AppError("forbidden", "This key may only read. Use one that may write.");
  if (need === "owner" && actor.isApp === true)
    throw new AppError("forbidden", "A connected app may not administer this server. Use a key of the owner.");
  if ((need === "owner" || need === "named") && actor.isKeyless === true)
    throw new AppError(
      "forbidden",
      "Without a key nothing can be administered here: no keys, settings, containers or purges. Use a key of the whole organisation (`recollect keys create`), or the command line.",
    );
  if (need === "whole" && (actor.isApp === true || actor.isKeyless === true))
    throw new AppError("forbidden", "This needs a key of the whole organisation; one that may only read is enough.");
  if (need === "owner" || need === "whole") requireAllContainers(actor);
  if ((need !== "write" && need !== "named") || readOnly.length === 0) return actor;
  if (isOnlyReader) throw new AppError("forbidden", "This key may only read. Use one that may write.");
  // An actor with all containers has nothing to narrow: `readOnly` names some of a list.
  if (containers === "all") return actor;
  return { ...actor, containers: containers.filter((tag) => !readOnly.includes(tag)), sees: containers };
}

/** True when the actor may change something in these containers: all of them must be theirs. */
export function mayChange(actor: Actor, containerTags: readonly string[]): boolean {
  const { containers } = actor;
  return containers === "all" || containerTags.every((tag) => containers.includes(tag));
}

/** @throws AppError `forbidden` when a document is also in containers other than the actor's */
export function requireWhole(actor: Actor, { id, containerTags }: Pick<Document, "id" | "containerTags">): void {
  if (!mayChange(actor, containerTags))
    throw new AppError("forbidden", `Document ${id} is also in other containers, which this key may not use.`);
}

/** @throws AppError `forbidden` when the actor may read a document, but was narrowed to containers that it may change */
export function requireChangeable(actor: Actor, { id, containerTags }: Pick<Document, "id" | "containerTags">): void {
  if (!maySee(actor, containerTags) && containerTags.some((tag) => actor.sees?.includes(tag)))
    throw new AppError("forbidden", `Document ${id} is in a container that this key may only read.`);
}

/** The same document without the names of containers that the actor may not see. */
export function asSeenBy<T extends { readonly containerTags: readonly string[] }>(actor: Actor, document: T): T {
  const seen = actor.sees ?? actor.containers;
  if (seen === "all") return document;
  return { ...document, containerTags: document.containerTags.filter((tag) => seen.includes(tag)) };
}

/** True when the actor may see something in these containers. */
export function maySee(actor: Actor, containerTags: readonly string[]): boolean {
  const { containers } = actor;
  return containers === "all" || containerTags.some((tag) => containers.includes(tag));
}
