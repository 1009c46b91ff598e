import { iso } from "../../lib/time.js";
import type { Repositories } from "../ports.js";
import type { Memory, RememberedFact } from "../types.js";
import { outcomeOf, takeRoom, twinOf, type Batch, type FactWriting } from "./fact-writing.js";
import { isWithdrawn } from "./forget.js";
import { insertMemory } from "./insert-memory.js";
import type { ResolvedFact } from "./resolve-facts.js";
import { activeNow } from "./stated-relation.js";
import { judgeFact, trustOf, type JudgedFact } from "./trust.js";

/** Something that follows from fewer memories would merely restate one. */
const FEWEST_SOURCES = 2;

/**
 * Writes a conclusion from several memories as a guess that waits for review, related to each of them; it replaces and
 * strengthens nothing. It expires with the first of them, and is trusted as little as the least trusted.
 * @returns null when it is already known, was refused before, when not all of its sources are currently active, or when there
 * is no room
 */
export async function writeDerived(
  repositories: Repositories,
  writing: FactWriting,
  fact: ResolvedFact,
  batch: Batch,
): Promise<RememberedFact | null> {
  const { organizationId } = writing.actor;
  const sources = await sourcesOf(repositories, writing, fact, batch.written);
  if (!sources || (await isKnown(repositories, writing, fact, batch))) return null;
  const { updates: _updates, ...stated } = fact.candidate;
  const candidate = { ...stated, isStatic: false, isInference: true, ...endOf([stated, ...sources]) };
  const judged = judgeFact(candidate, writing.origin, null, fact.judgement);
  // An instruction is not a conclusion.
  if (judged.isFlagged || !takeRoom(batch)) return null;
  const label = judged.label ?? labelFrom(sources);
  const memory = await insertMemory(repositories, writing, { ...fact, ...judged, label }, { batch });
  for (const source of sources) await repositories.memories.relate(organizationId, memory.id, source.id, "derives");
  return outcomeOf(memory, "review");
}

/** All memories it is said to follow from; null unless each of them is active and was stated by somebody. */
async function sourcesOf(
  repositories: Repositories,
  writing: FactWriting,
  { candidate: { relation } }: ResolvedFact,
  written: readonly (RememberedFact | null)[],
): Promise<readonly Memory[] | null> {
  if (relation?.kind !== "derives") return null;
  const ids = [...relation.ids, ...(relation.facts ?? []).map((place) => written[place]?.id ?? "")];
  const sources: Memory[] = [];
  for (const id of new Set(ids)) {
    const memory = id === "" ? null : await activeNow(repositories, writing, id);
    if (!memory || memory.isInference) return null;
    sources.push(memory);
  }
  return sources.length >= FEWEST_SOURCES ? sources : null;
}

/** What was once forgotten or declined is not guessed again, unless it was forgotten only because of its sources. */
async function isKnown(
  repositories: Repositories,
  { actor, container, now }: FactWriting,
  fact: ResolvedFact,
  batch: Batch,
): Promise<boolean> {
  const { organizationId } = actor;
  const twinId = twinOf(fact, batch);
  const twin = twinId === null ? null : await repositories.memories.byId(organizationId, twinId);
  if (twin?.isLatest && !twin.isForgotten) return true;
  if (await repositories.memories.byText(organizationId, container.tag, fact.candidate.text)) return true;
  const earlier = await repositories.memories.byExactText(organizationId, container.tag, fact.candidate.text);
  return earlier.some(
    (memory) => !isWithdrawn(memory) || (memory.forgetAfter !== null && memory.forgetAfter <= iso(now)),
  );
}

function endOf(parts: readonly { readonly forgetAfter?: string | null }[]): { forgetAfter?: string } {
  const [first] = parts.flatMap(({ forgetAfter }) => forgetAfter ?? []).toSorted();
  return first === undefined ? {} : { forgetAfter: first };
}

function labelFrom(sources: readonly Memory[]): JudgedFact<ResolvedFact["candidate"]>["label"] {
  return sources.some((source) => trustOf(source) !== "trusted") ? { trust: "unverified" } : null;
}
