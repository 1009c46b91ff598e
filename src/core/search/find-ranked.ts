import { timed } from "../../lib/stages.js";
import type { CoreContext } from "../context.js";
import type { Asked } from "./ask.js";
import { fuseForms } from "./fuse-forms.js";
import { levelSimilarities } from "./level.js";
import { newerFirst } from "./newer-first.js";
import type { RankedUnit } from "./rank.js";
import { rerankWith } from "./rerank-with.js";
import { rerankByRules } from "./rerank.js";
import { retrieve, shownSimilarity, type Retrieved } from "./retrieve.js";
import type { SearchScope } from "./search-scope.js";
import type { UnitKind } from "../types.js";

/** What is wanted of a search beside its question. */
export interface Wanted {
  /** Least similarity as it is shown, 0 to 1. */
  readonly threshold: number;
  /** The most units, all by default. */
  readonly limit?: number;
  /** The kinds that are given, by default those of the scope, which are those that are looked for. */
  readonly shown?: readonly UnitKind[];
  /** True: the best are looked at once more, together. The order changes, and with it the similarities. */
  readonly rerank?: boolean;
}

/**
 * Finds units for every form of a question, puts them into one order, and that into a better one where it is wanted. Whatever
 * changes the order looks at units of all kinds, whatever the threshold and the limit, so that the same has the same similarity
 * in every mode, thresholds cut on what is shown, and a short answer begins as a long one does.
 */
export async function findRanked(
  context: CoreContext,
  searchScope: Pick<SearchScope, "organizationId" | "tags" | "scope" | "kinds" | "among" | "timeZone">,
  asked: Asked,
  wanted: Wanted,
): Promise<Retrieved> {
  const { forms, degraded } = asked;
  const [form] = forms;
  // Of several forms each would see other ones of a kind that is looked for alone.
  const looked = forms.length > 1 ? { ...searchScope, kinds: searchScope.scope.kinds } : searchScope;
  const found = await Promise.all(
    forms.map(({ text }) => retrieve(context, looked, text, { threshold: 0, shown: searchScope.scope.kinds })),
  );
  const fused =
    forms.length === 1
      ? (found[0]?.ranked ?? [])
      : level(fuseForms(found.map(({ ranked }, index) => ({ ranked, weight: forms[index]?.weight ?? 1 }))));
  const ordered = wanted.rerank
    ? await timed(context.stages, "rerank", () =>
        order({ ...context, timeZone: searchScope.timeZone }, form?.text ?? "", {
          found: fused,
          threshold: wanted.threshold,
        }),
      )
    : { ranked: fused, degraded: [] };
  const ranked = await newerFirst(context, searchScope, ordered.ranked);
  return {
    ranked: ofKinds(
      ranked.filter(({ similarity }) => shownSimilarity(similarity) >= wanted.threshold),
      wanted.shown ?? searchScope.kinds,
    ).slice(0, wanted.limit),
    isCut: found.some(({ isCut }) => isCut),
    degraded: [...new Set([...degraded, ...found.flatMap((each) => each.degraded), ...ordered.degraded])],
  };
}

/** A service is asked about nothing less similar than this, whatever the threshold: that only cuts what is shown. */
const LEAST_JUDGED = 0.25;

/** Units in a better order, by rules and then by a service where there is one. */
async function order(
  context: CoreContext,
  query: string,
  { found, threshold }: { readonly found: readonly RankedUnit[]; readonly threshold: number },
): Promise<Pick<Retrieved, "ranked" | "degraded">> {
  const known = found.filter(({ isFurther }) => !isFurther);
  const further = found.filter(({ isFurther }) => isFurther);
  const { ranked, degraded } = await judge(context, query, { ranked: rerankByRules(query, known), threshold });
  return { ranked: [...level(ranked), ...further].sort((one, other) => other.similarity - one.similarity), degraded };
}

async function judge(
  context: CoreContext,
  query: string,
  { ranked, threshold }: { readonly ranked: readonly RankedUnit[]; readonly threshold: number },
): Promise<Pick<Retrieved, "ranked" | "degraded">> {
  const { reranker } = context;
  if (!reranker || !ranked.some(({ similarity }) => similarity >= threshold)) return { ranked, degraded: [] };
  const judged = await rerankWith(
    { ...context, reranker },
    query,
    ranked.filter(({ similarity }) => similarity >= LEAST_JUDGED),
  );
  return { ...judged, ranked: [...judged.ranked, ...ranked.filter(({ similarity }) => similarity < LEAST_JUDGED)] };
}

/** With similarities that go with the order. */
function level(ranked: readonly RankedUnit[]): RankedUnit[] {
  const similarities = levelSimilarities(ranked);
  return ranked.map((unit, index) => ({ ...unit, similarity: similarities[index] ?? 0 }));
}

/** Those of some kinds, or what says the same and is of one. */
function ofKinds(ranked: readonly RankedUnit[], kinds: readonly UnitKind[]): RankedUnit[] {
  return ranked.flatMap((unit) => {
    const shown = [unit, ...unit.others].find(({ detail }) => kinds.includes(detail.memory ? "memory" : "chunk"));
    return shown ? [{ ...unit, ...shown }] : [];
  });
}
