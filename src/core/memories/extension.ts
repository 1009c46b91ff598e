import type { Decision, KnownFact, NewFact } from "./decision.js";
import { readingOf, type Reading } from "./reading.js";

const LONGEST_ADDITION = 12;
/** With one of these words, an addition changes the meaning. */
const CHANGES_MEANING =
  /[?]|\b(?:not|no|never|nor|neither|without|if|unless|until|till|was|were|used|former|formerly|except|but|only|might|may|could|would|almost|nearly|stopped|hardly|rarely|than|instead|another|other)\b/;

/** The decision that a fact says more than something known; null if it does not. */
export function extension({ text }: NewFact, known: readonly KnownFact[]): Decision | null {
  const { pieces } = readingOf(text);
  const [longest] = known
    .filter(({ memory }) => saysMore(pieces, readingOf(memory.text).pieces))
    .toSorted((one, other) => other.memory.text.length - one.memory.text.length);
  const extended = longest ?? onlyIntroduction(text, known);
  return extended ? { kind: "extends", id: extended.memory.id } : null;
}

/** The memory that introduced the person a text is about; null when several did, as they may share a name. */
function onlyIntroduction(text: string, known: readonly KnownFact[]): KnownFact | null {
  const [first, ...more] = known.filter(({ memory }) => tellsMoreOf(readingOf(text), readingOf(memory.text)));
  return more.length === 0 ? (first ?? null) : null;
}

/** True for a text about somebody whom the other introduces. */
export function tellsMoreOf(mine: Reading, theirs: Reading): boolean {
  return mine.tellsOf !== null && mine.tellsOf === theirs.introduces;
}

/** True when a text, by its pieces, says all that another says, in the same words and order, plus some words that contradict nothing. */
export function saysMore(whole: readonly string[], part: readonly string[]): boolean {
  const added = whole.length - part.length;
  if (part.length < 2 || added < 1 || added > LONGEST_ADDITION) return false;
  if (whole[0] !== part[0] || whole[1] !== part[1]) return false;
  const more: string[] = [];
  let next = 0;
  for (const word of whole) {
    if (word === part[next]) next += 1;
    else more.push(word);
  }
  return next === part.length && !CHANGES_MEANING.test(more.join(" "));
}
