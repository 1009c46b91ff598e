import { numberSet } from "../../lib/number-set.js";
import { timed } from "../../lib/stages.js";
import type { CoreContext } from "../context.js";
import { AppError } from "../errors.js";
import type { Embedder, FoundText, TextHit, UnitDetail, VectorHit } from "../ports.js";
import { dividePassages } from "./passages.js";
import { lookedUpWords } from "./query.js";
import {
  prepareUnits,
  rankPrepared,
  strongestChunks,
  withMore,
  type Prepared,
  type RankedUnit,
  type RankInput,
} from "./rank.js";
import { SEARCH } from "./ranking-weights.js";
import type { SearchScope } from "./search-scope.js";
import { waitFor } from "./waits.js";
import type { Unit, UnitKind, UnitSet, VectorSpace } from "../types.js";

/** What the retrievers found for a question, ranked. */
export interface Retrieved {
  /** Best first, without those that only repeat a better one. */
  readonly ranked: readonly RankedUnit[];
  /** True when the retrievers returned as much as they may, so that there may be more to find. */
  readonly isCut: boolean;
  /** What failed, in words; empty when nothing did. */
  readonly degraded: readonly string[];
}

/**
 * Finds units by meaning and by words and ranks them.
 * @param wanted `threshold` is the least shown similarity, 0 to 1; `shown` the kinds to return, by default those of the scope,
 * which are the ones searched; `isStatement`: the query is a statement and similar ones are wanted, rather than a question
 */
export async function retrieve(
  context: CoreContext,
  {
    organizationId,
    scope,
    kinds,
    among,
    timeZone,
  }: Pick<SearchScope, "organizationId" | "scope" | "kinds" | "among" | "timeZone">,
  query: string,
  wanted: {
    readonly threshold: number;
    readonly shown?: readonly UnitKind[];
    readonly isStatement?: boolean;
  },
): Promise<Retrieved> {
  const isEmpty = !kinds.some((kind) => scope.kinds.includes(kind));
  if (scope.containerIds.length === 0 || isEmpty || among?.length === 0)
    return { ranked: [], isCut: false, degraded: [] };
  // Read once, so that vectors and calibration belong together even if another embedder takes over meanwhile.
  const embedder = context.embedders.active();
  const within = { organizationId, scope, timeZone, among: among && setOf(among) };
  const retrieval = { ...context, embedder };
  const meaning = await embedQuery(retrieval, query);
  const leave = await timed(context.stages, "queue", () => context.searches.enter());
  try {
    const first = await findUnits(retrieval, within, { query, meaning });
    const found = first.isCut ? await findFurther(retrieval, within, { query, meaning, kinds, first }) : first;
    const ranked = await rank(retrieval, within, query, { ...found, ...wanted, kinds: wanted.shown ?? kinds });
    return { ranked, isCut: found.isCut, degraded: found.degraded };
  } finally {
    leave();
  }
}

/** The store returns the same list for the same filter; building the set of a long one takes milliseconds. */
const setsOfLists = new WeakMap<readonly Unit[], UnitSet>();
/** Sets for all short lists that the store returns would take more memory than the lists. */
const LONG_LIST = 10_000;

function setOf(units: readonly Unit[]): UnitSet {
  const known = setsOfLists.get(units);
  if (known) return known;
  const set = numberSet(units);
  if (units.length >= LONG_LIST) setsOfLists.set(units, set);
  return set;
}

type Retrieval = CoreContext & { readonly embedder: Embedder };

interface Within extends Pick<SearchScope, "organizationId" | "scope" | "timeZone"> {
  /** The only units considered, or undefined for all of the scope. */
  readonly among: UnitSet | undefined;
}

