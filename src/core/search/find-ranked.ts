import { timed } from "../../lib/stages.js";
import type { CoreContext } from "../context.js";
import type { QueryForms } from "./query-forms.js";
import { fuseForms } from "./fuse-forms.js";
import { levelSimilarities } from "./level.js";
import { newerFirst } from "./newer-first.js";
import type { RankedUnit } from "./rank.js";
import { rerankWith } from "./rerank-with.js";
import { rerankByRules } from "./rerank.js";
import { retrieve, shownSimilarity, type Retrieved } from "./retrieve.js";
import type { SearchScope } from "./search-scope.js";
import type { UnitKind } from "../types.js";

/** What a search wants besides its question. */
export interface WantedUnits {
  /** Least shown similarity, 0 to 1. */
  readonly threshold: number;
  /** Maximum number of units; all by default. */
  readonly limit?: number;
  /** The kinds to return; by default those of the scope, which are the ones searched. */
  readonly shown?: readonly UnitKind[];
  /** Whether to rerank the best units. This changes the order, and with it the similarities. */
  readonly rerank?: boolean;
}

/**
 * Finds units for every form of a question, merges them into one order, and reranks that if wanted. Every step that changes the
 * order sees units of all kinds, regardless of threshold and limit, so that a unit has the same similarity in every mode,
 * thresholds apply to what is shown, and a short answer is the beginning of a long one.
 */
export async function findRanked(
  context: CoreContext,
  searchScope: Pick<SearchScope, "organizationId" | "tags" | "scope" | "kinds" | "among" | "timeZone">,
  asked: QueryForms,
  wanted: WantedUnits,
): Promise<Retrieved> {
  const { forms, degraded } = asked;
  const [form] = forms;
  // With several forms, each would otherwise see different extra units when only one kind is searched.
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
  const ranked = await timed(context.stages, "newer", () => newerFirst(context, searchScope, ordered.ranked));
  return {
    ranked: ofKinds(
      ranked.filter(({ similarity }) => shownSimilarity(similarity) >= wanted.threshold),
      wanted.shown ?? searchScope.kinds,
    ).slice(0, wanted.limit),
    isCut: found.some(({ isCut }) => isCut),
    degraded: [...new Set([...degraded, ...found.flatMap((each) => each.degraded), ...ordered.degraded])],
  };
}

/** A service never judges anything less similar than this, whatever the threshold: that only limits what is shown. */
const LEAST_JUDGED = 0.25;

/** Reranks units by rules, and then by a service if there is one. */
async function order(
  context: CoreContext,
  query: string,
  { found, threshold }: { readonly found: readonly RankedUnit[]; readonly threshold: number },
): Promise<Pick<Retrieved, "ranked" | "degraded">> {
  const known = found.filter(({ isFurther }) => !isFurther);
  const further = found.filter(({ isFurther }) => isFurther);
  const { ranked, degraded } = await rerankWithService(context, query, {
    ranked: rerankByRules(query, known),
    threshold,
  });
  return { ranked: [...level(ranked), ...further].sort((one, other) => other.similarity - one.similarity), degraded };
}

async function rerankWithService(
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

/** Adjusts similarities to the order. */
function level(ranked: readonly RankedUnit[]): RankedUnit[] {
  const similarities = levelSimilarities(ranked);
  return ranked.map((unit, index) => ({ ...unit, similarity: similarities[index] ?? 0 }));
}

/** Units of the given kinds; for a unit of another kind, one of these kinds that says the same, if any. */
function ofKinds(ranked: readonly RankedUnit[], kinds: readonly UnitKind[]): RankedUnit[] {
  return ranked.flatMap((unit) => {
    const shown = [unit, ...unit.others].find(({ detail }) => kinds.includes(detail.memory ? "memory" : "chunk"));
    return shown ? [{ ...unit, ...shown }] : [];
  });
}
