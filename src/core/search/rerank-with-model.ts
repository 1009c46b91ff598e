import { fenceOf } from "../../lib/prompt-delimiter.js";
import { truncate } from "../../lib/truncate.js";
import type { Reranker } from "../ports.js";
import { rerankResultsPrompt } from "../prompts/rerank-results.js";
import type { SearchModel } from "./search-model.js";

const MOST_TEXTS = 30;
/** Characters of a text that are shown. */
const LONGEST_TEXT = 600;
const LONGEST_QUERY = 2_000;
const MOST_TOKENS = 1_000;

/** A reranker that asks a language model which results help, using handles that are valid for these results only. */
export function createModelReranker(model: SearchModel): Reranker {
  const { name, version, schema, messages } = rerankResultsPrompt;
  return {
    name: model.name,
    most: MOST_TEXTS,
    problem: () => model.problem(),

    async rerank({ query, texts }) {
      const results = texts.map(({ text, date }, index) => ({
        handle: `r${index + 1}`,
        text: truncate(text, LONGEST_TEXT),
        date: date?.slice(0, 10) ?? "",
      }));
      const shown = { query: truncate(query, LONGEST_QUERY), results };
      const fence = fenceOf(JSON.stringify(shown));
      const { order } = await model.ask({
        name,
        version,
        schema,
        messages: messages({ ...shown, fence }),
        maxTokens: MOST_TOKENS,
      });
      return { scores: scoresOf(order, results) };
    },
  };
}

/** Named results in the order given; all others after them, in their original order. Unknown handles are ignored. */
function scoresOf(order: readonly string[], results: readonly { readonly handle: string }[]): number[] {
  const places = new Map([...new Set(order)].map((handle, place) => [handle, place]));
  return results.map(({ handle }) => -(places.get(handle) ?? order.length));
}
