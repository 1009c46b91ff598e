import type { Repositories } from "../ports.js";
import type { Memory } from "../types.js";
import { outcomeOf, type Batch, type FactWriting, type JudgedVector } from "./fact-writing.js";
import { insertMemory } from "./insert-memory.js";
import type { Related } from "./related-facts.js";
import type { StatedCandidate } from "./resolve-facts.js";
import { isByStranger } from "./trust.js";

/**
 * Writes what memories that a fact ends say of the new value, as their next versions: a question about the bank is not answered
 * by "I switched from N26 to Revolut".
 * @returns the relation of the fact itself, without these
 */
export async function writeRestated(
  repositories: Repositories,
  writing: FactWriting,
  { fact, related }: { readonly fact: JudgedVector; readonly related: Related },
  batch: Batch,
): Promise<Related> {
  // The fact itself then replaces nothing, and takes room of its own.
  if (related.kind !== "updates" || !related.restated || batch.room <= 0) return related;
  const { actor, container, resolution, origin, isApproved } = writing;
  const mayLast = isApproved === true || !isByStranger({ origin, speaker: fact.candidate.speaker });
  const memories: Memory[] = [];
  for (const memory of related.memories) {
    const text = related.restated.get(memory.id);
    const isKnown =
      text !== undefined && (await repositories.memories.byText(actor.organizationId, container.tag, text));
    // Until when the new value holds is not known.
    const isEndless = memory.forgetAfter !== null && fact.candidate.forgetAfter === undefined;
    if (text === undefined || isKnown || isEndless) {
      memories.push(memory);
      continue;
    }
    const vector = resolution.restated?.get(text) ?? null;
    const restated = {
      ...fact,
      candidate: restating(fact.candidate, { ...memory, isStatic: memory.isStatic && mayLast }, text),
      vector,
    };
    const inserted = await insertMemory(repositories, writing, restated, { batch, replaced: memory });
    batch.stated.add(inserted.id);
    batch.restated.push({ ...outcomeOf(inserted, "updated"), replaced: memory.id });
    batch.lacksVectors ||= vector === null;
  }
  return memories.length > 0 ? { kind: "updates", memories } : { kind: "new" };
}

/** Dates, names and buckets of the fact are about the change. */
function restating(
  { quote, quoteAt, likelyQuote, forgetAfter, forgetReason, metadata, speaker }: StatedCandidate,
  { kind, isStatic }: Memory,
  text: string,
): StatedCandidate {
  return {
    text,
    kind,
    isStatic,
    ...(quote !== undefined && { quote }),
    ...(quoteAt && { quoteAt }),
    ...(likelyQuote !== undefined && { likelyQuote }),
    ...(forgetAfter !== undefined && { forgetAfter }),
    ...(forgetReason !== undefined && { forgetReason }),
    ...(metadata !== undefined && { metadata }),
    ...(speaker !== undefined && { speaker }),
  };
}
