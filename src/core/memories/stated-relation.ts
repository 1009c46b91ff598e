import { firstVersionId } from "./first-version-id.js";
import type { Repositories } from "../ports.js";
import type { Memory } from "../types.js";
import type { Batch, FactWriting } from "./fact-writing.js";
import { speaksOfNow } from "./fact-time.js";
import { isBefore } from "./decision.js";
import { decide } from "./relate.js";
import { isActiveIn, restatedAmong, saidAt, withDates, type Related } from "./related-facts.js";
import type { StatedCandidate } from "./resolve-facts.js";

/** A stated relation that holds, or the finding that the fact already exists. */
export type HeldRelation = Related | { readonly kind: "duplicate"; readonly memory: Memory };

/** The most memories that one fact may be said to replace. */
const MOST_TARGETS = 20;

/**
 * Verifies what somebody who was shown memories, a language model or an agent, says about a fact, inside the transaction. Only
 * memories currently active in this container are considered. If one was replaced meanwhile, its replacement is updated
 * instead, unless this batch stated that; whether the fact repeats or extends it has to be decided anew.
 * @returns null when nothing valid was stated, so that rules decide
 */
export async function relateAsStated(
  repositories: Repositories,
  writing: FactWriting,
  candidate: StatedCandidate,
  batch: Batch,
): Promise<HeldRelation | null> {
  const { relation } = candidate;
  switch (relation?.kind) {
    case "duplicate": {
      const memory = await activeNow(repositories, writing, relation.id);
      return memory && !(await contradicts(repositories, writing, candidate, memory))
        ? { kind: "duplicate", memory }
        : null;
    }
    case "extends": {
      const memory = await activeNow(repositories, writing, relation.id);
      return memory && { kind: "extends", memory };
    }
    case "updates":
      return updateOf(
        repositories,
        writing,
        { candidate, targets: await targetsOf(repositories, writing, relation.ids, batch) },
        batch,
      );
    default:
      return null;
  }
}

/** The newest version of a memory of this container, or null when it has gone meanwhile. */
export async function latestVersion(
  repositories: Repositories,
  writing: FactWriting,
  id: string,
): Promise<Memory | null> {
  const { organizationId } = writing.actor;
  const memory = await repositories.memories.byId(organizationId, id);
  if (!memory || memory.containerTag !== writing.container.tag) return null;
  const latest = memory.isLatest
    ? memory
    : await repositories.memories.latestOf(organizationId, firstVersionId(memory));
  return latest?.containerTag === writing.container.tag && !latest.isForgotten ? latest : null;
}

/** A memory currently active in this very container; not one of a deleted container with the same tag. */
export async function activeNow(repositories: Repositories, writing: FactWriting, id: string): Promise<Memory | null> {
  const { organizationId } = writing.actor;
  const memory = await repositories.memories.byId(organizationId, id);
  if (!memory || !isActiveIn(memory, writing)) return null;
  const container = await repositories.memories.containerOf(organizationId, id);
  return container?.id === writing.container.id ? memory : null;
}

async function targetsOf(
  repositories: Repositories,
  writing: FactWriting,
  ids: readonly string[],
  { stated }: Batch,
): Promise<Memory[]> {
  const targets = new Map<string, Memory>();
  for (const id of ids.slice(0, MOST_TARGETS)) {
    const latest = await latestVersion(repositories, writing, id);
    const target = latest && !stated.has(latest.id) ? await activeNow(repositories, writing, latest.id) : null;
    if (target) targets.set(target.id, target);
  }
  return [...targets.values()];
}

/** The fact replaces only what its own time allows, and nothing that was said after it. */
async function updateOf(
  repositories: Repositories,
  writing: FactWriting,
  { candidate, targets }: { readonly candidate: StatedCandidate; readonly targets: readonly Memory[] },
  batch: Batch,
): Promise<Related | null> {
  if (targets.length === 0) return null;
  const said = saidAt(candidate, writing);
  const known = await withDates(repositories, writing, targets);
  const newer = known.find((other) => isBefore(said, other.saidAt));
  const by = newer && targets.find(({ id }) => id === newer.memory.id);
  if (by) return { kind: "outdated", by };
  const replaced = targets.filter((target) => {
    const saidOfIt = known.find(({ memory }) => memory.id === target.id)?.saidAt ?? target.createdAt;
    return speaksOfNow(candidate, said, { ...target, saidAt: saidOfIt });
  });
  if (replaced.length === 0) return { kind: "new" };
  const restated = await restatedAmong(repositories, writing, { candidate, replaced }, batch);
  return { kind: "updates", memories: replaced, ...(restated && { restated }) };
}

/** What rules can recognise as the opposite is not a repetition, whoever says so. */
async function contradicts(
  repositories: Repositories,
  writing: FactWriting,
  candidate: StatedCandidate,
  memory: Memory,
): Promise<boolean> {
  const [known] = await withDates(repositories, writing, [memory]);
  if (!known) return false;
  const { kind } = decide({ text: candidate.text, saidAt: saidAt(candidate, writing) }, [known]);
  return kind === "updates" || kind === "outdated";
}
