import { systemActor } from "../auth.js";
import { groupBy } from "../../lib/group-by.js";
import { createId } from "../../lib/ids.js";
import type { Repositories } from "../ports.js";
import type { Memory } from "../types.js";
import { isStatedBeside, makeLatest, mayHoldAgain } from "./forget-leaving.js";
import { noteMemory } from "./memory-state.js";
import { firstVersionId } from "./first-version-id.js";

/** What a moved document leaves in its old container. */
export interface Parting {
  readonly organizationId: string;
  readonly documentId: string;
}

/** A chain of which some versions go, and some stay. */
export interface PartedChain {
  readonly going: readonly Memory[];
  readonly staying: readonly Memory[];
}

/**
 * Divides whole chains, each with its newest version, which goes: of the older ones, those that only this document states go
 * too.
 */
export async function divideChains(
  repositories: Repositories,
  versions: readonly Memory[],
  { organizationId, documentId }: Parting,
): Promise<readonly PartedChain[]> {
  const chains: PartedChain[] = [];
  for (const [, chain] of groupBy(versions, firstVersionId)) {
    const [going, staying]: [Memory[], Memory[]] = [[], []];
    const ids = chain.map(({ id }) => id);
    const sources = await repositories.memories.sources(organizationId, ids);
    const own = new Set(sources.filter((source) => source.documentId === documentId).map(({ memoryId }) => memoryId));
    for (const version of chain) {
      const goes =
        version.isLatest ||
        (own.has(version.id) && !(await isStatedBeside(repositories, organizationId, version, { documentId })));
      (goes ? going : staying).push(version);
    }
    chains.push({ going: inOrder(going), staying: inOrder(staying) });
  }
  return chains;
}

/**
 * Splits each chain with separated versions in two, once those that go have gone. The newest of those that stay holds again if
 * it is still stated there, unless a person had forgotten what replaced it.
 */
export async function partChains(
  repositories: Repositories,
  chains: readonly PartedChain[],
  { organizationId, documentId }: Parting,
): Promise<void> {
  const batchId = createId();
  for (const { going, staying } of chains) {
    const newest = going.find(({ isLatest }) => isLatest);
    if (staying.length === 0 || !newest) continue;
    for (const part of [going, staying]) await chainAnew(repositories, organizationId, part);
    const open = staying.toReversed().filter(({ isForgotten }) => !isForgotten);
    let head: Memory | undefined;
    for (const version of open)
      if (!head && (await isStatedBeside(repositories, organizationId, version, { documentId }))) head = version;
    const holds = !newest.isForgotten && head && (await mayHoldAgain(repositories, organizationId, head));
    const top = head ?? open[0] ?? staying.at(-1);
    if (!top) continue;
    if (holds) await makeLatest(repositories, organizationId, top);
    else
      await repositories.memories.update(organizationId, top.id, {
        isLatest: true,
        isForgotten: true,
        forgetReason: "what replaced it was moved",
      });
    const noted = { batchId, action: "memory.reverted", cause: "what took its place was moved" };
    await noteMemory(repositories, systemActor(organizationId), noted, { before: newest, after: { id: top.id } });
  }
}

function inOrder(versions: readonly Memory[]): readonly Memory[] {
  return versions.toSorted((one, other) => one.version - other.version || one.seq - other.seq);
}

/** Makes these versions a chain of their own, numbered from 1. */
async function chainAnew(
  repositories: Repositories,
  organizationId: string,
  versions: readonly Memory[],
): Promise<void> {
  const [first] = versions;
  if (!first) return;
  for (const [index, { id }] of versions.entries()) {
    const parentId = versions[index - 1]?.id ?? null;
    const lineage = { parentId, rootId: parentId === null ? null : first.id, version: index + 1 };
    await repositories.memories.update(organizationId, id, { lineage });
  }
}
