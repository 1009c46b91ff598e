import type { StoreNouns } from "../ports.js";
import type { Memory } from "../types.js";
import type { Batch, FactWriting } from "./fact-writing.js";
import { forgetBatch } from "./forget.js";
import { isUntouched } from "./read-again.js";
import { isActiveIn } from "./related-facts.js";
import type { StatedCandidate } from "./resolve-facts.js";
import { replacedBy } from "./set-aside.js";
import { judgeFact } from "./trust.js";

/** Outcomes of facts that say something now. */
const HOLDS: ReadonlySet<string> = new Set(["added", "updated", "extended", "duplicate"]);

/** Forgets memories whose place another one takes, and says so of both. */
export async function forgetReplaced(
  nouns: StoreNouns,
  { actor }: FactWriting,
  { by, replaced }: { readonly by: string; readonly replaced: readonly Memory[] },
  batch: Batch,
): Promise<void> {
  if (replaced.length === 0) return;
  await forgetBatch(nouns, actor, replaced, { reason: replacedBy(by), batchId: batch.id });
  for (const { id } of replaced) await nouns.memories.relate(actor.organizationId, by, id, "updates");
}

/** What the document said of the same before its sentence was changed; null when that is not certain. */
export async function formerStatement(
  nouns: StoreNouns,
  writing: FactWriting,
  candidate: StatedCandidate,
  { stated, read }: Batch,
): Promise<Memory | null> {
  if (candidate.insteadOf === undefined) return null;
  const beginning = (text: string) => read(text).pieces.slice(0, 2).join(" ");
  const former = await onlyStatedIn(nouns, writing, candidate.insteadOf);
  const [first, ...more] = former.filter(
    ({ id, text }) => !stated.has(id) && beginning(text) === beginning(candidate.text),
  );
  return more.length === 0 ? (first ?? null) : null;
}

/**
 * Forgets what only the former sentences of a document said, once the sentences that took their place say something. What the
 * document states in other sentences, or others state too, or a person has touched, stays; and so does all when it would be
 * more than one document may replace.
 */
export async function forgetFormerStatements(nouns: StoreNouns, writing: FactWriting, batch: Batch): Promise<void> {
  for (const [index, { candidate, judgement }] of writing.resolution.facts.entries()) {
    const written = batch.written[index];
    if (candidate.insteadOf === undefined || !written || !HOLDS.has(written.outcome)) continue;
    const former = (await onlyStatedIn(nouns, writing, candidate.insteadOf)).filter(
      (memory) => !batch.stated.has(memory.id) && !judgeFact(candidate, writing.origin, memory, judgement).isFlagged,
    );
    if (batch.superseded + former.length > writing.maxSuperseded) continue;
    batch.superseded += former.length;
    await forgetReplaced(nouns, writing, { by: written.id, replaced: former }, batch);
  }
}

/** The active memories that nobody has stated but one sentence of this document, and that nobody has done anything with. */
async function onlyStatedIn(
  { memories, journal }: StoreNouns,
  writing: FactWriting,
  sentence: string,
): Promise<readonly Memory[]> {
  const { actor, documentId } = writing;
  const { organizationId } = actor;
  const alone = (await memories.ofDocument(organizationId, documentId)).filter(
    (memory) => memory.sourceCount === 1 && isActiveIn(memory, writing),
  );
  const statements = await memories.statements(
    organizationId,
    alone.map(({ id }) => id),
  );
  const quoted = new Set(
    statements
      .filter(({ documentId: of, quote }) => of === documentId && isWithin(quote, sentence))
      .map(({ memoryId }) => memoryId),
  );
  const untouched: Memory[] = [];
  for (const memory of alone)
    if (quoted.has(memory.id) && (await isUntouched({ memories, journal }, organizationId, memory.id)))
      untouched.push(memory);
  return untouched;
}

function isWithin(quote: string | null, sentence: string): boolean {
  const words = (quote ?? "").replace(/\s+/gu, " ").trim();
  return words !== "" && sentence.includes(words);
}
