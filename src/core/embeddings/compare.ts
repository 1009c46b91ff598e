import type { CoreContext } from "../context.js";
import { AppError } from "../errors.js";
import type { Comparison, Embedder, PlainUnit, SelfRetrieval } from "../ports.js";
import type { Unit, VectorSpace } from "../types.js";

/** Number of searches compared. */
const SEARCHES = 32;
const NEAREST = 10;
/** A shorter text has no part that represents it. */
const FEWEST_WORDS = 6;
const LONGEST_QUESTION_WORDS = 24;
/**
 * The next space is clearly worse when it finds the sources of questions less often, or at lower ranks, than these shares of
 * the active one's results. Parts of texts favour word-based embedders, so the shares are generous.
 */
const SANE_FOUND = 0.7;
const SANE_RANK = 0.5;
/** Assumed for the active one if it could not answer. */
const ASSUMED: SelfRetrieval = { found: 0.8, rank: 0.6 };

/** An embedder with its space. */
export interface Side {
  readonly embedder: Embedder;
  readonly space: VectorSpace;
}

/**
 * Runs the same searches in two spaces: random parts of texts that both contain. Nothing of the texts is kept.
 * @param active null if nothing answers now
 * @throws AppError when the next embedder cannot answer
 */
export async function compareSpaces(
  { store, vectors }: Pick<CoreContext, "store" | "vectors">,
  { active, next }: { readonly active: Side | null; readonly next: Side },
  signal: AbortSignal,
): Promise<Comparison> {
  const units = await store.embeddings.sample(next.space, SEARCHES);
  const questions = units.flatMap((unit) => questionFrom(unit) ?? []);
  const search = (side: Side) => searchAll({ vectors }, side, questions, signal);
  const found = await search(next);
  const before = active && (await search(active).catch(nothingFrom));
  const nextFinds = selfRetrieval(questions, found);
  const activeFinds = before && selfRetrieval(questions, before);
  return {
    searches: questions.length,
    overlap: before && overlapOf(before, found),
    active: activeFinds,
    next: nextFinds,
    isSane: isSane(nextFinds, activeFinds ?? ASSUMED),
  };
}

function isSane(next: SelfRetrieval, active: SelfRetrieval): boolean {
  return next.found >= active.found * SANE_FOUND && next.rank >= active.rank * SANE_RANK;
}

interface Question {
  readonly text: string;
  readonly source: Unit;
  readonly containerIds: readonly number[];
}

/** The middle of a text: neither its beginning nor its end, which an embedder may favour. */
function questionFrom({ unit, text, containerIds }: PlainUnit): Question | null {
  const words = text.split(/\s+/).filter((word) => word !== "");
  if (words.length < FEWEST_WORDS || containerIds.length === 0) return null;
  const count = Math.min(LONGEST_QUESTION_WORDS, Math.ceil(words.length / 2));
  const start = Math.floor((words.length - count) / 2);
  return { text: words.slice(start, start + count).join(" "), source: unit, containerIds: containerIds.slice(0, 1) };
}

async function searchAll(
  { vectors }: Pick<CoreContext, "vectors">,
  { embedder, space }: Side,
  questions: readonly Question[],
  signal: AbortSignal,
): Promise<readonly (readonly Unit[])[]> {
  const found: Unit[][] = [];
  for (const { text, containerIds } of questions) {
    signal.throwIfAborted();
    const [vector] = await embedder.embed([text], "query", signal);
    if (!vector) throw new AppError("unavailable", `The embedder ${embedder.name} returned no vector for a question.`);
    const hits = await vectors.nearest({ space, vector, containerIds, kinds: ["chunk", "memory"], limit: NEAREST });
    found.push(hits.map(({ unit }) => unit));
  }
  return found;
}

/** The active embedder may be unavailable; then there is nothing to compare with. */
function nothingFrom(error: unknown): null {
  if (error instanceof AppError) return null;
  throw error;
}

function selfRetrieval(questions: readonly Question[], found: readonly (readonly Unit[])[]): SelfRetrieval {
  const ranks = questions.map(({ source }, index) => (found[index]?.indexOf(source) ?? -1) + 1);
  const share = (sum: number) => (questions.length === 0 ? 1 : sum / questions.length);
  return {
    found: share(ranks.filter((rank) => rank > 0).length),
    rank: share(ranks.reduce((sum, rank) => sum + (rank > 0 ? 1 / rank : 0), 0)),
  };
}

function overlapOf(one: readonly (readonly Unit[])[], other: readonly (readonly Unit[])[]): number {
  const shares = one.map((units, index) => {
    const others = new Set(other[index]);
    const most = Math.max(units.length, others.size);
    return most === 0 ? 1 : units.filter((unit) => others.has(unit)).length / most;
  });
  return shares.length === 0 ? 1 : shares.reduce((sum, share) => sum + share, 0) / shares.length;
}
