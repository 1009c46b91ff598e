import { sentenceSpans } from "../language/sentences.js";
import { foldedRuns } from "../language/words.js";
import { singleSpaced } from "../lib/single-spaced.js";

/** A sentence of a text, and the one it replaced in the previous text. */
export interface Edit {
  readonly before: string;
  readonly after: string;
}

/** With more changed sentences than this, it is a different text. */
const MOST_EDITED = 100;
/** Characters; in a longer sentence, no single word can be said to have changed. */
const LONGEST_SENTENCE = 500;
/** Words that are compared in total; any beyond that count as removed or added, not as changed. */
const MOST_COMPARED = 1_000_000;
/** Share of the words of the longer sentence that both must have in common to count as one sentence that was edited. */
const SAME_WORDS = 0.5;
const ORNAMENT = /^[\s>*+•-]+(?=\S)|^\s*\d{1,3}[.)]\s+/;

/**
 * Finds the edited sentences of a text: each starts with the same word as a removed one, and shares most words with it.
 * A sentence that was only removed or only added is not an edit, nor is one of more than 500 characters. Takes time
 * linear in the length of the texts.
 */
export function editsBetween(previous: string, next: string): readonly Edit[] {
  if (next.startsWith(previous)) return [];
  const [old, present] = [sentencesOf(previous), sentencesOf(next)];
  const gone = [...old].filter((sentence) => !present.has(sentence));
  const came = [...present].filter((sentence) => !old.has(sentence));
  if (gone.length > MOST_EDITED || came.length > MOST_EDITED) return [];
  const left = byFirstWord(came.filter(isShort));
  let compared = 0;
  return gone.filter(isShort).flatMap((sentence) => {
    const before = worded(sentence);
    const others = before && left.get(before.first);
    if (!others) return [];
    compared += before.words.size * others.size;
    const after = compared <= MOST_COMPARED && likest(before, others);
    if (!after) return [];
    others.delete(after);
    return { before: before.text, after: after.text };
  });
}

/** The previous sentence that was replaced by the one with these words; null when none was. */
export function formerSentence(edits: readonly Edit[], quote: string): string | null {
  const words = singleSpaced(quote);
  return edits.find(({ after }) => after.includes(words))?.before ?? null;
}

interface Worded {
  readonly text: string;
  /** Its first word. */
  readonly first: string;
  readonly words: ReadonlySet<string>;
}

function isShort({ length }: string): boolean {
  return length <= LONGEST_SENTENCE;
}

/** Sentences with at least one word, by their first word. */
function byFirstWord(sentences: readonly string[]): ReadonlyMap<string, Set<Worded>> {
  const groups = new Map<string, Set<Worded>>();
  for (const sentence of sentences) {
    const one = worded(sentence);
    if (!one) continue;
    const group = groups.get(one.first);
    if (group) group.add(one);
    else groups.set(one.first, new Set([one]));
  }
  return groups;
}

function worded(text: string): Worded | null {
  const words = foldedRuns(text);
  const [first] = words;
  return first === undefined ? null : { text, first, words: new Set(words) };
}

function likest({ words }: Worded, others: ReadonlySet<Worded>): Worded | undefined {
  let best: { readonly other: Worded; readonly likeness: number } | undefined;
  for (const other of others) {
    const likeness = likenessOf(words, other.words);
    if (likeness >= SAME_WORDS && likeness > (best?.likeness ?? 0)) best = { other, likeness };
  }
  return best?.other;
}

function likenessOf(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  let shared = 0;
  for (const word of one) if (other.has(word)) shared += 1;
  return shared / Math.max(one.size, other.size);
}

/** The sentences of each line, without ornaments. */
export function sentencesOf(text: string): ReadonlySet<string> {
  const sentences = new Set<string>();
  for (const line of text.split("\n"))
    for (const { start, end } of sentenceSpans(line))
      sentences.add(singleSpaced(line.slice(start, end).replace(ORNAMENT, "")));
  sentences.delete("");
  return sentences;
}
