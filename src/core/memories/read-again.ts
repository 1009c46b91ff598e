import { iso } from "../../lib/time.js";
import { isStopWord, tokenise } from "../../language/words.js";
import { systemActor } from "../auth.js";
import type { Repositories } from "../ports.js";
import type { Memory } from "../types.js";
import { isActive } from "./find-memory.js";
import { forgetBatch, isWithdrawn } from "./forget.js";
import type { ReadingAgain } from "./fact-writing.js";
import { isSameFact } from "./near-duplicates.js";
import { readingOf } from "./reading.js";
import type { StatedCandidate } from "./resolve-facts.js";
import { isSetAside } from "./set-aside.js";
import { agrees, isSamePlace } from "./slots.js";

/** Prefix of the reason when a newer reading drops a fact; a later reading may find it again. */
const NOT_FOUND = "not found any more in document";

/** The reason for a memory that a newer reading of its document dropped. */
export function notFoundIn(documentId: string, cause: string): string {
  return `${NOT_FOUND} ${documentId}, ${cause}`;
}

/** Two texts with this share of the shorter one's words in common are two wordings of the same sentence. */
const SAME_WORDS = 0.6;

/** A document read again. */
export interface Reread {
  readonly organizationId: string;
  readonly documentId: string;
}

/**
 * Filters out what re-reading a document must not bring back: what it once stated and was forgotten or replaced since, in these
 * words or others and in any of its containers, and what has expired.
 */
export async function withoutPast(
  { memories }: Pick<Repositories, "memories">,
  { organizationId, documentId }: Reread,
  candidates: readonly StatedCandidate[],
  now: Date,
): Promise<StatedCandidate[]> {
  const stated = await memories.ofDocuments(organizationId, [documentId]);
  const past = stated.map(({ memory }) => memory).filter((memory) => isPast(memory, now));
  const statements = await memories.statements(
    organizationId,
    past.map(({ id }) => id),
  );
  const own = statements.filter((statement) => statement.documentId === documentId);
  const quotes = new Map(own.map(({ memoryId, quoteAt }) => [memoryId, quoteAt]));
  return candidates.filter((candidate) => {
    if (candidate.forgetAfter !== undefined && candidate.forgetAfter <= iso(now)) return false;
    return !past.some(({ id, text }) => saysSame(candidate, { text, quoteAt: quotes.get(id) }));
  });
}

/** True for what was forgotten or replaced, or has expired, for reasons other than a reading of its document. */
export function isPast(memory: Memory, now: Date): boolean {
  const { forgetReason } = memory;
  if (isWithdrawn(memory) || forgetReason?.startsWith(NOT_FOUND)) return false;
  if (memory.isForgotten && isSetAside(forgetReason)) return false;
  return !isActive(memory, now);
}

type Worded = Pick<StatedCandidate, "text"> & {
  readonly quoteAt?: { readonly start: number; readonly end: number } | null | undefined;
};

function saysSame(one: Worded, other: Worded): boolean {
  if (isSameFact(one.text, other.text)) return true;
  const [mine, theirs] = [readingOf(one.text).claim, readingOf(other.text).claim];
  if (mine && theirs) return isSamePlace(mine, theirs) && agrees(mine, theirs);
  return overlaps(one.quoteAt, other.quoteAt) && sharesWords(one.text, other.text);
}

function overlaps(one: Worded["quoteAt"], other: Worded["quoteAt"]): boolean {
  return !!one && !!other && one.start < other.end && other.start < one.end;
}

function sharesWords(one: string, other: string): boolean {
  const [mine, theirs] = [wordsOf(one), wordsOf(other)];
  const common = [...mine].filter((word) => theirs.has(word)).length;
  return common >= SAME_WORDS * Math.min(mine.size, theirs.size);
}

function wordsOf(text: string): Set<string> {
  return new Set(tokenise(text).filter((word) => !isStopWord(word)));
}

/** What the newest reading of a document found. */
export interface Found extends ReadingAgain {
  /** Ids of memories. */
  readonly ids: ReadonlySet<string>;
  readonly texts: readonly string[];
}

/**
 * Forgets what only this document states and its newest reading did not find, inside the transaction of that reading and in its
 * batch. What a person wrote, changed or reviewed stays, and so does what replaced something else.
 */
export async function forgetNotFound(
  repositories: Repositories,
  reread: Reread,
  { ids, texts, batchId, cause }: Found,
): Promise<void> {
  const lost = (await readOnlyFrom(repositories, reread)).filter(
    ({ id, text }) => !ids.has(id) && !texts.some((found) => isSameFact(found, text)),
  );
  const reason = notFoundIn(reread.documentId, cause);
  await forgetBatch(repositories, systemActor(reread.organizationId), lost, { reason, batchId });
}

/**
 * The active memories that the service read from this document alone and that nobody else has touched. Excludes those that
 * replaced something else.
 */
export async function readOnlyFrom(
  repositories: Repositories,
  { organizationId, documentId }: Reread,
): Promise<Memory[]> {
  const untouched: Memory[] = [];
  for (const memory of await repositories.memories.ofDocument(organizationId, documentId)) {
    const isActive = memory.isLatest && !memory.isForgotten;
    if (!isActive || memory.sourceCount !== 1 || memory.parentId !== null) continue;
    if (await isUntouched(repositories, organizationId, memory.id)) untouched.push(memory);
  }
  return untouched;
}

/** Moving a memory does not change it. */
const MOVED = "memory.moved";

/** True when nobody but the service itself has ever done more with a memory than move it, and it was not derived from another. */
export async function isUntouched(
  { journal, memories }: Pick<Repositories, "journal" | "memories">,
  organizationId: string,
  memoryId: string,
): Promise<boolean> {
  const countOf = async (query: { actor?: string; action?: string }): Promise<number> =>
    (await journal.list(organizationId, { ...query, subjectIds: [memoryId], offset: 0, limit: 1 })).total;
  const actor = systemActor(organizationId).name;
  const moved = (await countOf({ action: MOVED })) - (await countOf({ action: MOVED, actor }));
  if ((await countOf({})) !== (await countOf({ actor })) + moved) return false;
  const relations = await memories.relations(organizationId, [memoryId]);
  return !relations.some(({ relation, fromId }) => relation === "derives" && fromId === memoryId);
}
