import { fold } from "../../language/words.js";
import type { Repositories } from "../ports.js";
import type { Memory } from "../types.js";
import { outcomeOf, type Batch, type FactWriting, type JudgedVector } from "./fact-writing.js";
import { activeWithText, insertMemory } from "./insert-memory.js";
import { isSameFact } from "./near-duplicates.js";
import { readingOf } from "./reading.js";
import type { Related } from "./related-facts.js";
import type { StatedCandidate } from "./resolve-facts.js";
import { valueWords } from "./slot-values.js";
import { readStatedValues } from "./stated-values.js";
import { keyOf } from "./transitions.js";
import { isByStranger, withoutLabel } from "./trust.js";

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
  const { origin, isApproved, resolution } = writing;
  const mayLast = isApproved === true || !isByStranger({ origin, speaker: fact.candidate.speaker });
  const memories: Memory[] = [];
  for (const memory of related.memories) {
    const text = related.restated.get(memory.id);
    // Until when the new value holds is not known.
    const isEndless = memory.forgetAfter !== null && fact.candidate.forgetAfter === undefined;
    if (text === undefined || isEndless || (await isSaid(repositories, writing, text, batch))) {
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

/** True if a fact of the same text, or a memory, says it. */
async function isSaid(repositories: Repositories, writing: FactWriting, text: string, batch: Batch): Promise<boolean> {
  const isStated = writing.resolution.facts.some(
    ({ candidate }) => candidate.isInference !== true && saysTheSame(candidate.text, text),
  );
  return isStated || (await activeWithText(repositories, writing, text, batch)) !== null;
}

/** "The server is now called badger" says that it is called badger. */
function saysTheSame(one: string, other: string): boolean {
  if (isSameFact(one, other)) return true;
  const said = statesOf(other);
  return statesOf(one).some((state) => said.includes(state));
}

/** What a text itself says of its subject, as keys. */
function statesOf(text: string): readonly string[] {
  const { statement } = readingOf(text);
  return (statement ? readStatedValues(statement) : []).map(({ link, subject, topic, value, scope }) =>
    [link, keyOf(subject, ""), fold(topic), valueWords(value).join(" "), fold(scope)].join("\n"),
  );
}

/** Dates, names and buckets of the fact are about the change. */
function restating(
  { quote, quoteAt, likelyQuote, forgetAfter, forgetReason, metadata, speaker }: StatedCandidate,
  { kind, isStatic, metadata: former }: Memory,
  text: string,
): StatedCandidate {
  const { temporalContext: _formerDates, reviewStatus: _reviewed, ...kept } = withoutLabel(former) ?? {};
  const dates = metadata?.["temporalContext"];
  const known = { ...kept, ...(dates !== undefined && { temporalContext: dates }) };
  return {
    text,
    kind,
    isStatic,
    metadata: Object.keys(known).length > 0 ? known : null,
    ...(quote !== undefined && { quote }),
    ...(quoteAt && { quoteAt }),
    ...(likelyQuote !== undefined && { likelyQuote }),
    ...(forgetAfter !== undefined && { forgetAfter }),
    ...(forgetReason !== undefined && { forgetReason }),
    ...(speaker !== undefined && { speaker }),
  };
}
