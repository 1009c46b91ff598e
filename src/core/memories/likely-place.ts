import { contentRoot } from "../../language/english/relations.js";
import type { Place, QuoteFinder } from "../../language/find-quote.js";
import { sentenceSpans } from "../../language/sentences.js";
import { NUMBER_WORDS, tokenise } from "../../language/words.js";

/** Longer texts are searched only for the exact words of a fact, in UTF-16 units. */
const LONGEST_TEXT = 200_000;
/** Longer sentences are tables or code, of which one fact is only a part, in UTF-16 units. */
const LONGEST_SENTENCE = 2_000;
/** The name that facts use for the user but texts do not. */
const NO_NAME = "user";

/**
 * Finds where a text most likely says a fact that its sender did not quote: its exact words, otherwise the only sentence that
 * contains all numbers of the fact and more than half of its words. Null if that is uncertain. The text is read once, when
 * first needed; after that each fact takes at most linear time.
 * @param find looks for words in the same text
 */
export function createLikelyPlaceFinder(content: string, find: QuoteFinder): (fact: string) => Place | null {
  let sentences: Sentences | undefined;
  return (fact) => {
    const literal = find(fact);
    if (literal || content.length > LONGEST_TEXT) return literal;
    sentences ??= readSentences(content);
    const place = theOneThatSays(fact, sentences);
    return place && place.end - place.start <= LONGEST_SENTENCE ? place : null;
  };
}

interface Sentences {
  readonly spans: readonly Place[];
  /** By word: the indexes of the sentences that contain it. */
  readonly having: ReadonlyMap<string, readonly number[]>;
}

function readSentences(content: string): Sentences {
  const spans: Place[] = [];
  const having = new Map<string, number[]>();
  for (const span of sentenceSpans(content)) {
    const words = wordsOf(content.slice(span.start, span.end));
    if (words.size === 0) continue;
    for (const word of words) {
      const known = having.get(word);
      if (known) known.push(spans.length);
      else having.set(word, [spans.length]);
    }
    spans.push(span);
  }
  return { spans, having };
}

function theOneThatSays(fact: string, { spans, having }: Sentences): Place | undefined {
  const words = wordsOf(fact);
  const counts = new Map<number, number>();
  for (const word of words) for (const index of having.get(word) ?? []) counts.set(index, (counts.get(index) ?? 0) + 1);
  const numbers = [...words].filter((word) => /\d/.test(word)).map((number) => new Set(having.get(number)));
  const saying = [...counts]
    .filter(([index, count]) => count * 2 > words.size && numbers.every((those) => those.has(index)))
    .map(([index]) => spans[index]);
  return saying.length === 1 ? saying[0] : undefined;
}

/** The content words of a text, each in one form, and its numbers as digits. */
function wordsOf(text: string): ReadonlySet<string> {
  const words = tokenise(text).map((word) => NUMBER_WORDS.get(word) ?? contentRoot(word));
  return new Set(words.filter((word) => word !== "" && word !== NO_NAME));
}
