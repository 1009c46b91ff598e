import { fenceOf } from "../../lib/prompt-delimiter.js";
import { dayIn } from "../../lib/time-zone.js";
import { iso } from "../../lib/time.js";
import type { CoreContext } from "../context.js";
import { AppError } from "../errors.js";
import { rewriteQueryPrompt } from "../prompts/rewrite-query.js";
import type { SearchModel } from "./search-model.js";
import { singleSpaced } from "../../lib/single-spaced.js";

/** A longer question needs no other wording, and a longer rewritten one does not ask the same. */
const LONGEST = 1_000;
const MOST_TOKENS = 1_000;

/**
 * Other forms of a question, worded as stored memories may be, from a language model; none when it gave none in time, which is
 * then reported.
 */
export async function rewriteWith(
  { searchModel, clock, timeZone, log }: CoreContext & { readonly searchModel: SearchModel },
  query: string,
): Promise<{ readonly texts: readonly string[]; readonly degraded: readonly string[] }> {
  if (query.length > LONGEST) return { texts: [], degraded: [] };
  const { name, version, schema, messages } = rewriteQueryPrompt;
  try {
    const input = { query, today: dayIn(iso(clock.now()), timeZone), fence: fenceOf(query) };
    const { queries } = await searchModel.ask({
      name,
      version,
      schema,
      messages: messages(input),
      maxTokens: MOST_TOKENS,
    });
    return { texts: queries.flatMap(checkForm), degraded: [] };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    log.warn("a query is rewritten by rules", { reason: error.message });
    return { texts: [], degraded: [`query rewritten by rules: ${error.publicMessage}`] };
  }
}

function checkForm(text: string): string[] {
  const form = singleSpaced(text);
  return form === "" || form.length > LONGEST ? [] : [form];
}
