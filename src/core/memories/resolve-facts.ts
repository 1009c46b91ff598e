import type { CoreContext } from "../context.js";
import { AppError } from "../errors.js";
import { doubtOfFacts, type Doubt } from "./ending-trust.js";
import { isSameFact } from "./near-duplicates.js";
import type { ContainerRow, Embedder, UnitDetail } from "../ports.js";
import { readingOfFact } from "./reading.js";
import { mayRelate, wordsOfUndone, wordsToRelate } from "./relate.js";
import { restatementsOf } from "./restatements.js";
import { judgeCandidate, type Judgement } from "./trust.js";
import { interpolate } from "../search/similarity.js";
import { yieldTurn } from "../../lib/time.js";
import type { Document, FactCandidate, Origin, Unit, VectorSpace } from "../types.js";

/** How many neighbours of a candidate are examined, by meaning and by the words of its slot. */
const NEIGHBOURS = 8;
const TEXT_HITS = 40;
/** Below this cosine two texts are not compared as twins. */
const TWIN_COSINE = 0.8;
/** Below this cosine two texts are not compared as relatives. */
const NEIGHBOUR_COSINE = 0.5;
/** At or above this similarity by vector alone, one of two texts may correct the other. */
const CLOSE = 0.66;
/** The most memories reported as close to a new one. */
const MOST_CLOSE = 2;

/** Candidates judged before yielding to other work: the longest ones take about a millisecond each. */
const JUDGED_AT_ONCE = 4;

/** Where candidates come from, and where they go. */
export interface FactPlace {
  readonly organizationId: string;
  /** Null if it does not exist yet. */
  readonly container: ContainerRow | null;
  readonly origin: Origin;
  /** The text that states them, if there is one. */
  readonly source?: Pick<Document, "content" | "turns">;
}

/** A candidate with what its caller wants stored with it. */
export interface StatedCandidate extends FactCandidate {
  readonly forgetReason?: string | null;
  readonly metadata?: Readonly<Record<string, unknown>> | null;
  /** The former sentence of the document that the one stating this fact replaced. */
  readonly insteadOf?: string;
  /** The words of the source that most likely state it, if nobody quoted any. They only locate it and prove nothing. */
  readonly likelyQuote?: string;
}

/** The words of the source recorded as the location of a candidate. */
export function wordsStating({ quote, likelyQuote }: StatedCandidate): string | undefined {
  return quote ?? likelyQuote;
}

/** A candidate with its vector and the memory it repeats, if any. */
export interface ResolvedFact {
  readonly candidate: StatedCandidate;
  /** How far its text is trusted. */
  readonly judgement: Judgement;
  readonly vector: Float32Array | null;
  /** Id of the memory that says the same. */
  readonly twin: string | null;
  /** Ids of memories that it may update or extend. */
  readonly related: readonly string[];
  /** Ids of memories that say nearly the same, nearest first. */
  readonly close: readonly string[];
  readonly doubt?: Doubt | null | undefined;
  /** How far what it may say of memories that it ends is trusted, by text. */
  readonly restated?: ReadonlyMap<string, Judgement> | undefined;
}

/** The result of `resolveFacts`, ready to be committed. */
export interface Resolution {
  readonly facts: readonly ResolvedFact[];
  /** Null when no embedder could answer; a job adds the vectors later. */
  readonly space: VectorSpace | null;
  /** Vectors of what the facts may say of memories that they end, by text. */
  readonly restated?: ReadonlyMap<string, Float32Array>;
  /** The newest memory of the container at the time; newer ones were not considered. */
  readonly newestSeen: number;
}

/**
 * Judges and embeds candidates, and looks for memories of the same container that say the same. Slow: run outside transactions;
 * yields to other work. If the embedder cannot answer, vectors are missing for now, but facts are never lost. In a container
 * that does not exist yet there is nothing to repeat.
 */
export async function resolveFacts(
  context: CoreContext,
  { organizationId, container, origin, source }: FactPlace,
  candidates: readonly StatedCandidate[],
  signal?: AbortSignal,
): Promise<Resolution> {
  if (candidates.length === 0) return { facts: [], space: null, newestSeen: 0 };
  const newestSeen = container ? await newestOf(context, organizationId, container) : 0;
  const embedded = await tryEmbed(
    context,
    candidates.map((candidate) => candidate.text),
    signal,
  );
  const space = embedded?.space ?? null;
  const doubtOf = source && doubtOfFacts({ content: source.content, turns: source.turns, origin });
  const facts: ResolvedFact[] = [];
  const restated = new Set<string>();
  for (const [index, candidate] of candidates.entries()) {
    const vector = embedded?.vectors[index] ?? null;
    const { restatements, ...likely } = container
      ? await findLikely(context, { organizationId, container }, candidate, space && vector && { space, vector })
      : NOTHING;
    const mayChangeMuch = candidate.isStatic || likely.related.length > 0 || candidate.insteadOf !== undefined;
    const doubt = doubtOf ? await doubtOf(candidate, mayChangeMuch) : null;
    const judged = new Map(restatements.map((text) => [text, judgeCandidate({ ...candidate, text }, origin)]));
    facts.push({
      candidate,
      judgement: judgeCandidate(candidate, origin),
      doubt,
      vector,
      restated: judged,
      ...likely,
    });
    for (const text of restatements) restated.add(text);
    if (index % JUDGED_AT_ONCE === JUDGED_AT_ONCE - 1) await yieldTurn();
  }
  return { facts, space, newestSeen, restated: await vectorsOf(context, [...restated], signal) };
}