interface Found {
  readonly textHits: readonly TextHit[];
  readonly counted: FoundText["counted"];
  readonly vectorHits: readonly VectorHit[];
  /** True when the retrievers returned as much as they may. */
  readonly isCut: boolean;
  /** Additional units that only a search for the wanted kinds alone found. */
  readonly further?: Pick<Found, "textHits" | "vectorHits">;
  readonly degraded: readonly string[];
}

/** The vector of a query, and the space it belongs to. */
interface Meaning {
  readonly space: VectorSpace;
  readonly vector: Float32Array;
}

async function findUnits(
  context: Retrieval,
  within: Within,
  { query, meaning }: { query: string; meaning: Tried<Meaning | null> },
): Promise<Found> {
  const { scope, among } = within;
  const options = { limit: SEARCH.textHits, ...(among ? { among } : { mostMatches: SEARCH.textMatches }) };
  // First, because they may be scored off the event loop.
  const nearby = meaning.value ? findByVector(context, within, meaning.value) : { value: [], degraded: [] };
  const [{ hits, counted }, near] = await Promise.all([
    timed(context.stages, "words", () => context.store.units.searchText(scope, lookedUpWords(query), options)),
    nearby,
  ]);
  const isCut = hits.length >= SEARCH.textHits || near.value.length >= SEARCH.vectorHits;
  return { textHits: hits, counted, vectorHits: near.value, isCut, degraded: [...meaning.degraded, ...near.degraded] };
}

/** If not all kinds are wanted: units for which the others left no room. */
async function findFurther(
  context: Retrieval,
  within: Within,
  {
    kinds,
    first,
    ...asked
  }: {
    readonly query: string;
    readonly meaning: Tried<Meaning | null>;
    readonly kinds: readonly UnitKind[];
    readonly first: Found;
  },
): Promise<Found> {
  const wanted = within.scope.kinds.filter((kind) => kinds.includes(kind));
  if (wanted.length === within.scope.kinds.length) return first;
  const more = await findUnits(context, { ...within, scope: { ...within.scope, kinds: wanted } }, asked);
  const known = new Set([...first.textHits, ...first.vectorHits].map(({ unit }) => unit));
  const isNew = ({ unit }: { readonly unit: Unit }): boolean => !known.has(unit);
  const textHits = more.textHits.filter(isNew);
  const vectorHits = more.vectorHits.filter(isNew);
  return {
    ...first,
    isCut: more.isCut,
    further: { textHits, vectorHits },
    degraded: [...new Set([...first.degraded, ...more.degraded])],
  };
}

/** A result, or its substitute after a failure. */
interface Tried<T> {
  readonly value: T;
  /** Why it failed, in words; empty when it did not. */
  readonly degraded: readonly string[];
}

/** A search never fails for lack of vectors: the words still find units. */
async function tryVectors<T>({ log }: CoreContext, without: T, work: () => Promise<T>): Promise<Tried<T>> {
  try {
    return { value: await work(), degraded: [] };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    log.warn("search answers from words alone", { reason: error.message });
    return { value: without, degraded: [`found by words alone: ${error.publicMessage}`] };
  }
}

/**
 * Null if there is nothing to compare with yet. Done before the search's turn in the queue: a service may be slow, and others
 * need not wait for it.
 */
async function embedQuery(context: Retrieval, query: string): Promise<Tried<Meaning | null>> {
  const { embedder, store, stages, waits } = context;
  return tryVectors<Meaning | null>(context, null, async () => {
    const space = await store.findSpace(embedder.fingerprint);
    if (!space) return null;
    const [vector] = await waitFor(waits, "embedder", () =>
      timed(stages, "embed", () => embedder.embed([query], "query")),
    );
    return vector ? { space, vector } : null;
  });
}

