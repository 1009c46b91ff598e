import { inTimeZone, type TimeZone } from "../../lib/time-zone.js";
import type { CoreContext } from "../context.js";
import { AppError } from "../errors.js";
import type { Reranker, RerankText } from "../ports.js";
import type { RankedUnit } from "./rank.js";
import type { Retrieved } from "./retrieve.js";
import { waitFor } from "./waits.js";

/**
 * Puts the best units into the order of a reranker; units it did not judge follow in their original order. Without a usable
 * answer the order stays, and the answer says so. Similarities never change.
 * @param ranked best first
 */
export async function rerankWith(
  { reranker, log, timeZone, waits }: Pick<CoreContext, "log" | "timeZone" | "waits"> & { readonly reranker: Reranker },
  query: string,
  ranked: readonly RankedUnit[],
): Promise<Pick<Retrieved, "ranked" | "degraded">> {
  const best = ranked.slice(0, reranker.most);
  if (best.length < 2) return { ranked, degraded: [] };
  try {
    const texts = best.map((unit) => textOf(unit, timeZone));
    const request = { query, texts, waitedMs: waits?.ms() ?? 0 };
    const { scores } = await waitFor(waits, "reranker", () => reranker.rerank(request));
    const missing = best.length - scores.filter((score) => score !== null).length;
    return {
      ranked: [...byScore(best, scores), ...ranked.slice(best.length)],
      degraded: missing > 0 ? [`order of ${missing} results by rules: the reranker judged only the others`] : [],
    };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    log.warn("search is ordered by rules", { reason: error.message });
    return { ranked, degraded: [`ordered by rules: ${error.publicMessage}`] };
  }
}

function textOf({ detail }: RankedUnit, timeZone: TimeZone): RerankText {
  const date = detail.chunk?.metadata?.date ?? detail.memory?.createdAt;
  return { text: detail.text, date: date === undefined ? null : inTimeZone(date, timeZone) };
}

/** Units with a score, sorted by it; the others after them in their original order. */
function byScore(units: readonly RankedUnit[], scores: readonly (number | null)[]): RankedUnit[] {
  return units
    .map((unit, index) => ({ unit, index, score: scores[index] ?? -Infinity }))
    .sort((one, other) => (one.score === other.score ? one.index - other.index : other.score - one.score))
    .map(({ unit }) => unit);
}
