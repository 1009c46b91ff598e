import { sentenceSpans } from "./sentences.js";
import { truncate } from "../lib/truncate.js";
import { stem } from "./stem.js";
import { isStopWord, tokenise } from "./words.js";

/** A text up to this length needs no summary. */
const SHORT_TEXT = 280;
const LONGEST_SUMMARY = 320;
/** Characters of a long text that are read; its subject is clear by then. */
const READ = 32_000;
const MOST_SENTENCES = 3;
const FEWEST_WORDS = 4;
const MOST_WORDS = 45;
/** The first sentences of a text more often tell what it is about. */
const OPENING_BONUS = 1.3;
const LABEL = /^(?:[-*+>]\s+|\d{1,3}[.)]\s+)*(?:[\p{L}][\p{L}\p{N} .'’-]{0,30}:\s+)?/u;

interface Sentence {
  readonly text: string;
  readonly stems: readonly string[];
}

/**
 * The most central sentences of a text, in their order: those whose words recur in it, without repeating each other. At most
 * 320 characters. Takes linear time.
 * @returns null for a text that is short anyway, has few sentences, or repeats no words
 */
export function summarise(text: string): string | null {
  if (text.length <= SHORT_TEXT) return null;
  const sentences = readSentences(truncate(text, READ));
  if (sentences.length <= MOST_SENTENCES) return null;
  const chosen = chooseCentral(sentences);
  const summary = chosen.map((index) => sentences[index]?.text ?? "").join(" ");
  return summary === "" ? null : summary;
}

/** Statements, and no headings, code or questions. */
function readSentences(text: string): Sentence[] {
  const prose = text.replace(/^(?:```|~~~)[^]*?^(?:```|~~~)[^\n]*$/gm, "");
  return sentenceSpans(prose).flatMap(({ start, end }) => {
    const sentence = prose.slice(start, end);
    if (/^#{1,6} |^[|{}<]|[?？]["'”’»)\]]*$/.test(sentence)) return [];
    const said = sentence.replace(LABEL, "");
    const words = tokenise(said);
    if (words.length < FEWEST_WORDS || words.length > MOST_WORDS) return [];
    const stems = [...new Set(words.filter((word) => !isStopWord(word)).map(stem))];
    return [{ text: said, stems }];
  });
}

/** Indexes of the sentences of a summary, in order. Words of a chosen sentence no longer count for the next. */
function chooseCentral(sentences: readonly Sentence[]): number[] {
  const weights = countStems(sentences);
  const chosen: number[] = [];
  let room = LONGEST_SUMMARY;
  while (chosen.length < MOST_SENTENCES) {
    const best = bestOf(sentences, weights, (index) => !chosen.includes(index) && fits(sentences[index], room));
    if (best === null) break;
    chosen.push(best);
    room -= (sentences[best]?.text.length ?? 0) + 1;
    for (const word of sentences[best]?.stems ?? []) weights.set(word, 0);
  }
  return chosen.sort((left, right) => left - right);
}

/** A word that occurs only once is no subject, and weighs nothing. */
function countStems(sentences: readonly Sentence[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { stems } of sentences) for (const word of stems) counts.set(word, (counts.get(word) ?? 0) + 1);
  return new Map([...counts].map(([word, count]) => [word, Math.log(count)]));
}

function fits(sentence: Sentence | undefined, room: number): boolean {
  return sentence !== undefined && sentence.text.length <= room;
}

function bestOf(
  sentences: readonly Sentence[],
  weights: ReadonlyMap<string, number>,
  isOpen: (index: number) => boolean,
): number | null {
  let best: number | null = null;
  let most = 0;
  for (const [index, { stems }] of sentences.entries()) {
    if (!isOpen(index)) continue;
    const sum = stems.reduce((total, word) => total + (weights.get(word) ?? 0), 0);
    const score = (sum / Math.sqrt(stems.length + 1)) * (index < 2 ? OPENING_BONUS : 1);
    if (score > most) [best, most] = [index, score];
  }
  return best;
}
