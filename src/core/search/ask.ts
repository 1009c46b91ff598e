import { type TimeZone, wallClock } from "../../lib/time-zone.js";
import type { CoreContext } from "../context.js";
import { rewriteByRules } from "./rewrite.js";
import { rewriteWith } from "./rewrite-with-model.js";

/** One form of a question. */
export interface QuestionForm {
  readonly text: string;
  /** What its answers count for, above 0; 1 for what was asked. */
  readonly weight: number;
}

/** A question as it is searched for. */
export interface Asked {
  /** The form that says best what was asked, and then others; none twice. */
  readonly forms: readonly QuestionForm[];
  /** What did not work, in words; empty when all did. */
  readonly degraded: readonly string[];
}

/** The most forms of one question that are searched for. */
const MOST_FORMS = 3;
/**
 * What other forms count for: the question itself when talk was taken off it, a form by a model, a form by rules. The last
 * mainly brings in what other words find: with more weight its synonyms cost recall.
 */
const WITH_TALK = 0.1;
const BY_MODEL = 0.4;
const BY_RULES = 0.03;

/** A question with its other forms, when they are wanted: by the language model where there is one, else by rules. */
export async function ask(
  context: CoreContext,
  query: string,
  { rewrite, timeZone }: { readonly rewrite: boolean; readonly timeZone: TimeZone },
): Promise<Asked> {
  if (!rewrite) return { forms: [{ text: query, weight: 1 }], degraded: [] };
  const { searchModel, clock } = context;
  const { bare, stated } = rewriteByRules(query, wallClock(clock.now(), timeZone));
  const { texts, degraded } = searchModel
    ? await rewriteWith({ ...context, searchModel, timeZone }, query)
    : { texts: [], degraded: [] };
  const forms: QuestionForm[] = [
    { text: bare ?? query, weight: 1 },
    ...texts.map((text) => ({ text, weight: BY_MODEL })),
    ...(bare === null ? [] : [{ text: query, weight: WITH_TALK }]),
    ...(stated === null ? [] : [{ text: stated, weight: BY_RULES }]),
  ];
  return { forms: withoutRepeated(forms).slice(0, MOST_FORMS), degraded };
}

function withoutRepeated(forms: readonly QuestionForm[]): QuestionForm[] {
  return forms.filter(({ text }, index) => forms.findIndex((other) => other.text === text) === index);
}
