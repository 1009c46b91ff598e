import type { CoreContext } from "../context.js";
import { rewriteByRules } from "./rewrite.js";
import { rewriteWith } from "./rewrite-with-model.js";

/** A question as it is searched for. */
export interface Asked {
  /** The question in its own words, and then rewritten. */
  readonly forms: readonly string[];
  /** What did not work, in words; empty when all did. */
  readonly degraded: readonly string[];
}

/** The most forms of one question that are searched for. */
const MOST_FORMS = 3;

/** A question with its rewritten forms, when they are wanted: by the language model where there is one, else by rules. */
export async function ask(context: CoreContext, query: string, rewrite: boolean): Promise<Asked> {
  if (!rewrite) return { forms: [query], degraded: [] };
  const { model, clock } = context;
  const byRules = rewriteByRules(query, clock.now());
  const { forms, degraded } = model ? await rewriteWith({ ...context, model }, query) : { forms: [], degraded: [] };
  return { forms: [...new Set([query, ...byRules, ...forms])].slice(0, MOST_FORMS), degraded };
}
