import { sentenceSpans } from "../lib/sentences.js";
import { foldedRuns } from "../lib/words.js";

/** A sentence of a text and the one of the text before that stood in its place. */
export interface Edit {
  readonly before: string;
  readonly after: string;
}

/** A text of which more sentences are other ones than before is another text. */
const MOST_EDITED = 100;
/** Of the words of the longer one: so many in common make them one sentence with something changed in it. */
const SAME_WORDS = 0.5;
const ORNAMENT = /^[\s>*+•-]+(?=\S)|^\s*\d{1,3}[.)]\s+/;

/**
 * Finds the sentences in which a text was changed: they begin with the same word as one that is gone, and share most words
 * with it. What is merely gone, or came, is no edit. Takes time linear in the texts.
 */
export function editsBetween(previous: string, next: string): readonly Edit[] {
  if (next.startsWith(previous)) return [];
  const [old, present] = [sentencesOf(previous), sentencesOf(next)];
  const gone = [...old].filter((sentence) => !present.has(sentence));
  const came = [...present].filter((sentence) => !old.has(sentence)).map(worded);
  if (gone.length > MOST_EDITED || came.length > MOST_EDITED) return [];
  const left = new Set(came);
  return gone.map(worded).flatMap((before) => {
    const after = likest(before, [...left]);
    if (!after) return [];
    left.delete(after);
    return { before: before.text, after: after.text };
  });
}

/** The sentence of the text before whose place the one took that holds these words; null when it took none's. */
export function formerSentence(edits: readonly Edit[], quote: string): string | null {
  const words = plain(quote);
  return edits.find(({ after }) => after.includes(words))?.before ?? null;
}

interface Worded {
  readonly text: string;
  readonly words: readonly string[];
}

function worded(text: string): Worded {
  return { text, words: foldedRuns(text) };
}

function likest(before: Worded, others: readonly Worded[]): Worded | undefined {
  let best: { readonly other: Worded; readonly likeness: number } | undefined;
  for (const other of others) {
    const likeness = likenessOf(before.words, other.words);
    if (likeness >= SAME_WORDS && likeness > (best?.likeness ?? 0)) best = { other, likeness };
  }
  return best?.other;
}

function likenessOf(one: readonly string[], other: readonly string[]): number {
  if (one[0] === undefined || one[0] !== other[0]) return 0;
  const words = new Set(other);
  const shared = new Set(one.filter((word) => words.has(word))).size;
  return shared / Math.max(new Set(one).size, words.size);
}

function sentencesOf(text: string): ReadonlySet<string> {
  const sentences = new Set<string>();
  for (const line of text.split("\n"))
    for (const { start, end } of sentenceSpans(line))
      sentences.add(plain(line.slice(start, end).replace(ORNAMENT, "")));
  sentences.delete("");
  return sentences;
}

function plain(text: string): string {
  return text.replace(/\s+/gu, " ").trim();
}
