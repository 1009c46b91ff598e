import { timed } from "../../lib/stages.js";
import type { CoreContext } from "../context.js";
import type { Asked } from "./ask.js";
import { fuseForms } from "./fuse-forms.js";
import { levelSimilarities } from "./level.js";
import type { RankedUnit } from "./rank.js";
import { rerankWith } from "./rerank-with.js";
import { RERANKED, rerankByRules } from "./rerank.js";
import { retrieve, type Retrieved } from "./retrieve.js";
import type { Ground } from "./search-ground.js";

/** What is wanted of a search beside its question. */
export interface Wanted {
  /** Least similarity as it is shown, 0 to 1. */
  readonly threshold: number;
  /** The most units, all by default. */
  readonly limit?: number;
  /** True: the best are looked at once more, together. The order changes, and with it the similarities. */
  readonly rerank?: boolean;
}

/** Finds units for every form of a question, puts them into one order, and that into a better one where it is wanted. */
export async function findRanked(
  context: CoreContext,
  ground: Pick<Ground, "organizationId" | "scope" | "kinds" | "among" | "timeZone">,
  { forms, degraded }: Asked,
  { threshold, limit = Infinity, rerank = false }: Wanted,
): Promise<Retrieved> {
  const [form] = forms;
  const isPlain = forms.length === 1;
  const first = {
    threshold,
    ...(isPlain && limit < Infinity && { limit: rerank ? Math.max(limit, RERANKED) : limit }),
  };
  const found = await Promise.all(forms.map(({ text }) => retrieve(context, ground, text, first)));
  const fused = isPlain
    ? (found[0]?.ranked ?? [])
    : level(fuseForms(found.map(({ ranked }, index) => ({ ranked, weight: forms[index]?.weight ?? 1 }))));
  const ordered = rerank
    ? await timed(context.stages, "rerank", () =>
        order({ ...context, timeZone: ground.timeZone }, form?.text ?? "", fused),
      )
    : { ranked: fused, degraded: [] };
  return {
    ranked: ordered.ranked.slice(0, limit),
    isCut: found.some(({ isCut }) => isCut),
    degraded: [...new Set([...degraded, ...found.flatMap((each) => each.degraded), ...ordered.degraded])],
  };
}

async function order(
  context: CoreContext,
  query: string,
  found: readonly RankedUnit[],
): Promise<Pick<Retrieved, "ranked" | "degraded">> {
  const ranked = rerankByRules(query, found);
  const judged = context.reranker
    ? await rerankWith({ ...context, reranker: context.reranker }, query, ranked)
    : { ranked, degraded: [] };
  return { ...judged, ranked: level(judged.ranked) };
}

/** With similarities that go with the order. */
function level(ranked: readonly RankedUnit[]): RankedUnit[] {
  const similarities = levelSimilarities(ranked);
  return ranked.map((unit, index) => ({ ...unit, similarity: similarities[index] ?? 0 }));
}
