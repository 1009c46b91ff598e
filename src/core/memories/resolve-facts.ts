import type { CoreContext } from "../context.js";
import { AppError } from "../errors.js";
import { forgetBatch } from "./forget.js";
import { isSameFact } from "./near-duplicates.js";
import type { ContainerRow } from "../ports.js";
import type { FactCandidate, VectorSpace } from "../types.js";

/** How many likely twins of a candidate are looked at. */
const TWINS = 8;
/** Below this cosine two texts are not looked at as twins. */
const TWIN_COSINE = 0.8;

/** A candidate with what its caller wants to be kept beside it. */
export interface StatedCandidate extends FactCandidate {
  readonly forgetReason?: string | null;
  readonly metadata?: Readonly<Record<string, unknown>> | null;
}

/** A candidate with its vector and the memory it repeats, if any. */
export interface ResolvedFact {
  readonly candidate: StatedCandidate;
  readonly vector: Float32Array | null;
  /** Id of the memory that says the same. */
  readonly twin: string | null;
}

/** What `resolveFacts` found, ready to be committed. */
export interface Resolution {
  readonly facts: readonly ResolvedFact[];
  /** Null when no embedder could answer; the vectors are added later by a job. */
  readonly space: VectorSpace | null;
}

/**
 * Embeds candidates and looks for memories of the same container that say the same. Slow work: outside transactions.
 * An embedder that cannot answer costs the vectors for now, never the facts. A container that is not there yet has
 * nothing to repeat.
 */
export async function resolveFacts(
  context: CoreContext,
  organizationId: string,
  container: ContainerRow | null,
  candidates: readonly StatedCandidate[],
  signal?: AbortSignal,
): Promise<Resolution> {
  if (candidates.length === 0) return { facts: [], space: null };
  const embedded = await tryEmbed(
    context,
    candidates.map((candidate) => candidate.text),
    signal,
  );
  const facts: ResolvedFact[] = [];
  for (const [index, candidate] of candidates.entries()) {
    const vector = embedded?.vectors[index] ?? null;
    const twin =
      container && embedded && vector
        ? await findTwin(context, organizationId, container, embedded.space, candidate, vector)
        : null;
    facts.push({ candidate, vector, twin });
  }
  return { facts, space: embedded?.space ?? null };
}

async function tryEmbed(
  { embedder, store, log }: CoreContext,
  texts: readonly string[],
  signal?: AbortSignal,
): Promise<{ vectors: Float32Array[]; space: VectorSpace } | null> {
  try {
    const vectors = await embedInBatches(embedder, texts, signal);
    const space = await store.ensureSpace(embedder.fingerprint, vectors[0]?.length ?? 0);
    return { vectors, space };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    log.warn("facts are kept without vectors for now", { reason: error.message });
    return null;
  }
}

/** Vectors of any number of texts, in order. */
export async function embedInBatches(
  embedder: CoreContext["embedder"],
  texts: readonly string[],
  signal?: AbortSignal,
): Promise<Float32Array[]> {
  const vectors: Float32Array[] = [];
  for (let start = 0; start < texts.length; start += embedder.maxBatch)
    vectors.push(...(await embedder.embed(texts.slice(start, start + embedder.maxBatch), "document", signal)));
  return vectors;
}

async function findTwin(
  { store, vectors }: CoreContext,
  organizationId: string,
  container: ContainerRow,
  space: VectorSpace,
  candidate: FactCandidate,
  vector: Float32Array,
): Promise<string | null> {
  const scope = { containerIds: [container.id], kinds: ["memory"] as const, includeForgotten: false };
  const hits = await vectors.nearest({ space, vector, limit: TWINS, containerIds: [container.id], kinds: ["memory"] });
  const units = hits.filter((hit) => hit.cosine >= TWIN_COSINE).map((hit) => hit.unit);
  const details = units.length > 0 ? await store.units.details(organizationId, scope, units) : [];
  const twin = details.find((detail) => isSameFact(detail.text, candidate.text));
  return twin?.id ?? null;
}
