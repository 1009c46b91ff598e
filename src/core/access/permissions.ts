import type { Actor, Permission } from "../types.js";

/** True for an actor who may change nothing at all. */
export function isReader({ containers, readOnly = [] }: Pick<Actor, "containers" | "readOnly">): boolean {
  return readOnly === "all" || (containers !== "all" && containers.every((tag) => readOnly.includes(tag)));
}

/** What an actor may do with one of their containers. */
export function permissionOn({ readOnly = [] }: Pick<Actor, "readOnly">, containerTag: string): Permission {
  return readOnly === "all" || readOnly.includes(containerTag) ? "read" : "write";
}

/** Id of the key that an actor used, or null for an actor without one. */
export function keyIdOf({ name }: Pick<Actor, "name">): string | null {
  return /^key:(.+)$/.exec(name)?.[1] ?? null;
}
