import type { Repositories } from "../ports.js";
import type { Memory } from "../types.js";
import type { Batch, FactWriting, FormerStatements } from "./fact-writing.js";
import { firstVersionId } from "./first-version-id.js";
import { letEarlierHold } from "./forget-leaving.js";
import { forgetBatch } from "./forget.js";
import { isUntouched } from "./read-again.js";
import { readingOf } from "./reading.js";
import { isActiveIn } from "./related-facts.js";
import { isOfChange } from "./returns.js";
import type { StatedCandidate } from "./resolve-facts.js";
import { replacedBy } from "./set-aside.js";
import { judgeFact } from "./trust.js";
import { singleSpaced } from "../../lib/single-spaced.js";

/** Outcomes of facts that hold now. */
const HOLDS: ReadonlySet<string> = new Set(["added", "updated", "extended", "duplicate"]);

/** Forgets memories that another one replaces, and records it for both. */
export async function forgetReplaced(
  repositories: Repositories,
  { actor }: FactWriting,
  { by, replaced }: { readonly by: string; readonly replaced: readonly Memory[] },
  batch: Batch,
): Promise<void> {
  if (replaced.length === 0) return;
  await forgetBatch(repositories, actor, replaced, { reason: replacedBy(by), batchId: batch.id });
  for (const { id } of replaced) await repositories.memories.relate(actor.organizationId, by, id, "updates");
}

/** What the document said about the same thing before its sentence was changed; null if that is uncertain. */
export async function formerStatement(
  repositories: Repositories,
  writing: FactWriting,
  candidate: StatedCandidate,
  batch: Batch,
): Promise<Memory | null> {
  if (candidate.insteadOf === undefined) return null;
  const beginning = (text: string) => readingOf(text).pieces.slice(0, 2).join(" ");
  const former = (await statedInSentence(repositories, writing, candidate.insteadOf, batch)).filter(
    ({ text }) => beginning(text) === beginning(candidate.text),
  );
  const [first, ...more] = await untouchedOf(repositories, writing, former, { batch, enough: 2 });
  return more.length === 0 ? (first ?? null) : null;
}

/**
 * Lets memories that a former sentence of the document had restated say again what other documents state: the sentence in its
 * place tells what became of that.
 */
export async function letRestatedGo(
  repositories: Repositories,
  writing: FactWriting,
  { insteadOf }: StatedCandidate,
  batch: Batch,
): Promise<void> {
  if (insteadOf === undefined || !isOfChange(readingOf(insteadOf))) return;
  const { actor, documentId } = writing;
  const stated = await statedInSentence(repositories, writing, insteadOf, batch);
  const restated = stated.filter(({ parentId, text }) => parentId !== null && !isOfChange(readingOf(text)));
  const going = await untouchedOf(repositories, writing, restated, { batch, enough: MOST_STATED });
  const leaving = { documentId, reason: `document ${documentId} was changed`, batchId: batch.id };
  await letEarlierHold(repositories, actor, going, leaving);
  for (const memory of going) {
    const latest = await repositories.memories.latestOf(actor.organizationId, firstVersionId(memory));
    if (latest && latest.id !== memory.id) batch.newcomers.push(latest);
  }
}

/**
 * Forgets what only the former sentences of a document said, once the sentences that replaced them state something. Keeps what
 * the document states in other sentences, what others state too, or what a person has touched; keeps everything if it would
 * exceed what one document may replace.
 */
export async function forgetFormerStatements(
  repositories: Repositories,
  writing: FactWriting,
  batch: Batch,
): Promise<void> {
  for (const [index, { candidate, judgement }] of writing.resolution.facts.entries()) {
    const written = batch.written[index];
    if (candidate.insteadOf === undefined || !written || !HOLDS.has(written.outcome)) continue;
    const room = writing.maxSuperseded - batch.superseded;
    if (room <= 0) return;
    const stated = await statedInSentence(repositories, writing, candidate.insteadOf, batch);
    const isReplaceable = (memory: Memory) => !judgeFact(candidate, writing.origin, memory, judgement).isFlagged;
    const former = await untouchedOf(repositories, writing, stated, { batch, enough: room + 1, isReplaceable });
    if (former.length > room) continue;
    batch.superseded += former.length;
    await forgetReplaced(repositories, writing, { by: written.id, replaced: former }, batch);
  }
}

/** The most memories considered for one sentence: if it states more, nothing is certain. */
const MOST_STATED = 100;

/**
 * The memories that only this sentence of the document stated when the batch began, except those that the batch states itself;
 * none if there are very many.
 */
async function statedInSentence(
  repositories: Repositories,
  writing: FactWriting,
  sentence: string,
  batch: Batch,
): Promise<readonly Memory[]> {
  const former = (batch.former ??= await readFormer(repositories, writing));
  const known = former.ofSentences.get(sentence);
  const stated = known ?? quotedIn(sentence, former);
  if (!known) former.ofSentences.set(sentence, stated);
  return stated.filter(({ id }) => !batch.stated.has(id));
}

function quotedIn(sentence: string, { ofQuotes }: FormerStatements): readonly Memory[] {
  const stated = new Set<Memory>();
  for (const [quote, memories] of ofQuotes) {
    if (!sentence.includes(quote)) continue;
    for (const memory of memories) stated.add(memory);
    if (stated.size > MOST_STATED) return [];
  }
  return [...stated];
}

/**
 * What only this document stated when the batch began. Read once: a document may have thousands of memories, and many changed
 * sentences.
 */
async function readFormer({ memories }: Repositories, writing: FactWriting): Promise<FormerStatements> {
  const { actor, documentId } = writing;
  const alone = (await memories.ofDocument(actor.organizationId, documentId)).filter(
    (memory) => memory.sourceCount === 1 && isActiveIn(memory, writing),
  );
  const byId = new Map(alone.map((memory) => [memory.id, memory]));
  const ofQuotes = new Map<string, Memory[]>();
  for (const statement of await memories.statements(actor.organizationId, [...byId.keys()])) {
    const memory = byId.get(statement.memoryId);
    const quote = singleSpaced(statement.quote ?? "");
    if (!memory || statement.documentId !== documentId || quote === "") continue;
    const quoted = ofQuotes.get(quote);
    if (quoted) quoted.push(memory);
    else ofQuotes.set(quote, [memory]);
  }
  return { ofQuotes, ofSentences: new Map(), untouched: new Map() };
}

interface Wanted {
  readonly batch: Batch;
  /** How many are enough. */
  readonly enough: number;
  readonly isReplaceable?: (memory: Memory) => boolean;
}

/** Those of these memories that are still active and that nobody has touched; at most `enough`. */
async function untouchedOf(
  repositories: Repositories,
  writing: FactWriting,
  memories: readonly Memory[],
  { batch, enough, isReplaceable = () => true }: Wanted,
): Promise<readonly Memory[]> {
  const { organizationId } = writing.actor;
  const ids = memories.map(({ id }) => id);
  const present = ids.length > 0 ? await repositories.memories.byIds(organizationId, ids) : [];
  const found: Memory[] = [];
  for (const memory of present) {
    if (found.length === enough) break;
    if (memory.sourceCount !== 1 || !isActiveIn(memory, writing)) continue;
    const known = batch.former?.untouched.get(memory.id);
    const isFree = known ?? (await isUntouched(repositories, organizationId, memory.id));
    batch.former?.untouched.set(memory.id, isFree);
    if (isFree && isReplaceable(memory)) found.push(memory);
  }
  return found;
}