async function findByVector(
  context: Retrieval,
  { scope, among }: Within,
  { space, vector }: Meaning,
): Promise<Tried<VectorHit[]>> {
  const { store, vectors, stages } = context;
  const { containerIds, kinds } = scope;
  return tryVectors<VectorHit[]>(context, [], async () => {
    const query = { space, vector, containerIds, kinds, limit: SEARCH.vectorHits, among };
    const hits = await timed(stages, "vectors", () => vectors.nearest(query));
    const forgotten = scope.includeForgotten ? await store.units.forgottenVectors(scope, space) : null;
    if (!forgotten) return hits;
    const recalled = cosines(forgotten, vector).filter(({ unit }) => !among || among.has(unit));
    return [...hits, ...recalled];
  });
}

function cosines(
  { units, matrix }: { units: readonly Unit[]; matrix: Float32Array },
  vector: Float32Array,
): VectorHit[] {
  return units.map((unit, row) => {
    let cosine = 0;
    for (let index = 0; index < vector.length; index++)
      cosine += (vector[index] ?? 0) * (matrix[row * vector.length + index] ?? 0);
    return { unit, cosine };
  });
}

interface RankLimits {
  readonly kinds: readonly UnitKind[];
  readonly threshold: number;
  readonly isStatement?: boolean;
}

async function rank(
  context: Retrieval,
  within: Within,
  query: string,
  { textHits, counted, vectorHits, further, kinds, threshold, isStatement = false }: Found & RankLimits,
): Promise<RankedUnit[]> {
  const { embedder, calibrations, clock, stages } = context;
  if (textHits.length + vectorHits.length === 0 && !further) return [];
  const asked = {
    query,
    includeForgotten: within.scope.includeForgotten,
    wordCounts: counted,
    calibration: await calibrations.of(embedder),
    now: clock.now(),
    timeZone: within.timeZone,
    kinds,
    isStatement,
    threshold: beforeRounding(threshold),
  };
  const first = await prepare(context, within, { ...asked, textHits, vectorHits });
  const wider = further && {
    ...asked,
    textHits: [...textHits, ...further.textHits],
    vectorHits: [...vectorHits, ...further.vectorHits],
  };
  const more = wider && (await prepare(context, within, wider));
  return timed(stages, "rank", () => rankPrepared(first, more));
}

/** The analysed hits and the neighbours of the strongest ones. */
async function prepare(
  { store, stages }: Retrieval,
  within: Within,
  found: Omit<RankInput, "details">,
): Promise<Prepared> {
  const { organizationId, scope } = within;
  const units = [...new Set([...found.textHits, ...found.vectorHits].map((hit) => hit.unit))];
  const details = await timed(stages, "details", () => store.units.details(organizationId, scope, units));
  const prepared = await timed(stages, "prepare", () =>
    prepareUnits({ ...found, details: dividePassages(details, scope, found.now) }),
  );
  return withMore(prepared, await timed(stages, "beside", () => findBeside(store, prepared, within)));
}

/** Neighbours of the strongest chunks that were not found themselves. */
async function findBeside(
  { units }: CoreContext["store"],
  prepared: Prepared,
  { organizationId, scope, among }: Within,
): Promise<readonly UnitDetail[]> {
  const strongest = strongestChunks(prepared, SEARCH.strongest);
  if (strongest.length === 0) return [];
  const known = new Set(prepared.units.map(({ detail }) => detail.unit));
  const beside = (await units.beside(strongest, SEARCH.beside)).filter(
    (unit) => !known.has(unit) && (!among || among.has(unit)),
  );
  if (beside.length === 0) return [];
  return dividePassages(await units.details(organizationId, scope, beside), scope, prepared.input.now);
}

/** A similarity as shown: 0 to 1, with three digits. */
export function shownSimilarity(similarity: number): number {
  return Math.round(Math.min(1, Math.max(0, similarity)) * SHOWN) / SHOWN;
}

const SHOWN = 1_000;

/** The least similarity that is shown as `threshold` or more, so that a shown value can be used as a threshold. */
function beforeRounding(threshold: number): number {
  return (Math.ceil(threshold * SHOWN - 1e-6) - 0.5) / SHOWN;
}
