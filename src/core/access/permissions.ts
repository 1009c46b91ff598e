import type { Actor, Permission } from "../types.js";

/** True for somebody who may change nothing at all. */
export function isReader({ containers, readOnly = [] }: Pick<Actor, "containers" | "readOnly">): boolean {
  return readOnly === "all" || (containers !== "all" && containers.every((tag) => readOnly.includes(tag)));
}

/** What somebody may do with a container that is one of theirs. */
export function permissionOn({ readOnly = [] }: Pick<Actor, "readOnly">, containerTag: string): Permission {
  return readOnly === "all" || readOnly.includes(containerTag) ? "read" : "write";
}

/** Id of the key that an actor came in with, or null for whoever came in otherwise. */
export function keyIdOf({ name }: Pick<Actor, "name">): string | null {
  return /^key:(.+)$/.exec(name)?.[1] ?? null;
}
