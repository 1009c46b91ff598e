import { fenceOf } from "../../lib/fence.js";
import { dayIn } from "../../lib/time-zone.js";
import { iso } from "../../lib/time.js";
import type { CoreContext } from "../context.js";
import { AppError } from "../errors.js";
import type { LanguageModel } from "../ports.js";
import { rewriteQueryPrompt } from "../prompts/rewrite-query.js";

/** Milliseconds that a search waits for a rewritten question. */
const PATIENCE = 6_000;
/** A question that says all this needs no other words; and a rewritten one that says more does not ask the same. */
const LONGEST = 1_000;
const MOST_TOKENS = 1_000;

/**
 * Other forms of a question, in the words that what is remembered may use, by a language model; none when it gave none in
 * time, and then it is said.
 */
export async function rewriteWith(
  { model, store, clock, timeZone, log }: CoreContext & { readonly model: LanguageModel },
  query: string,
): Promise<{ readonly texts: readonly string[]; readonly degraded: readonly string[] }> {
  if (query.length > LONGEST) return { texts: [], degraded: [] };
  const { name, version, schema, messages } = rewriteQueryPrompt;
  try {
    const input = { query, today: dayIn(iso(clock.now()), timeZone), fence: fenceOf(query) };
    const request = { name, schema, messages: messages(input), effort: "fast", maxTokens: MOST_TOKENS } as const;
    const { value, ...use } = await model.generate(request, AbortSignal.timeout(PATIENCE));
    const noted = { ...use, prompt: `${name}/${version}`, documentId: "", revision: 0 };
    await store.extractions.note(store.organizationId, noted);
    return { texts: value.queries.flatMap(checkForm), degraded: [] };
  } catch (error) {
    if (!(error instanceof AppError) && !(error instanceof Error && error.name === "TimeoutError")) throw error;
    const reason = error instanceof AppError ? error.message : "the language model did not answer in time.";
    log.warn("a query is rewritten by rules", { reason });
    return { texts: [], degraded: [`query rewritten by rules: ${reason}`] };
  }
}

function checkForm(text: string): string[] {
  const form = text.replaceAll(/\s+/g, " ").trim();
  return form === "" || form.length > LONGEST ? [] : [form];
}
