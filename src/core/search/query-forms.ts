import { type TimeZone, wallClock } from "../../lib/time-zone.js";
import type { CoreContext } from "../context.js";
import { rewriteByRules } from "./rewrite.js";
import { rewriteWith } from "./rewrite-with-model.js";

/** One form of a question. */
export interface QueryForm {
  readonly text: string;
  /** The weight of its answers, above 0; 1 for the question as asked. */
  readonly weight: number;
}

/** A question in the forms it is searched for. */
export interface QueryForms {
  /** The form closest to what was asked first, without duplicates. */
  readonly forms: readonly QueryForm[];
  /** What failed, in words; empty when nothing did. */
  readonly degraded: readonly string[];
}

/** The most forms of one question to search for. */
const MOST_FORMS = 3;
/**
 * Weights of the other forms: the original question when small talk was removed from it, a form written by a model, a form
 * written by rules. The last mainly contributes hits for other words: with more weight, its synonyms reduce recall.
 */
const WITH_TALK = 0.1;
const BY_MODEL = 0.4;
const BY_RULES = 0.03;

/** A question with its other forms, if wanted: from the language model if there is one, otherwise from rules. */
export async function formsOfQuery(
  context: CoreContext,
  query: string,
  { rewrite, timeZone }: { readonly rewrite: boolean; readonly timeZone: TimeZone },
): Promise<QueryForms> {
  if (!rewrite) return { forms: [{ text: query, weight: 1 }], degraded: [] };
  const { searchModel, clock } = context;
  const { bare, stated } = rewriteByRules(query, wallClock(clock.now(), timeZone));
  const { texts, degraded } = searchModel
    ? await rewriteWith({ ...context, searchModel, timeZone }, query)
    : { texts: [], degraded: [] };
  const forms: QueryForm[] = [
    { text: bare ?? query, weight: 1 },
    ...texts.map((text) => ({ text, weight: BY_MODEL })),
    ...(bare === null ? [] : [{ text: query, weight: WITH_TALK }]),
    ...(stated === null ? [] : [{ text: stated, weight: BY_RULES }]),
  ];
  return { forms: withoutRepeated(forms).slice(0, MOST_FORMS), degraded };
}

function withoutRepeated(forms: readonly QueryForm[]): QueryForm[] {
  return forms.filter(({ text }, index) => forms.findIndex((other) => other.text === text) === index);
}
