import { IRREGULAR_FORMS } from "./english/irregular-forms.js";
import { contentRoot, rootOf } from "./english/relations.js";
import { rarityOf } from "./english/common-words.js";
import { isTimeWord } from "./english/time-words.js";
import { isMonthOrDay } from "./passed-over.js";
import { VERB_GROUPS } from "./english/verb-groups.js";
import { isStopWord, tokenise } from "./words.js";

const LONGEST = 80;
const MOST_WORDS = 10;
/** Phrases of the first sentences more often tell what a text is about. */
const OPENING_BONUS = 1.4;
const OPENING_SENTENCES = 2;
const NAME_BONUS = 1.15;

const LINKS = /^(?:of|for|in|at|on|with|between|from|to|and|&|about)$/;
const DETERMINERS =
  /^(?:the|a|an|our|my|your|his|her|its|their|this|that|these|those|some|any|each|every|no|all|both)$/;
const SUBJECTS = /^(?:i|we|you|he|she|it|they|who|that|which|there|i'm|we're|we've|i've|i'll|we'll|let's)$/;
const BEFORE_VERBS =
  /^(?:to|will|would|can|could|should|shall|may|might|must|do|does|did|don't|doesn't|didn't|not|never|always|please|also|just|have|has|had|is|are|was|were|be|been|being|am|can't|won't|cannot|lets|gets|got|get)$/;
/** Words that are part of no name. */
const UNTELLING =
  /^(?:please|yes|today|now|then|later|soon|late|early|mid|however|therefore|maybe|perhaps|well|like|much|many|more|most|less|least|few|several|lots?|bit|things?|something|anything|everything|nothing|someone|everyone|etc|only|even|still|already|ever|always|often|usually|instead|else|else's|because|although|though|since|until|while|when|if|ago)$/;
const ADVERB =
  /^(?!(?:family|supply|assembly|reply|weekly|monthly|daily|quarterly|yearly|anomaly|jelly|belly|bully|ally|fly|july|italy)$).*ly$/;
const VERBS = readVerbs();
/** Past forms that are hardly ever anything else. */
const PAST_FORMS = readPastForms();

interface Token {
  readonly start: number;
  readonly end: number;
  readonly word: string;
  readonly isCapital: boolean;
  /** True if only a space separates it from the word before. */
  readonly isJoined: boolean;
}

interface Phrase {
  readonly text: string;
  readonly score: number;
}

/**
 * The most telling noun phrase of English sentences: one of rare or recurring words, preferably from the first sentences. At
 * most 80 characters, without a leading article. Takes linear time.
 * @returns null if no phrase says anything
 */
export function tellingPhrase(sentences: readonly string[]): string | null {
  const counts = new Map<string, number>();
  for (const sentence of sentences)
    for (const word of tokenise(sentence)) {
      const root = contentRoot(word);
      if (root !== "") counts.set(root, (counts.get(root) ?? 0) + 1);
    }
  let best: Phrase | null = null;
  for (const [index, sentence] of sentences.entries())
    for (const { text, names } of phrasesOf(sentence)) {
      const roots = [...new Set(tokenise(text).map(contentRoot))].filter((root) => root !== "");
      const weight = roots.reduce((sum, root) => sum + rarityOf(root) ** 2 * Math.log2(1 + (counts.get(root) ?? 1)), 0);
      const bonus = (index < OPENING_SENTENCES ? OPENING_BONUS : 1) * (names > 0 ? NAME_BONUS : 1);
      const score = (weight / Math.sqrt(roots.length + 1)) * bonus;
      if (roots.length >= 2 && score > (best?.score ?? 0)) best = { text, score };
    }
  return best?.text ?? null;
}

/** Runs of words that name something, with the words that link them: "winter of the roof garden". */
function phrasesOf(sentence: string): { readonly text: string; readonly names: number }[] {
  const found: { text: string; names: number }[] = [];
  const tokens = tokensOf(sentence);
  let first = -1;
  let last = -1;
  const close = () => {
    const [from, to] = [tokens[first], tokens[last]];
    if (from && to && to.end - from.start <= LONGEST) {
      const names = tokens.slice(Math.max(first, 1), last + 1).filter(({ isCapital }) => isCapital).length;
      found.push({ text: sentence.slice(from.start, to.end), names });
    }
    first = -1;
  };
  for (const [index, token] of tokens.entries()) {
    if (first !== -1 && (!token.isJoined || index - first >= MOST_WORDS)) close();
    if (first !== -1 && isLinked(tokens, index)) continue;
    // "Room 12"
    if (first !== -1 && last === index - 1 && /^\d{1,6}$/.test(token.word)) {
      last = index;
      continue;
    }
    if (!names(tokens, index)) {
      if (first !== -1) close();
      continue;
    }
    if (first === -1) first = index;
    last = index;
  }
  if (first !== -1) close();
  return found;
}

/** True for a link, or the article after one, that leads to something named. */
function isLinked(tokens: readonly Token[], index: number): boolean {
  const word = tokens[index]?.word ?? "";
  const isArticle = DETERMINERS.test(word) && LINKS.test(tokens[index - 1]?.word ?? "");
  if (!LINKS.test(word) && !isArticle) return false;
  let next = index + 1;
  if (!isArticle && DETERMINERS.test(tokens[next]?.word ?? "") && tokens[next]?.isJoined) next += 1;
  const following = tokens[next];
  if (!following?.isJoined || !names(tokens, next)) return false;
  if (word === "to") return following.isCapital || next > index + 1;
  // "of the harbour and Bo paints": "and" starts a new clause instead of continuing the name.
  return word !== "and" || !isVerb(tokens, next + 1);
}

function names(tokens: readonly Token[], index: number): boolean {
  const token = tokens[index];
  if (!token || !/\p{L}/u.test(token.word)) return false;
  const { word } = token;
  if (isStopWord(word) || LINKS.test(word) || DETERMINERS.test(word) || /['’](?:m|re|ve|ll|d|t)$/.test(word))
    return false;
  if (isTimeWord(word) || UNTELLING.test(word)) return false;
  if (isMonthOrDay(word) && token.isJoined && /^\d{1,2}$/.test(tokens[index - 1]?.word ?? "")) return false;
  if (ADVERB.test(word) && !token.isCapital && !DETERMINERS.test(tokens[index - 1]?.word ?? "")) return false;
  return !isVerb(tokens, index);
}

function isVerb(tokens: readonly Token[], index: number): boolean {
  const token = tokens[index];
  if (!token) return false;
  const { word, isCapital, isJoined } = token;
  const before = isJoined ? (tokens[index - 1]?.word ?? "") : "";
  const after = tokens[index + 1]?.isJoined ? (tokens[index + 1]?.word ?? "") : "";
  if (isCapital && index > 0) return false;
  if (SUBJECTS.test(before)) return true;
  if (BEFORE_VERBS.test(before)) return VERBS.has(rootOf(word)) || PAST_FORMS.has(word) || /(?:ed|ing|en)$/.test(word);
  if (DETERMINERS.test(before)) return false;
  if (PAST_FORMS.has(word)) return true;
  if (/[a-z]{2}ed$/.test(word)) return before !== "" || DETERMINERS.test(after);
  if (word.endsWith("ing") && (DETERMINERS.test(after) || before === "")) return VERBS.has(rootOf(word));
  // "Which varieties grow": a verb after a plural is not part of the name.
  if (/[a-z][^s]s$/.test(before) && !word.endsWith("s") && VERBS.has(rootOf(word)) && !isCapital) return true;
  const isBeforeObject =
    DETERMINERS.test(after) || /^(?:us|me|them|him|it|that|into|by|when|if|as|because|after|before)$/.test(after);
  if (!VERBS.has(rootOf(word))) return false;
  // "He is 70, loves trains": a clause that goes on with a verb.
  if (index > 0 && before === "" && /[a-z]s$/.test(word) && after !== "") return true;
  return index === 0 ? isBeforeObject || /^(?:us|me)$/.test(after) : isBeforeObject && /[a-z]s$/.test(word);
}

/** True for the forms of a common verb. */
export function isKnownVerb(word: string): boolean {
  return VERBS.has(rootOf(word));
}

function tokensOf(sentence: string): Token[] {
  const tokens: Token[] = [];
  let end = -1;
  for (const match of sentence.matchAll(
    /[\p{L}\p{N}][\p{L}\p{M}\p{N}'’_+#-]*(?:[./@][\p{L}\p{N}][\p{L}\p{M}\p{N}'’_+#-]*)*|&/gu,
  )) {
    const [text] = match;
    tokens.push({
      start: match.index,
      end: match.index + text.length,
      word: text.toLowerCase().replaceAll("’", "'"),
      isCapital: /^\p{Lu}/u.test(text),
      isJoined: match.index === end + 1 && sentence[end] === " ",
    });
    end = match.index + text.length;
  }
  return tokens;
}

function readVerbs(): ReadonlySet<string> {
  const heads = VERB_GROUPS.flatMap((group) => group.split("/")[0]?.trim().split(" ") ?? []);
  return new Set([...heads, ..."is need want use get go keep run move".split(" ")].map(rootOf));
}

function readPastForms(): ReadonlySet<string> {
  const verbs = IRREGULAR_FORMS.slice(0, IRREGULAR_FORMS.indexOf("marry married marries"));
  const forms = verbs.flatMap((entry) => entry.split(" ").slice(1));
  return new Set(forms.filter((form) => !/^(?:saw|left|felt|thought|building|meant|dug|lead|cut)$/.test(form)));
}