const NOTHING = { twin: null, related: [], close: [], restatements: [] };

async function vectorsOf(
  context: CoreContext,
  texts: readonly string[],
  signal?: AbortSignal,
): Promise<ReadonlyMap<string, Float32Array>> {
  const embedded = texts.length > 0 ? await tryEmbed(context, texts, signal) : null;
  return new Map(texts.flatMap((text, index) => (embedded?.vectors[index] ? [[text, embedded.vectors[index]]] : [])));
}

async function newestOf({ store }: CoreContext, organizationId: string, { tag }: ContainerRow): Promise<number> {
  const [newest] = await store.memories.active(organizationId, tag, { limit: 1 });
  return newest?.seq ?? 0;
}

/** Without a signal, a caller is waiting for the answer. */
const PATIENCE_MS = 2_000;
const LATE = `The embedder returned no vectors within ${PATIENCE_MS / 1_000} s.`;

async function tryEmbed(
  { embedders, store, log }: CoreContext,
  texts: readonly string[],
  signal?: AbortSignal,
): Promise<{ vectors: Float32Array[]; space: VectorSpace } | null> {
  const embedder = embedders.active();
  const patience = signal ?? AbortSignal.timeout(PATIENCE_MS);
  try {
    const vectors = await embedInBatches(embedder, texts, patience);
    const space = await store.ensureSpace(embedder.fingerprint, vectors[0]?.length ?? 0);
    return { vectors, space };
  } catch (error) {
    signal?.throwIfAborted();
    if (!(error instanceof AppError) && !patience.aborted) throw error;
    log.warn("facts are kept without vectors for now", { reason: error instanceof AppError ? error.message : LATE });
    return null;
  }
}

/** Vectors of any number of texts, in order. */
export async function embedInBatches(
  embedder: Embedder,
  texts: readonly string[],
  signal?: AbortSignal,
): Promise<Float32Array[]> {
  const vectors: Float32Array[] = [];
  for (let start = 0; start < texts.length; start += embedder.maxBatch)
    vectors.push(...(await embedder.embed(texts.slice(start, start + embedder.maxBatch), "document", signal)));
  return vectors;
}

interface Place {
  readonly organizationId: string;
  readonly container: ContainerRow;
}

interface Likely extends Pick<ResolvedFact, "twin" | "related" | "close"> {
  /** What it may say of memories that it ends. */
  readonly restatements: readonly string[];
}

/** The memory that says the same, and those that a candidate may update or extend, found by meaning and by words. */
async function findLikely(
  { store, vectors, embedders, calibrations }: CoreContext,
  { organizationId, container }: Place,
  candidate: FactCandidate,
  embedded: { readonly space: VectorSpace; readonly vector: Float32Array } | null,
): Promise<Likely> {
  const scope = { containerIds: [container.id], kinds: ["memory"] as const, includeForgotten: false };
  const hits = embedded ? await vectors.nearest({ ...embedded, ...scope, limit: NEIGHBOURS, isApproximate: true }) : [];
  const { text } = candidate;
  const stated = readingOfFact(candidate);
  const twins = new Set(hits.filter(({ cosine }) => cosine >= TWIN_COSINE).map(({ unit }) => unit));
  const near = hits.filter(({ cosine }) => cosine >= NEIGHBOUR_COSINE).map(({ unit }) => unit);
  const detailsOf = async (words: readonly string[], others: readonly Unit[]): Promise<readonly UnitDetail[]> => {
    const found = await store.units.searchText(scope, words, { limit: TEXT_HITS });
    const units = [...new Set([...others, ...found.hits.map(({ unit }) => unit)])];
    return units.length > 0 ? store.units.details(organizationId, scope, units) : [];
  };
  const first = await detailsOf(wordsToRelate(stated), near);
  const undone = wordsOfUndone(
    stated,
    first.map((detail) => detail.text),
  );
  const details =
    undone.length === 0
      ? first
      : await detailsOf(
          undone,
          first.map(({ unit }) => unit),
        );
  const isTwin = (detail: UnitDetail) => twins.has(detail.unit) && isSameFact(detail.text, text);
  const { points } = await calibrations.of(embedders.active());
  const idOf = new Map(details.map(({ unit, id }) => [unit, id]));
  const close = hits
    .filter(({ cosine }) => interpolate(cosine, points) >= CLOSE)
    .flatMap(({ unit }) => idOf.get(unit) ?? []);
  const related = details.filter((detail) => mayRelate(stated, detail.text));
  return {
    twin: details.find(isTwin)?.id ?? null,
    close: close.slice(0, MOST_CLOSE),
    related: related.map(({ id }) => id),
    restatements: [...restatementsOf(stated, related).values()],
  };
}
