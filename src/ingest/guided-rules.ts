import { judgeWishes, namesIn, plainWishesOf } from "../core/documents/plain-wishes.js";
import type { FactExtractor, FactSource } from "../core/ports.js";
import type { FactCandidate } from "../core/types.js";
import { contentRoot } from "../language/english/relations.js";
import { sentenceSpans } from "../language/sentences.js";
import { tokenise } from "../language/words.js";

/** Maximum number of sentences that are kept verbatim because they name something to be remembered above all. */
const MOST_KEPT = 50;
const LONGEST_KEPT = 320;
const FEWEST_WORDS = 3;
const QUESTION = /[?？]["'”’»)\]]*$/u;

/**
 * The same rules, following guidance that is plain enough for rules: a fact is dropped if it is about something never
 * to be stored, or if only certain topics are to be stored and it is about none of them. A sentence that names an item
 * to be remembered above all becomes a fact verbatim, unless a rule found one in it or the text is a conversation.
 */
export function createGuidedExtractor(rules: FactExtractor): FactExtractor {
  return {
    name: rules.name,

    async extract(source, signal) {
      const found = await rules.extract(source, signal);
      const wishes = plainWishesOf(source.guidance);
      const mayBeKept = judgeWishes(wishes) ?? (() => true);
      const mayBeNamed = judgeWishes({ ...wishes, only: [] }) ?? (() => true);
      const isNamed = namesItem(source);
      const wanted = (text: string) => mayBeKept(text) || (isNamed(text) && mayBeNamed(text));
      return [...found, ...namedIn(source, found)].filter(({ text }) => wanted(text));
    },
  };
}

/** Returns a predicate for texts that name an item to be remembered above all. */
function namesItem({ guidance }: FactSource): (text: string) => boolean {
  const items = (namesIn(guidance?.includeItems) ?? []).map(rootsOf).filter((roots) => roots.length > 0);
  return (text) => {
    const roots = items.length > 0 ? rootsOf(text) : [];
    return items.some((item) => item.every((root) => roots.includes(root)));
  };
}

function namedIn(source: FactSource, found: readonly FactCandidate[]): FactCandidate[] {
  const { content, turns, guidance } = source;
  if (turns || namesIn(guidance?.includeItems) === null) return [];
  const isNamed = namesItem(source);
  const quotes = found.flatMap(({ quote }) => quote ?? []);
  const kept: FactCandidate[] = [];
  for (const { start, end } of sentenceSpans(content)) {
    const quote = content.slice(start, end);
    if (kept.length === MOST_KEPT) break;
    if (quote.length > LONGEST_KEPT || QUESTION.test(quote)) continue;
    if (!isNamed(quote) || tokenise(quote).length < FEWEST_WORDS || quotes.some((one) => quote.includes(one))) continue;
    kept.push({ text: quote.replaceAll(/\s+/g, " "), kind: "fact", isStatic: false, quote });
  }
  return kept;
}

function rootsOf(text: string): string[] {
  return tokenise(text)
    .map(contentRoot)
    .filter((root) => root !== "");
}
