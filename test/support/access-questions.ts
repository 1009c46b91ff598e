import { expect } from "vitest";
import { type AccessWorld, HOME, LIBRARY, type Principal } from "./access-world.js";

/** A caller, and the container that they ask about. */
export interface Question {
  readonly who: Principal;
  readonly tag: string;
}

/** Reads one container and writes to another: checked for both. */
const OF_BOTH = "agent, one container to write, one to read";

export function questions({ principals }: AccessWorld): Question[] {
  return principals.flatMap((who) => (who.name === OF_BOTH ? [HOME, LIBRARY] : [HOME]).map((tag) => ({ who, tag })));
}

/** True for a caller who may see where the canary is mentioned. */
export function sees({ rights }: Principal): boolean {
  const containers = rights?.containers ?? {};
  return containers === "all" || HOME in containers || LIBRARY in containers;
}

/** Checks that nothing changes. */
export interface Keeper {
  look(): Promise<void>;
  /** Fails if any stored data differs from the last look. */
  expectUnchanged(): Promise<void>;
  /** A permitted caller may have changed something: the next comparison needs a new look. */
  letChange(): void;
}

export function keep(world: AccessWorld): Keeper {
  let kept: string | null = null;
  return {
    async look() {
      kept ??= await world.everything();
    },
    async expectUnchanged() {
      const before = kept ?? "";
      kept = await world.everything();
      expect(kept === before ? "" : difference(before, kept)).toBe("");
    },
    letChange() {
      kept = null;
    },
  };
}

/** The beginnings of the tables that differ. */
function difference(before: string, after: string): string {
  const tables = new Set(before.split("\n"));
  const changed = after.split("\n").filter((table) => !tables.has(table));
  return `changed: ${changed.map((table) => table.slice(0, 2_000)).join("\n")}`;
}
