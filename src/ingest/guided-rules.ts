import { judgeWishes, namesIn, plainWishesOf } from "../core/documents/plain-wishes.js";
import type { FactExtractor, FactSource } from "../core/ports.js";
import type { FactCandidate } from "../core/types.js";
import { contentRoot } from "../language/english/relations.js";
import { sentenceSpans } from "../language/sentences.js";
import { tokenise } from "../language/words.js";

/** Sentences of a document that are kept as they stand because they name what is to be remembered above all. */
const MOST_KEPT = 50;
const LONGEST_KEPT = 320;
const FEWEST_WORDS = 3;
const QUESTION = /[?？]["'”’»)\]]*$/u;

/**
 * The same rules, following what people said so plainly that rules can: what is about something that is never to be stored, or
 * about nothing of what alone is, is no fact; a sentence that names an item to be remembered above all is one as it stands,
 * where no rule found any in it and it is no conversation.
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

/** Tells what names an item that is to be remembered above all. */
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
