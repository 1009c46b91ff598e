import { maySee } from "../auth.js";
import { copyMemories } from "../memories/copy.js";
import { forgetMemories, forgetParted, guessesParted } from "../memories/forget.js";
import { isActive } from "../memories/find-memory.js";
import { moveMemories } from "../memories/move.js";
import { takenOutOf } from "../memories/set-aside.js";
import type { ContainerRow, StoreNouns } from "../ports.js";
import type { Actor, Document, Memory } from "../types.js";
import { formsMemories } from "./memory-paths.js";

/** A document that goes to other containers. */
export interface Moving {
  readonly document: Document;
  readonly tags: readonly string[];
  readonly now: Date;
}

/** What the steps of one move share. */
interface Move extends Moving {
  readonly nouns: StoreNouns;
  readonly actor: Actor;
  readonly organizationId: string;
}

/**
 * Takes what a document states to its new containers, as it is now, inside a transaction. What it alone states in a
 * container that it leaves goes to the first new one with all its versions, forgotten ones too: what was forgotten stays
 * so. What others state too stays there without it. All others get copies of what it states in the first of the old ones.
 * @returns false when it states nothing, so that it has to be read for the new ones
 */
export async function moveStated(nouns: StoreNouns, actor: Actor, moving: Moving): Promise<boolean> {
  const { organizationId, containerTags, id } = moving.document;
  const { tags } = moving;
  const move: Move = { ...moving, nouns, actor, organizationId };
  const all = (await nouns.memories.ofDocument(organizationId, id)).filter((memory) =>
    maySee(actor, [memory.containerTag]),
  );
  const left = all.filter(({ containerTag, isLatest }) => isLatest && !tags.includes(containerTag));
  const added = tags.filter((tag) => !containerTags.includes(tag));
  const targets = await nouns.containers.ensure(organizationId, added);
  const isShared = (memory: Memory) => memory.sourceCount > 1;
  const home = containerTags.find((tag) => all.some(({ containerTag }) => containerTag === tag));
  const copied = await worthCopying(
    move,
    all.filter(({ containerTag }) => containerTag === home),
  );
  await takeAlong(
    move,
    left.filter((memory) => !isShared(memory)),
    targets[0],
  );
  for (const target of targets) await copyInto(move, copied, target);
  for (const memory of left)
    if (isShared(memory) && !memory.isForgotten) await nouns.memories.removeSource(organizationId, memory.id, id);
  return all.length > 0;
}

/** Moves memories into a container, or forgets them when there is none. */
async function takeAlong(move: Move, moved: readonly Memory[], target: ContainerRow | undefined): Promise<void> {
  const { nouns, actor, organizationId, document } = move;
  if (!target) {
    const active = moved.filter(({ isForgotten }) => !isForgotten);
    return forgetMemories(nouns, actor, active, takenOutOf(document.id));
  }
  const whole = await withOlder(nouns, organizationId, moved);
  // Before they go: the journal of the new container must not tell what was not all told there.
  await forgetParted(nouns, actor, await guessesParted(nouns, organizationId, whole));
  const ids = whole.map(({ id }) => id);
  const present = await nouns.memories.byIds(organizationId, ids);
  await moveMemories(nouns, actor, present, target, `document ${document.id} was moved to ${target.tag}`);
}

async function copyInto(move: Move, copied: readonly Memory[], target: ContainerRow): Promise<void> {
  const { nouns, actor, organizationId, document } = move;
  if (!(await formsMemories(nouns, organizationId, target.tag, document.filepath))) return;
  const cause = `document ${document.id} was moved to ${target.tag}`;
  await copyMemories(nouns, actor, copied, { documentId: document.id, target, cause });
}

/** What is told now, without what follows from other memories: those need not be there. */
async function worthCopying({ nouns, organizationId, now }: Move, memories: readonly Memory[]): Promise<Memory[]> {
  const active = memories.filter((memory) => isActive(memory, now));
  const relations = await nouns.memories.relations(
    organizationId,
    active.map(({ id }) => id),
  );
  const derived = new Set(relations.filter(({ relation }) => relation === "derives").map(({ fromId }) => fromId));
  return active.filter(({ id, isInference }) => !isInference || !derived.has(id));
}

/** The same with their older versions in the same container: a chain that is torn leads from one container into another. */
async function withOlder(
  { memories }: StoreNouns,
  organizationId: string,
  moved: readonly Memory[],
): Promise<readonly Memory[]> {
  const known = new Set(moved.map(({ id }) => id));
  const places = new Map(moved.map(({ id, rootId, containerTag }) => [rootId ?? id, containerTag]));
  const versions = await memories.versions(organizationId, [...places.keys()], { withUndone: true });
  const older = versions.filter(
    ({ id, rootId, containerTag }) => !known.has(id) && places.get(rootId ?? id) === containerTag,
  );
  return [...moved, ...older];
}
