import { firstVersionId } from "../memories/first-version-id.js";
import { iso } from "../../lib/time.js";
import { judgeStatements } from "../access/end-user.js";
import { maySee } from "../auth.js";
import type { CoreContext } from "../context.js";
import type { Actor, Memory, Relation } from "../types.js";

/** A memory related to another. */
export interface RelatedMemory {
  readonly relation: Relation;
  /** Number of versions between the two: -1 for the memory it replaced, 1 for the one that replaced it; null for other facts. */
  readonly distance: number | null;
  readonly memory: Memory;
}

/** The earlier and later versions of a memory, and the other facts that it extends or derives from, or that do so from it. */
export interface Relatives {
  /** Nearest first. */
  readonly older: readonly RelatedMemory[];
  /** Nearest first; empty for the newest version. */
  readonly newer: readonly RelatedMemory[];
  /** The newest version of each, oldest relation first. */
  readonly related: readonly RelatedMemory[];
}

/**
 * The relatives of memories, by memory id. A relation of any version applies to all versions of a fact.
 * @param wanted `includeForgotten`: false leaves out what was forgotten or is over; `endUserId` leaves out what others stated
 */
export async function readRelatives(
  { store, clock }: CoreContext,
  actor: Actor,
  memories: readonly Memory[],
  { includeForgotten, endUserId }: { readonly includeForgotten: boolean; readonly endUserId?: string | undefined },
): Promise<Map<string, Relatives>> {
  const { organizationId } = actor;
  const now = iso(clock.now());
  const chains = chainsOf(await store.memories.versions(organizationId, [...new Set(memories.map(firstVersionId))]));
  const ids = [...chains.values()].flat().map((memory) => memory.id);
  const relations = (await store.memories.relations(organizationId, ids)).filter(
    ({ relation }) => relation !== "updates",
  );
  const ends = await store.memories.byIds(
    organizationId,
    relations.flatMap(({ fromId, toId }) => [fromId, toId]),
  );
  const roots = new Map(ends.map((memory) => [memory.id, firstVersionId(memory)]));
  const others = chainsOf(await store.memories.versions(organizationId, [...new Set(roots.values())]));
  const told = [...chains.values(), ...others.values()].flat();
  const isStated = await judgeStatements(store, organizationId, endUserId, told);
  const isShown = (memory: Memory) =>
    isStated(memory) &&
    maySee(actor, [memory.containerTag]) &&
    (includeForgotten || (!memory.isForgotten && (memory.forgetAfter === null || memory.forgetAfter > now)));

  const relatedTo = (root: string): RelatedMemory[] => {
    const found = new Map<string, RelatedMemory>();
    for (const { fromId, toId, relation } of relations) {
      const [from, to] = [roots.get(fromId), roots.get(toId)];
      if (from !== root && to !== root) continue;
      const other = from === root ? to : from;
      const newest = others.get(other ?? root)?.at(-1);
      if (newest && other !== root && isShown(newest))
        found.set(newest.id, { relation, distance: null, memory: newest });
    }
    return [...found.values()];
  };

  return new Map(
    memories.map((memory) => {
      const chain = chains.get(firstVersionId(memory)) ?? [];
      const place = chain.findIndex((version) => version.id === memory.id);
      const versions = chain
        .map((version, index) => ({ relation: "updates" as const, distance: index - place, memory: version }))
        .filter(({ distance, memory }) => distance !== 0 && isShown(memory));
      return [
        memory.id,
        {
          older: versions.filter(({ distance }) => distance < 0).reverse(),
          newer: versions.filter(({ distance }) => distance > 0),
          related: relatedTo(firstVersionId(memory)),
        },
      ];
    }),
  );
}

/** Versions by the id of the first one, oldest first. */
function chainsOf(memories: readonly Memory[]): Map<string, Memory[]> {
  const chains = new Map<string, Memory[]>();
  for (const memory of memories) {
    const chain = chains.get(firstVersionId(memory));
    if (chain) chain.push(memory);
    else chains.set(firstVersionId(memory), [memory]);
  }
  return chains;
}
