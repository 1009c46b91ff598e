import { createId } from "../../lib/ids.js";
import { firstVersionId } from "../memories/first-version-id.js";
import { copyMemories } from "../memories/copy.js";
import { forgetParted, guessesParted } from "../memories/forget.js";
import { forgetLeaving } from "../memories/forget-leaving.js";
import { isActive } from "../memories/find-memory.js";
import { moveMemories } from "../memories/move.js";
import { divideChains, partChains } from "../memories/part-chains.js";
import { takenOutOf } from "../memories/set-aside.js";
import type { ContainerRow, Repositories } from "../ports.js";
import type { Actor, Document, Memory } from "../types.js";
import { formsMemories } from "./memory-paths.js";

/** A document that moves to other containers. */
export interface Moving {
  readonly document: Document;
  readonly tags: readonly string[];
  readonly now: Date;
}

/** What the steps of one move share. */
interface Move extends Moving {
  readonly repositories: Repositories;
  readonly actor: Actor;
  readonly organizationId: string;
}

/**
 * Moves what a document states to its new containers, as it is now, inside a transaction. What only this document states in a
 * container that it leaves goes to the first new container, with those of its versions that nothing else there states,
 * including forgotten ones: what was forgotten stays so. What it had replaced holds again where it stays. What others also
 * state stays there without it. The other new containers get copies of what it states in a container that it leaves, or
 * otherwise in its first.
 * @returns false when it never stated anything there, so that it has to be read for the new containers
 */
export async function moveStated(repositories: Repositories, actor: Actor, moving: Moving): Promise<boolean> {
  const { organizationId, containerTags, id } = moving.document;
  const { tags } = moving;
  const move: Move = { ...moving, repositories, actor, organizationId };
  const stated = (await repositories.memories.ofDocument(organizationId, id)).filter((memory) =>
    containerTags.includes(memory.containerTag),
  );
  const places = containerTags.filter((tag) => stated.some(({ containerTag }) => containerTag === tag));
  const origin = places.find((tag) => !tags.includes(tag)) ?? places[0];
  const copied = stated.filter(({ containerTag }) => containerTag === origin);
  const left = stated.filter(({ containerTag, isLatest }) => isLatest && !tags.includes(containerTag));
  const [alone, shared] = [left.filter(({ sourceCount }) => sourceCount <= 1), left.filter(isSharedNow)];
  const added = tags.filter((tag) => !containerTags.includes(tag));
  const targets = await repositories.containers.ensure(organizationId, added);
  const copies = await worthCopying(move, copied);
  await takeAlong(move, alone, targets[0]);
  for (const target of targets) await copyInto(move, copies, target);
  for (const memory of shared) await repositories.memories.removeSource(organizationId, memory.id, id);
  return places.length > 0;
}

function isSharedNow({ sourceCount, isForgotten }: Memory): boolean {
  return sourceCount > 1 && !isForgotten;
}

/** Moves memories into a container, or forgets them when there is none. */
async function takeAlong(move: Move, moved: readonly Memory[], target: ContainerRow | undefined): Promise<void> {
  const { repositories, actor, organizationId, document } = move;
  if (!target) {
    const active = moved.filter(({ isForgotten }) => !isForgotten);
    const leaving = { documentId: document.id, reason: takenOutOf(document.id), batchId: createId() };
    return forgetLeaving(repositories, actor, active, leaving);
  }
  const parting = { organizationId, documentId: document.id };
  const chains = await divideChains(repositories, await withOlder(repositories, organizationId, moved), parting);
  const along = chains.flatMap((chain) => chain.going);
  const parted = await guessesParted(repositories, organizationId, along);
  await forgetParted(repositories, actor, parted);
  // They stay where they were: in the new container not all of their sources would be active.
  const staying = new Set(parted.map(firstVersionId));
  const going = along.filter((memory) => !staying.has(firstVersionId(memory)));
  await moveMemories(repositories, actor, going, target, `document ${document.id} was moved to ${target.tag}`);
  const torn = chains.filter(({ going: versions }) =>
    versions.every((version) => !staying.has(firstVersionId(version))),
  );
  await partChains(repositories, torn, parting);
}

async function copyInto(move: Move, copied: readonly Memory[], target: ContainerRow): Promise<void> {
  const { repositories, actor, organizationId, document } = move;
  if (!(await formsMemories(repositories, organizationId, target.tag, document.filepath))) return;
  const cause = `document ${document.id} was moved to ${target.tag}`;
  await copyMemories(repositories, actor, copied, { documentId: document.id, target, cause });
}

/** Active memories, except those derived from other memories, which need not exist there. */
async function worthCopying(
  { repositories, organizationId, now }: Move,
  memories: readonly Memory[],
): Promise<Memory[]> {
  const active = memories.filter((memory) => isActive(memory, now));
  const relations = await repositories.memories.relations(
    organizationId,
    active.map(({ id }) => id),
  );
  const derived = new Set(relations.filter(({ relation }) => relation === "derives").map(({ fromId }) => fromId));
  return active.filter(({ id, isInference }) => !isInference || !derived.has(id));
}

/** The same with their older versions in the same container: a split chain leads from one container into another. */
async function withOlder(
  { memories }: Repositories,
  organizationId: string,
  moved: readonly Memory[],
): Promise<readonly Memory[]> {
  const known = new Set(moved.map(({ id }) => id));
  const places = new Map(moved.map((memory) => [firstVersionId(memory), memory.containerTag]));
  const versions = await memories.versions(organizationId, [...places.keys()], { withUndone: true });
  const older = versions.filter(
    (version) => !known.has(version.id) && places.get(firstVersionId(version)) === version.containerTag,
  );
  return [...moved, ...older];
}
