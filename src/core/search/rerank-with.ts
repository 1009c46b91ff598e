import { inTimeZone, type TimeZone } from "../../lib/time-zone.js";
import type { CoreContext } from "../context.js";
import { AppError } from "../errors.js";
import type { Reranker, RerankText } from "../ports.js";
import type { RankedUnit } from "./rank.js";
import type { Retrieved } from "./retrieve.js";

/** Milliseconds that a search waits for a reranker, whatever that itself allows. */
const PATIENCE = 10_000;

/**
 * Puts the best units into the order of a reranker; those that it did not judge follow as they were. Without an answer that
 * can be used the order stays, and that is said. Similarities stay in any case.
 * @param ranked best first
 */
export async function rerankWith(
  { reranker, store, log, timeZone }: Pick<CoreContext, "store" | "log" | "timeZone"> & { readonly reranker: Reranker },
  query: string,
  ranked: readonly RankedUnit[],
): Promise<Pick<Retrieved, "ranked" | "degraded">> {
  const best = ranked.slice(0, reranker.most);
  if (best.length < 2) return { ranked, degraded: [] };
  try {
    const request = { query, texts: best.map((unit) => textOf(unit, timeZone)) };
    const { scores, use } = await reranker.rerank(request, AbortSignal.timeout(PATIENCE));
    if (use) await store.extractions.note(store.organizationId, { ...use, documentId: "", revision: 0 });
    const missing = best.length - scores.filter((score) => score !== null).length;
    return {
      ranked: [...byScore(best, scores), ...ranked.slice(best.length)],
      degraded: missing > 0 ? [`order of ${missing} results by rules: ${reranker.name} judged only the others`] : [],
    };
  } catch (error) {
    if (!isFailure(error)) throw error;
    const reason = error instanceof AppError ? error.message : `${reranker.name} did not answer in time.`;
    log.warn("search is ordered by rules", { reason });
    return { ranked, degraded: [`ordered by rules: ${reason}`] };
  }
}

/** True for what a provider can do to a search that is not our mistake. */
function isFailure(error: unknown): error is Error {
  return error instanceof AppError || (error instanceof Error && error.name === "TimeoutError");
}

function textOf({ detail }: RankedUnit, timeZone: TimeZone): RerankText {
  const date = detail.chunk?.metadata?.date ?? detail.memory?.createdAt;
  return { text: detail.text, date: date === undefined ? null : inTimeZone(date, timeZone) };
}

/** Those with a score by it, the others behind them as they were. */
function byScore(units: readonly RankedUnit[], scores: readonly (number | null)[]): RankedUnit[] {
  return units
    .map((unit, index) => ({ unit, index, score: scores[index] ?? -Infinity }))
    .sort((one, other) => (one.score === other.score ? one.index - other.index : other.score - one.score))
    .map(({ unit }) => unit);
}
